package ui

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"example.org/ripple/cmd/ripple/internal/trust"
	"example.org/ripple/internal/projectfile"
)

// noHome is the annotation of the commands that WithoutHome has marked.
const noHome = "ripple_without_home"

// WithoutHome marks a command that needs none of the user's files: it only prints, is a process of another command, or calls CheckHome itself.
func WithoutHome(cmd *cobra.Command) *cobra.Command {
	cmd.Annotations = map[string]string{noHome: ""}
	return cmd
}

// CheckHomeOf is CheckHome for a command that is about to run, with its --cwd, unless WithoutHome has marked it.
func (t *Trust) CheckHomeOf(cmd *cobra.Command) error {
	if _, without := cmd.Annotations[noHome]; without {
		return nil
	}
	cwd, _ := cmd.Flags().GetString("cwd") // most commands have no such flag
	return t.CheckHome(cwd)
}

// CheckHome returns an error if HOME, or another variable that names files of the user, leads into a project, and the user has not approved
// that: all files there would be the user's, such as settings of git and shells, programs, and records of consoles. Commands of a loop or an
// agent have the variables with which that was allowed to start. cwd is a directory of which relative values may be meant, too, beside the current one.
func (t *Trust) CheckHome(cwd string) error {
	homes := projectfile.Homes(t.getenv, ".", cmp.Or(cwd, "."))
	if len(homes) == 0 || t.mode() == trustAlways || t.Origin() != nil {
		return nil
	}
	for _, home := range homes {
		if home.Err != nil {
			return FailWith(ExitUsage, fmt.Errorf("%s leads to a place that cannot be examined: %w", home.Variable, home.Err),
				"set "+home.Variable+" to a directory outside of all projects")
		}
		record, err := t.usable(home.Project)
		if len(record.Missing(homeItems(home))) > 0 {
			return FailWith(ExitUsage, errors.Join(err, fmt.Errorf("%s leads into a project, %s, and that has not been approved: what is in %s would count as yours",
				home.Variable, Quote(home.Project), Quote(home.Path))), "set "+home.Variable+" to a directory outside of it, or approve it\n"+howToAgree(t))
		}
	}
	return nil
}

// Homes returns the items of the places of the user that projects have, by the directories of the projects.
func (t *Trust) Homes() map[string][]trust.Item {
	all := map[string][]trust.Item{}
	for _, home := range projectfile.Homes(t.getenv, ".") {
		if home.Err == nil {
			all[home.Project] = append(all[home.Project], homeItems(home)...)
		}
	}
	return all
}

func homeItems(home projectfile.Home) []trust.Item {
	return []trust.Item{trust.NewHome(home.Project, home.Path, home.Variable)}
}
