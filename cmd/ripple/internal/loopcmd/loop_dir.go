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
	"example.org/ripple/internal/projectfile"
	"example.org/ripple/internal/quote"
	"example.org/ripple/runtime/loop"
	"example.org/ripple/runtime/loop/journal"
)

// loopDir returns the directory of the loop: the working directory, or the nearest parent with a
// loop.
func loopDir() string { return layout.Find(".") }

// commandIn returns a command for the directory of a loop, as it is typed in the working directory.
func commandIn(project, command string) string {
	if project == "." {
		return command
	}
	return "cd " + quote.Shell(project) + " && " + command
}

// localNext returns the next step of a loop, with the commands for its directory as they are typed in the working directory, and the
// names of its files there.
func localNext(project, next string) string {
	if project == "." {
		return next
	}
	for _, command := range []string{"ripple run", "ripple init"} {
		next = strings.ReplaceAll(next, "`"+command, "`"+commandIn(project, command))
	}
	return strings.ReplaceAll(next, " "+layout.Dir+"/", " "+filepath.ToSlash(filepath.Join(project, layout.Dir))+"/")
}

// lockedAbove returns the stop of a new loop in project if a loop runs in whose working tree that is, or nil.
func lockedAbove(project string) *loop.Stop {
	if real, err := filepath.EvalSymlinks(project); err == nil {
		project = real
	}
	above, found := layout.Above(project)
	if !found {
		return nil
	}
	store := journal.NewStore(above, nil)
	holder, runs, err := store.Locked()
	if err != nil || !runs {
		return nil
	}
	if _, inside := projectfile.Relative(filepath.Join(above, holder.Dir), project); !inside {
		return nil
	}
	err = &journal.LockedError{Path: store.Path(layout.LockFile), Holder: holder}
	return &loop.Stop{
		Reason: loop.ReasonLocked, Err: err, Fix: "`" + commandIn(above, "ripple stop") + "`",
		Message: sentence(fmt.Sprintf("%v, and %s is in its working tree", err, quote.Name(project))),
	}
}

// noteLoopAbove prints that a loop without files in the working directory is not the one of a parent directory.
func (a *app) noteLoopAbove() {
	above := loopDir()
	if above == "." {
		return
	}
	if _, err := journal.ReadBegan(above); err == nil {
		a.Note("a new loop starts in this directory; to continue the one of %s: %s", quote.Name(above), commandIn(above, "ripple run --resume"))
	}
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
