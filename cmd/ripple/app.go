package main

import (
	"context"
	"io"

	"ripple/cmd/ripple/internal/ui"
)

// app is what the commands share, with what they do.
type app struct {
	*ui.App

	versions map[string]string // of programs that were asked, by their paths
}

func newApp(stdin io.Reader, stdout, stderr io.Writer, cancel context.CancelCauseFunc) *app {
	return &app{App: ui.NewApp(stdin, stdout, stderr, cancel)}
}
