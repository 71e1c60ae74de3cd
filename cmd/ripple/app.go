package main

import (
	"context"
	"io"

	"ripple/cmd/ripple/internal/ui"
)

// app is what the commands share, with what they do.
type app struct{ *ui.App }

func newApp(stdin io.Reader, stdout, stderr io.Writer, cancel context.CancelCauseFunc) *app {
	return &app{App: ui.NewApp(stdin, stdout, stderr, cancel)}
}
