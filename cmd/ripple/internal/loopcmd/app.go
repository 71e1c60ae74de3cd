// Package loopcmd are the commands of a loop: begin one, run it, see how it stands, watch
// it and show it again, end it, reset it.
package loopcmd

import "ripple/cmd/ripple/internal/ui"

// app is what all commands share, with what these do.
type app struct{ *ui.App }
