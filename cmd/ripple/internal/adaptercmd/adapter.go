package adaptercmd

import (
	"github.com/spf13/cobra"

	"ripple/cmd/ripple/internal/ui"
	"ripple/runtime/registry"
)

// New is ripple adapter with its commands.
func New(shared *ui.App) *cobra.Command {
	a := &app{shared}
	cmd := ui.Group(&cobra.Command{
		Use:   "adapter",
		Short: "Test, check and list adapters",
		Long: `An adapter is a YAML file that describes one program. Adapters come with ripple,
from ~/.config/ripple/adapters, from .ripple/adapters in the current directory and
from files that are named by their path; later places win over earlier ones.`,
	})
	cmd.AddCommand(newAdapterTest(a), newAdapterLint(a), newAdapterList(a), newAdapterShow(a), newAdapterExplain(a), newAdapterNew(a),
		newAdapterMerge(a), newAdapterMatrix(a), newAdapterTry(a), newAdapterRecord(a))
	return cmd
}

// targets are the adapters that a command line names, or all.
func (a *app) targets(args []string, all bool) ([]*registry.Entry, error) {
	r, err := a.Registry()
	if err != nil {
		return nil, err
	}
	if all {
		for _, n := range r.Notices() {
			if n.Kind == registry.NoticeBroken {
				return nil, ui.AdapterError(&registry.BrokenError{Name: n.Path, Path: n.Path, Diagnostics: n.Diagnostics})
			}
		}
		return r.List(), nil
	}
	var found []*registry.Entry
	for _, name := range args {
		entry, err := r.Find(name)
		if err != nil {
			return nil, ui.AdapterError(err)
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
		return ui.UsageError("", "--all and %q exclude each other", args[0])
	case !all && len(args) == 0:
		return ui.UsageError("ripple adapter list shows what there is; --all takes all", "which adapter?")
	}
	return nil
}
