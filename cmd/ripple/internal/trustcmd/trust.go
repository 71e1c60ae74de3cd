// Package trustcmd implements `ripple trust`, which shows what a project would run and records
// the user's approval.
package trustcmd

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"example.org/ripple/cmd/ripple/internal/trust"
	"example.org/ripple/cmd/ripple/internal/ui"
	"example.org/ripple/internal/projectfile"
)

// flags are those of ripple trust; at most one is given.
type flags struct{ show, revoke, list bool }

// New is the command.
func New(a *ui.App) *cobra.Command {
	var f flags
	cmd := &cobra.Command{
		Use:   "trust",
		Short: "Show and approve what this project would run",
		Long: `Show which files of the project in the current directory can make ripple run commands, and
record that you approve them. Until you do, ripple uses none of them. These files are:

  .ripple/adapters          adapters; an approved one may replace a built-in one
  ripple.yml                settings of a loop
  .ralphrc, .ralph/.ralphrc settings of a loop
  .git                      settings that make git run filters or other programs, include files,
                            or fetch objects, with the server; links that make git leave the
                            repository; and repositories from which it borrows objects
  .ralph                    the task and the plan, unless you created them with "ripple init"
  .ralph/events.jsonl       a loop that --resume would continue, unless you started it here
  HOME, XDG_CONFIG_HOME ... a directory in a project, any project, if such a variable makes it yours:
                            then all of its files count as yours, also after changes

A file that only sets limits needs no approval. An approval holds for the current content: when
a file changes, you are shown the change and asked again, also when approved settings are gone or
only set limits now. Approvals are stored in ripple/trust below $XDG_STATE_HOME (or
~/.local/state); nothing in the project is changed.

On a terminal, ripple trust asks before it approves. Without a terminal it approves at once, so
read the output of --show first. It refuses approvals by a coding agent, and by every other process
that a loop has started.

Other commands ask when they need an approval; without a terminal they exit with code 2. To
approve for one command only, give it --trust. RIPPLE_TRUST=always approves everything, and
RIPPLE_TRUST=never nothing, without asking.

The exit code is 0 if everything is approved or was shown, and 2 if you answered no.`,
		Example: "  ripple trust --show\n  ripple trust\n  ripple trust --revoke",
		Args:    ui.NoArgs,
		RunE:    func(*cobra.Command, []string) error { return run(a, f) },
	}
	ui.WithoutHome(cmd)
	cmd.Flags().BoolVar(&f.show, "show", false, "only show what needs approval")
	cmd.Flags().BoolVar(&f.revoke, "revoke", false, "revoke the approvals of this project and of the directories in it")
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
	if !f.show {
		if err := a.RefuseSudo("."); err != nil { // an approval of .ralph marks it
			return err
		}
	}
	shown, err := homes(a, f)
	if err != nil {
		return err
	}
	if err := a.Trust.CheckHome(""); err != nil {
		if f.show && shown {
			a.Note("to see what else this project would run, approve that first: ripple trust")
			return nil
		}
		return err
	}
	record, err := a.Trust.Agreed(project)
	if err != nil {
		return ui.FailWith(ui.ExitUsage, err, "")
	}
	items, err := a.Trust.Items(project)
	if err != nil {
		return err
	}
	if f.show {
		ui.ShowItems(a.Out, record, items)
		if len(items) == 0 && !shown {
			a.Note("nothing in this project can make ripple run commands")
		}
		return nil
	}
	if len(items) == 0 && shown {
		return nil
	}
	return agree(a, record, items)
}

// homes shows, or asks for the approval of, the places of the user that projects have. Nothing else of a project is examined before that:
// git alone would read its settings there. shown reports whether there are any.
func homes(a *ui.App, f flags) (shown bool, err error) {
	all := a.Trust.Homes()
	for _, project := range ui.SortedKeys(all) {
		record, err := a.Trust.Agreed(project)
		if err != nil {
			return false, ui.FailWith(ui.ExitUsage, err, "")
		}
		switch missing := record.Missing(all[project]); {
		case f.show:
			ui.ShowItems(a.Out, record, all[project])
		case len(missing) > 0:
			if err := agree(a, record, all[project]); err != nil {
				return false, err
			}
		}
	}
	return len(all) > 0, nil
}

func agree(a *ui.App, record trust.Record, items []trust.Item) error {
	if o := a.Trust.Origin(); o != nil {
		return ui.FailWith(ui.ExitUsage, fmt.Errorf("only a user can approve what a project runs; this command was started by %s", o),
			"to approve it as a user, in a terminal that no loop and no agent has started: ripple trust")
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

// revoke removes the approvals of a project and of the directories in it, where the settings of the
// project apply too.
func revoke(a *ui.App, store *trust.Store, project string) error {
	all, err := store.All()
	projects := []string{project} // All leaves out what cannot be read
	for _, r := range all {
		if name, inside := projectfile.Relative(project, r.Project); inside && name != "." {
			projects = append(projects, r.Project)
		}
	}
	revoked := false
	for _, p := range projects {
		was, failed := store.Remove(p)
		err = errors.Join(err, failed)
		if was {
			a.Note("no longer trusted: %s", ui.Quote(p))
		}
		revoked = revoked || was
	}
	switch {
	case err != nil:
		return ui.FailWith(ui.ExitFailed, err, "")
	case !revoked:
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
