// Package adaptercmd implements the commands that test, check, list, show and write
// adapters.
package adaptercmd

import "example.org/ripple/cmd/ripple/internal/ui"

// app is the shared state of all commands, with the methods of this package.
type app struct{ *ui.App }
