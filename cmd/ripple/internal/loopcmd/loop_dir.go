package loopcmd

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"example.org/ripple/cmd/ripple/internal/ui"
	"example.org/ripple/internal/layout"
	"example.org/ripple/internal/owner"
	"example.org/ripple/internal/quote"
)

// loopDir returns the directory of the loop: the working directory, or the nearest parent with a
// loop.
func loopDir() string { return layout.Find(".") }

// inProject returns a command for the directory of a loop, as it is typed in the working directory.
func inProject(project, command string) string {
	if project == "." {
		return command
	}
	return "cd " + quote.Shell(project) + " && " + command
}

// nextHere is the next step of a loop, with the commands for its directory as they are typed in the working directory.
func nextHere(project, next string) string {
	for _, command := range []string{"ripple run", "ripple init"} {
		next = strings.ReplaceAll(next, "`"+command, "`"+inProject(project, command))
	}
	return next
}

// checkWritable returns an error if the user cannot write a loop's files in a project, so that no question is asked before
// the loop is refused.
func checkWritable(project string) error {
	home := filepath.Join(project, layout.Dir)
	for _, path := range []string{home, filepath.Join(home, layout.LockFile), filepath.Join(home, layout.EventsFile)} {
		if err := owner.CheckWritable(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return ui.FailWith(ui.ExitFailed, fmt.Errorf("%s cannot be written: %w", path, err), ui.WriteHint(err, "run the loop as the owner of "+layout.Dir+" and the files in it, or in a directory that you may write"))
		}
	}
	if err := owner.CheckWritable(home); errors.Is(err, fs.ErrNotExist) {
		if err := owner.CheckWritable(project); err != nil {
			return ui.FailWith(ui.ExitFailed, fmt.Errorf("%s cannot be written: %w", project, err), ui.WriteHint(err, ui.OwnDirectoryHint))
		}
	}
	return nil
}
