package ui

import (
	"fmt"
	"os"

	"example.org/ripple/runtime/proctree"
)

// Guarded runs a function that starts programs in a second ripple process, so that kill -9 of
// either leaves nothing behind. The outer process starts the same command line again and waits; the
// inner one runs the function. A caller that passes its own streams to Main is not the process to
// start again, so run is called directly.
func (a *App) Guarded(run func() error) error {
	if a.In != os.Stdin || a.Stdout != os.Stdout || a.Raw.Err != os.Stderr {
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

// leastFiles is the number of open files that a session needs, with a margin.
const leastFiles = 16

// enoughFiles checks the limit in advance: without enough files, the Go runtime itself would crash
// with all its stacks.
func enoughFiles() error {
	n, err := openable(leastFiles)
	if err != nil {
		return FailWith(ExitMissing, fmt.Errorf("a session needs %d open files, and only %d are available: %w", leastFiles, n, err),
			"raise the limit: ulimit -n 256")
	}
	return nil
}
