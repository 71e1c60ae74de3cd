// Package trustcmd implements `ripple trust`, which shows what a project would run and records
// the user's approval.
package trustcmd

import (
	"errors"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"example.org/ripple/cmd/ripple/internal/ui"
	"example.org/ripple/runtime/trust"
)

// flags are those of ripple trust; at most one is given.
type flags struct{ show, revoke, list bool }

// New is the command.
func New(a *ui.App) *cobra.Command {
	var f flags
	cmd := &cobra.Command{
		Use:   "trust",
		Short: "Show and approve what this project would run",
		Long: `Show which files of the project in the current directory would run commands or choose what is
run, and approve them: adapters in .ripple/adapters, the settings in ripple.yml,
.ralph/.ralphrc and .ralphrc, a .ralph directory that you did not create with ripple, and the
record of a run that --resume would continue and that you did not start here. Until you approve
them, none of them is used, and no adapter of the project replaces a built-in one.

The approval is for the current content of these files. When one of them changes, you are asked
again and see the change. Files that only set limits need no approval, nor do the task and the
plan in a .ralph directory of your own.

On a terminal the command asks first; elsewhere it approves without asking. Other commands ask
when they first need an approval; without a terminal they exit with code 2. --trust approves for
one command only, and RIPPLE_TRUST (always, never) decides for all.`,
		Example: "  ripple trust --show\n  ripple trust\n  ripple trust --revoke",
		Args:    ui.NoArgs,
		RunE:    func(*cobra.Command, []string) error { return run(a, f) },
	}
	cmd.Flags().BoolVar(&f.show, "show", false, "only show what needs approval")
	cmd.Flags().BoolVar(&f.revoke, "revoke", false, "revoke the approval of this project")
	cmd.Flags().BoolVar(&f.list, "list", false, "list the approved projects")
	cmd.MarkFlagsMutuallyExclusive("show", "revoke", "list")
	return cmd
}

func run(a *ui.App, f flags) error {
	store, err := a.Trust.Store()
	if err != nil {
		return ui.FailWith(ui.ExitUsage, err, "")
	}
	if f.list {
		return list(a, store)
	}
	project, err := ui.Project()
	if err != nil {
		return ui.FailWith(ui.ExitFailed, err, "")
	}
	if f.revoke {
		return revoke(a, store, project)
	}
	record, err := store.Load(project)
	if err != nil {
		return ui.FailWith(ui.ExitUsage, err, "")
	}
	items, err := a.Trust.Items(project)
	if err != nil {
		return err
	}
	if f.show {
		ui.ShowItems(a.Out, record, items)
		if len(items) == 0 {
			a.Note("nothing here would run anything")
		}
		return nil
	}
	return agree(a, record, items)
}

func agree(a *ui.App, record trust.Record, items []trust.Item) error {
	if ui.InAgent(a.Getenv) {
		return ui.FailWith(ui.ExitUsage, errors.New("an agent cannot approve what a project runs"), "to approve it as a user, outside of the agent: ripple trust")
	}
	missing := record.Missing(items)
	usable := false
	for _, i := range missing {
		usable = usable || i.Broken == ""
	}
	if !usable {
		ui.ShowItems(a.Out, record, items)
		a.Note("nothing here needs approval")
		return nil
	}
	yes, asked, err := a.Trust.Ask(record, items)
	switch {
	case err != nil:
		return err
	case asked && !yes:
		return ui.FailWith(ui.ExitUsage, errors.New("not approved"), "")
	case !asked:
		ui.ShowItems(a.Out, record, items)
	}
	if _, err := a.Trust.Record(record, items); err != nil {
		return err
	}
	a.Note("this project is trusted; to revoke that: ripple trust --revoke")
	return nil
}

func revoke(a *ui.App, store *trust.Store, project string) error {
	was, err := store.Remove(project)
	if err != nil {
		return ui.FailWith(ui.ExitFailed, err, "")
	}
	if !was {
		a.Note("nothing was approved here")
	}
	return nil
}

func list(a *ui.App, store *trust.Store) error {
	all, err := store.All()
	if err != nil {
		return ui.FailWith(ui.ExitFailed, err, "")
	}
	for _, r := range all {
		gone := ""
		if info, err := os.Stat(filepath.Clean(r.Project)); err != nil || !info.IsDir() {
			gone = "  (gone)"
		}
		a.Printf("%s  %s  %s%s\n", r.Agreed.Local().Format(time.DateTime), ui.Quote(r.Project), ui.Count(len(r.Items), "item"), gone)
	}
	return nil
}
