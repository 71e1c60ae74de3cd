// Package ui contains the shared parts of the commands: the streams and how they are written to,
// errors with their exit codes and hints, the lookup of adapters, and the views of a turn.
//
// Conventions for the output of ripple:
//
//   - Standard output carries the requested result and nothing else. Progress,
//     hints, notices and errors go to standard error.
//   - An error says what failed and where, and on a line of its own what to do
//     next. A mistake in the command line does not print the usage text.
//   - Color and rewritten lines are for terminals. NO_COLOR and TERM=dumb are
//     respected; output to a pipe is plain text, line by line.
//   - Machine-readable output (--json, --report) is never mixed with other text
//     and does not depend on a terminal.
//   - The only question is whether a project is trusted: every answer that ripple
//     needs has a flag.
//   - When the reader of standard output goes away, ripple cleans up and exits
//     silently.
package ui

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"text/tabwriter"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"example.org/ripple/runtime/launch"
)

// Environment is the process environment, on which the output to a terminal depends.
type Environment struct{ Getenv func(string) string }

// App holds the streams of the process and the shared state of the commands.
type App struct {
	Environment
	In     io.Reader
	Out    io.Writer // standard output; its first error stops the command
	Err    io.Writer // standard error
	Stdout io.Writer // the stream below Out, to check whether it is a terminal

	// Out and Err remove control sequences when they write to a terminal. Raw is for output that
	// controls the terminal, or is a program's unmodified output.
	Raw Streams

	ErrTerminal bool // standard error is a terminal that supports escape sequences

	failure  *failure
	Examiner launch.Examiner
	Trust    *Trust
}

// Streams are standard output and standard error.
type Streams struct{ Out, Err io.Writer }

// NewApp returns an App for these streams; cancel is called with the first error of stdout.
func NewApp(stdin io.Reader, stdout, stderr io.Writer, cancel context.CancelCauseFunc) *App {
	f := &failure{broken: cancel}
	a := &App{
		In: stdin, Out: &output{shown(stdout), f}, Err: shown(stderr), Stdout: stdout, failure: f,
		Raw:         Streams{&output{stdout, f}, stderr},
		Environment: Environment{os.Getenv}, ErrTerminal: IsTerminal(stderr) && os.Getenv("TERM") != "dumb",
	}
	a.Trust = &Trust{getenv: a.Getenv, in: stdin, err: a.Err, note: a.Note}
	a.Trust.origin = sync.OnceValue(func() *Origin { return findOrigin(a.Getenv) })
	return a
}

// OnStdout returns an App whose messages go to standard output, too: for a command that prints a
// record of messages.
func (a *App) OnStdout() *App {
	one := *a
	one.Err, one.Raw.Err, one.ErrTerminal = a.Out, a.Raw.Out, a.pages(a.Stdout)
	return &one
}

// IsTerminal reports whether a stream is a terminal.
func IsTerminal(stream any) bool {
	f := fileOf(stream)
	return f != nil && term.IsTerminal(int(f.Fd()))
}

// Color reports whether a stream gets color.
func (e Environment) Color(stream any) bool {
	return IsTerminal(stream) && e.Getenv("NO_COLOR") == "" && e.Getenv("TERM") != "dumb"
}

// pages reports whether a stream is a terminal that supports pages.
func (e Environment) pages(stream any) bool { return IsTerminal(stream) && e.Getenv("TERM") != "dumb" }

// page returns a page for a terminal, with its current width.
func (e Environment) page(stream any) Page {
	return Page{Width: max(width(stream), 10), Color: e.Color(stream)}
}

// width returns the columns of a terminal; 80 if they are unknown.
func width(stream any) int {
	if f := fileOf(stream); f != nil {
		if w, _, err := term.GetSize(int(f.Fd())); err == nil && w > 1 {
			return w
		}
	}
	return 80
}

// Columns returns the usable width of a rewritten line on standard error: the last column stays
// free, because some terminals wrap there already.
func (a *App) Columns() int { return width(a.Err) - 1 }

// output is standard output. The first error stops the command, because nobody sees further output.
type output struct {
	to io.Writer
	*failure
}

// failure is the first error of standard output.
type failure struct {
	broken context.CancelCauseFunc

	// Not a lock: a Write may block when the end of the command reads the error.
	failed atomic.Pointer[error]
}

// Write implements io.Writer.
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

// err returns the error, or nil.
func (f *failure) err() error {
	if err := f.failed.Load(); err != nil {
		return *err
	}
	return nil
}

// OutError returns the first error of standard output, or nil.
func (a *App) OutError() error { return a.failure.err() }

// Printf writes to standard output; errors are reported by OutError.
func (a *App) Printf(format string, args ...any) {
	fmt.Fprintf(a.Out, format, args...)
}

// PrintTable prints tab-separated cells in aligned columns on standard output. It makes one write,
// where a tabwriter makes one for each cell.
func (a *App) PrintTable(print func(io.Writer)) error {
	var lines bytes.Buffer
	w := tabwriter.NewWriter(&lines, 0, 0, 2, ' ', 0)
	print(w)
	_ = w.Flush() // a buffer never fails
	_, err := lines.WriteTo(a.Out)
	return err
}

// PrintJSON writes one indented JSON value to standard output.
func (a *App) PrintJSON(v any) error {
	e := json.NewEncoder(a.Out)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(v)
}

// Note prints a message on standard error, ignoring write errors. The message may contain text of
// programs and models.
func (a *App) Note(format string, args ...any) { a.say("", fmt.Sprintf(format, args...)) }

func (a *App) say(color, text string) {
	fmt.Fprintf(a.Err, "ripple: %s\n", a.Paint(color, strings.TrimRight(Harmless(text), "\n")))
}

// End reports an error and returns the exit code.
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

// Rewrite replaces the current line of standard error; text is at most one line. It is for
// terminals.
func (a *App) Rewrite(text string) {
	fmt.Fprint(a.Raw.Err, "\r\x1b[K")
	fmt.Fprint(a.Err, text)
}

// Paint adds color to a text for standard error.
func (a *App) Paint(color, text string) string {
	if color == "" || !a.Color(a.Err) {
		return text
	}
	return color + text + reset
}

// Interactive reports whether standard input and output are a terminal.
func (a *App) Interactive() bool {
	return IsTerminal(a.In) && a.pages(a.Stdout)
}
