// Package adaptercmd are the commands that test, check, list, show and write adapters.
package adaptercmd

import "ripple/cmd/ripple/internal/ui"

// app is what all commands share, with what these do.
type app struct{ *ui.App }
