package adaptercmd

import (
	"github.com/spf13/cobra"

	"example.org/ripple/cmd/ripple/internal/ui"
	"example.org/ripple/runtime/registry"
)

// New returns the command ripple adapter with its subcommands.
func New(shared *ui.App) *cobra.Command {
	a := &app{shared}
	cmd := ui.Group(&cobra.Command{
		Use:   "adapter",
		Short: "Test, check and list adapters",
		Long: `An adapter is a YAML file that describes one program. Adapters are built in, or are read
from ~/.config/ripple/adapters, from .ripple/adapters in the current directory, and from files
that are named by their path. Of adapters with the same name, the last one in this order is used.
Those in .ripple/adapters are used only if you trust the project: see "ripple trust".`,
	})
	cmd.AddCommand(newAdapterTest(a), newAdapterLint(a), newAdapterList(a), newAdapterShow(a), newAdapterExplain(a), newAdapterNew(a),
		newAdapterMerge(a), newAdapterMatrix(a), newAdapterTry(a), newAdapterRecord(a))
	return cmd
}

// targets returns the adapters that a command line names, or all, and those of them that do not load.
func (a *app) targets(args []string, all bool) (found []*registry.Entry, broken []*registry.BrokenError, err error) {
	if all {
		r, err := a.Registry()
		if err != nil {
			return nil, nil, err
		}
		for _, n := range r.Notices() {
			if n.Kind == registry.NoticeBroken {
				broken = append(broken, &registry.BrokenError{Name: n.Path, Path: n.Path, Diagnostics: n.Diagnostics})
			}
		}
		return r.List(), broken, nil
	}
	for _, name := range args {
		entry, err := a.Adapter(name)
		if b, is := ui.AsBroken(err); is {
			broken = append(broken, b)
			continue
		}
		if err != nil {
			return nil, nil, err
		}
		found = append(found, entry)
	}
	return found, broken, nil
}

// namesOrAll accepts either names of adapters or --all.
func namesOrAll(cmd *cobra.Command, args []string) error {
	all, _ := cmd.Flags().GetBool("all") // the flag is defined
	switch {
	case all && len(args) > 0:
		return ui.UsageError("", "--all and %q cannot be combined", args[0])
	case !all && len(args) == 0:
		return ui.UsageError("to list the adapters: ripple adapter list; to select all of them: --all", "no adapter given")
	}
	return nil
}
