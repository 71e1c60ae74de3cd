package ui

import (
	"fmt"
	"os"

	"ripple/runtime/proctree"
)

// Guarded runs what starts programs in a second process of ours, so that kill
// -9 of either leaves nothing behind. The outer process gets here, starts the
// same command line again and waits; the inner one gets here and runs. Whoever
// calls Main with streams of their own is not the process to be started again.
func (a *App) Guarded(run func() error) error {
	if a.In != os.Stdin || a.Stdout != os.Stdout || a.Err != os.Stderr {
		return run()
	}
	if err := enoughFiles(); err != nil {
		return err
	}
	var err error // of the inner process; the outer one has its exit code
	code := proctree.Guard(func() int { err = run(); return ExitOK })
	if code != ExitOK {
		return ExitWith(code)
	}
	return err
}

// leastFiles is how many files a session may have open at once, and some more.
const leastFiles = 16

// enoughFiles tries it: without them the Go runtime itself would give up, with all
// its stacks.
func enoughFiles() error {
	n, err := room(leastFiles)
	if err != nil {
		return FailWith(ExitMissing, fmt.Errorf("a session needs %d open files, and there is room for %d: %w", leastFiles, n, err),
			"raise the limit: ulimit -n 256")
	}
	return nil
}
