// Package ui is what the commands of ripple share: the streams and how they are
// written to, errors with their exit codes and hints, adapters by their names, and the
// views of a turn.
//
// How ripple talks:
//
//   - Standard output carries what was asked for and nothing else. Progress,
//     hints, notices and errors go to standard error.
//   - An error says what failed and where, and on a line of its own what to do
//     next. A mistake in the command line gets no wall of usage text.
//   - Colour and lines that rewrite themselves are for terminals. NO_COLOR and
//     TERM=dumb are respected; what is piped is plain text, line by line.
//   - What a program is to read (--json, --report) is never mixed with text for
//     people and does not depend on a terminal.
//   - Nothing is asked: every answer that ripple needs has a flag.
//   - When the reader of standard output goes away, ripple cleans up and ends
//     in silence.
package ui

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync/atomic"
	"syscall"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"ripple/runtime/checkup"
)

// Environment is what the process was given; of it depends what a terminal gets.
type Environment struct{ Getenv func(string) string }

// App is what every command needs to talk: the streams of the process.
type App struct {
	Environment
	In     io.Reader
	Out    io.Writer // standard output; its first error stops the command
	Err    io.Writer
	Stdout io.Writer // what Out writes to: to see whether it is a terminal

	ErrTerminal bool // standard error is a terminal that understands escapes

	output   *output
	examiner checkup.Examiner
}

// NewApp talks on these streams; cancel is called with the first error of stdout.
func NewApp(stdin io.Reader, stdout, stderr io.Writer, cancel context.CancelCauseFunc) *App {
	out := &output{to: stdout, broken: cancel}
	return &App{
		In: stdin, Out: out, Err: stderr, Stdout: stdout, output: out,
		Environment: Environment{os.Getenv}, ErrTerminal: IsTerminal(stderr) && os.Getenv("TERM") != "dumb",
	}
}

// IsTerminal says whether a stream is a terminal.
func IsTerminal(stream any) bool {
	f, ok := stream.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// Colour says whether a stream gets colour.
func (e Environment) Colour(stream any) bool {
	return IsTerminal(stream) && e.Getenv("NO_COLOR") == "" && e.Getenv("TERM") != "dumb"
}

// pages says whether a stream is a terminal that pages can be written to.
func (e Environment) pages(stream any) bool { return IsTerminal(stream) && e.Getenv("TERM") != "dumb" }

// page is one for a stream that is a terminal, as wide as it is now.
func (e Environment) page(stream any) Page {
	width := 80
	if f, is := stream.(*os.File); is {
		if w, _, err := term.GetSize(int(f.Fd())); err == nil && w > 1 {
			width = w
		}
	}
	return Page{Width: max(width, 10), Colour: e.Colour(stream)}
}

// Columns is the room on a line of standard error that is rewritten: the last
// column stays free, as some terminals wrap there already.
func (a *App) Columns() int {
	if f, is := a.Err.(*os.File); is {
		if width, _, err := term.GetSize(int(f.Fd())); err == nil && width > 1 {
			return width - 1
		}
	}
	return 79
}

// output is standard output. The first error stops the command: writing on
// would be work that nobody sees.
type output struct {
	to     io.Writer
	broken context.CancelCauseFunc

	// A lock would not do: a Write may be stuck when the end asks for the error.
	failed atomic.Pointer[error]
}

// Write makes it an io.Writer.
func (o *output) Write(b []byte) (int, error) {
	if err := o.err(); err != nil {
		return 0, err
	}
	n, err := o.to.Write(b)
	if err != nil {
		o.failed.CompareAndSwap(nil, &err)
		o.broken(err)
	}
	return n, err
}

// err is what went wrong with standard output.
func (o *output) err() error {
	if err := o.failed.Load(); err != nil {
		return *err
	}
	return nil
}

// OutError is what went wrong with standard output, nil for nothing.
func (a *App) OutError() error { return a.output.err() }

// Printf writes to standard output; output keeps the error for the end.
func (a *App) Printf(format string, args ...any) {
	fmt.Fprintf(a.Out, format, args...)
}

// PrintJSON writes one indented JSON value to standard output.
func (a *App) PrintJSON(v any) error {
	e := json.NewEncoder(a.Out)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(v)
}

// Note tells something beside the result. Nothing can be done when standard
// error is gone. What programs and models have said may be a part of it.
func (a *App) Note(format string, args ...any) { a.say("", fmt.Sprintf(format, args...)) }

func (a *App) say(colour, text string) {
	fmt.Fprintf(a.Err, "ripple: %s\n", a.Paint(colour, strings.TrimRight(Harmless(text), "\n")))
}

// End says what went wrong and gives the exit code.
func (a *App) End(cmd *cobra.Command, err error) int {
	broken := a.OutError()
	switch {
	case errors.Is(broken, syscall.EPIPE):
		return ExitPipe
	case broken != nil:
		a.Note("writing standard output: %v", broken)
		return ExitFailed
	case err == nil:
		return ExitOK
	}
	e := asExit(cmd, err)
	if e.Err != nil {
		a.say(Red, e.Err.Error())
	}
	if e.Hint != "" {
		fmt.Fprintln(a.Err, Indent(Harmless(e.Hint)))
	}
	return e.Code
}

const (
	Red   = "\x1b[31m"
	Dim   = "\x1b[2m"
	reset = "\x1b[m"
)

// Paint colours a text for standard error.
func (a *App) Paint(colour, text string) string {
	if colour == "" || !a.Colour(a.Err) {
		return text
	}
	return colour + text + reset
}

// Interactive says that a person sits before both standard streams.
func (a *App) Interactive() bool {
	in, isFile := a.In.(*os.File)
	return isFile && term.IsTerminal(int(in.Fd())) && a.outTerminal() && a.Getenv("TERM") != "dumb"
}

// outTerminal says that standard output is a terminal.
func (a *App) outTerminal() bool {
	out, isFile := a.Stdout.(*os.File)
	return isFile && term.IsTerminal(int(out.Fd()))
}
