package main

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"ripple/runtime/registry"
)

func newAdapter(a *app) *cobra.Command {
	cmd := group(&cobra.Command{
		Use:   "adapter",
		Short: "Test, check and list adapters",
		Long: `An adapter is a YAML file that describes one program. Adapters come with ripple,
from ~/.config/ripple/adapters, from .ripple/adapters in the current directory and
from files that are named by their path; later places win over earlier ones.`,
	})
	cmd.AddCommand(newAdapterTest(a), newAdapterLint(a), newAdapterList(a), newAdapterShow(a), newAdapterNew(a))
	return cmd
}

// sources are where adapters come from for this user in this directory.
func (a *app) sources() registry.Sources {
	cwd, err := os.Getwd()
	if err != nil {
		cwd = "" // gone: then it has no adapters
	}
	return registry.DefaultSources(a.getenv, cwd)
}

func (a *app) registry() (*registry.Registry, error) {
	r, err := registry.Open(a.sources())
	if err != nil {
		return nil, failWith(exitFailed, err, "")
	}
	return r, nil
}

// adapter finds one adapter by name or path.
func (a *app) adapter(name string) (*registry.Entry, error) {
	r, err := a.registry()
	if err != nil {
		return nil, err
	}
	entry, err := r.Find(name)
	if err != nil {
		return nil, findError(err)
	}
	return entry, nil
}

// findError says what is wrong with a name, or everything that is wrong with
// the file.
func findError(err error) error {
	broken, ok := asBroken(err)
	if !ok {
		return failWith(exitUsage, err, "ripple adapter list shows what there is")
	}
	var b strings.Builder
	for _, d := range broken.Diagnostics {
		b.WriteString(d.Format() + "\n")
	}
	return failWith(exitUsage, fmt.Errorf("adapter %q does not load", broken.Name), b.String())
}

func asBroken(err error) (*registry.BrokenError, bool) {
	return errors.AsType[*registry.BrokenError](err)
}

// targets are the adapters that a command line names, or all.
func (a *app) targets(args []string, all bool) ([]*registry.Entry, error) {
	r, err := a.registry()
	if err != nil {
		return nil, err
	}
	if all {
		for _, n := range r.Notices() {
			if n.Kind == registry.NoticeBroken {
				return nil, findError(&registry.BrokenError{Name: n.Path, Path: n.Path, Diagnostics: n.Diagnostics})
			}
		}
		return r.List(), nil
	}
	var found []*registry.Entry
	for _, name := range args {
		entry, err := r.Find(name)
		if err != nil {
			return nil, findError(err)
		}
		found = append(found, entry)
	}
	return found, nil
}

// namesOrAll: adapters by name, or --all, and not both.
func namesOrAll(cmd *cobra.Command, args []string) error {
	all, _ := cmd.Flags().GetBool("all") // declared: cannot fail
	switch {
	case all && len(args) > 0:
		return usageError("", "--all and %q exclude each other", args[0])
	case !all && len(args) == 0:
		return usageError("ripple adapter list shows what there is; --all takes all", "which adapter?")
	}
	return nil
}

// completeAdapter gives the names of adapters to a shell that completes.
func (a *app) completeAdapter(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	r, err := a.registry()
	if err != nil || cmd.Name() == "exec" && len(args) > 0 {
		return nil, cobra.ShellCompDirectiveDefault
	}
	var names []string
	for _, e := range r.List() {
		names = append(names, cobra.CompletionWithDesc(e.Name, e.Adapter.Description))
	}
	return names, cobra.ShellCompDirectiveDefault
}
