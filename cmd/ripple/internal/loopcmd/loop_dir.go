package loopcmd

import "example.org/ripple/internal/layout"

// loopDir returns the directory of the loop: the working directory, or the nearest parent with a
// loop.
func loopDir() string { return layout.Find(".") }
