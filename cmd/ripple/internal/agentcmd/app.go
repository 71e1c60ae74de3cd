// Package agentcmd are the commands that let a coding agent take a turn, say which can
// be used here, and play a scripted one.
package agentcmd

import "ripple/cmd/ripple/internal/ui"

// app is what all commands share, with what these do.
type app struct{ *ui.App }
