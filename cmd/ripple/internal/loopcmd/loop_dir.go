package loopcmd

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"example.org/ripple/cmd/ripple/internal/ui"
	"example.org/ripple/internal/layout"
	"example.org/ripple/internal/owner"
)

// loopDir returns the directory of the loop: the working directory, or the nearest parent with a
// loop.
func loopDir() string { return layout.Find(".") }

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
