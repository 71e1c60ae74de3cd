package main

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
)

// app is what every command needs to talk: the streams of the process.
type app struct {
	in  io.Reader
	out *output
	err io.Writer

	getenv      func(string) string
	errTerminal bool // standard error is a terminal that understands escapes

	versions map[string]string // of programs that were asked, by their paths
}

func newApp(stdin io.Reader, stdout, stderr io.Writer, cancel context.CancelCauseFunc) *app {
	return &app{
		in: stdin, out: &output{to: stdout, broken: cancel}, err: stderr,
		getenv: os.Getenv, errTerminal: isTerminal(stderr) && os.Getenv("TERM") != "dumb",
	}
}

// isTerminal says whether a stream is a terminal.
func isTerminal(stream any) bool {
	f, ok := stream.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// colour says whether a stream gets colour.
func (a *app) colour(stream any) bool {
	return isTerminal(stream) && a.getenv("NO_COLOR") == "" && a.getenv("TERM") != "dumb"
}

// pages says whether a stream is a terminal that pages can be written to.
func (a *app) pages(stream any) bool { return isTerminal(stream) && a.getenv("TERM") != "dumb" }

// page is one for a stream that is a terminal, as wide as it is now.
func (a *app) page(stream any) page {
	width := 80
	if f, is := stream.(*os.File); is {
		if w, _, err := term.GetSize(int(f.Fd())); err == nil && w > 1 {
			width = w
		}
	}
	return page{width: max(width, 10), colour: a.colour(stream)}
}

// columns is the room on a line of standard error that is rewritten: the last
// column stays free, as some terminals wrap there already.
func (a *app) columns() int {
	if f, is := a.err.(*os.File); is {
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

// printf writes to standard output; output keeps the error for the end.
func (a *app) printf(format string, args ...any) {
	fmt.Fprintf(a.out, format, args...)
}

// printJSON writes one indented JSON value to standard output.
func (a *app) printJSON(v any) error {
	e := json.NewEncoder(a.out)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(v)
}

// note tells something beside the result. Nothing can be done when standard
// error is gone. What programs and models have said may be a part of it.
func (a *app) note(format string, args ...any) { a.say("", fmt.Sprintf(format, args...)) }

func (a *app) say(colour, text string) {
	fmt.Fprintf(a.err, "ripple: %s\n", a.paint(colour, strings.TrimRight(harmless(text), "\n")))
}

// end says what went wrong and gives the exit code.
func (a *app) end(cmd *cobra.Command, err error) int {
	broken := a.out.err()
	switch {
	case errors.Is(broken, syscall.EPIPE):
		return exitPipe
	case broken != nil:
		a.note("writing standard output: %v", broken)
		return exitFailed
	case err == nil:
		return exitOK
	}
	e := asExit(cmd, err)
	if e.err != nil {
		a.say(red, e.err.Error())
	}
	if e.hint != "" {
		fmt.Fprintln(a.err, indent(harmless(e.hint)))
	}
	return e.code
}

const (
	red   = "\x1b[31m"
	dim   = "\x1b[2m"
	reset = "\x1b[m"
)

// paint colours a text for standard error.
func (a *app) paint(colour, text string) string {
	if colour == "" || !a.colour(a.err) {
		return text
	}
	return colour + text + reset
}

func indent(text string) string {
	return "  " + strings.ReplaceAll(strings.TrimRight(text, "\n"), "\n", "\n  ")
}
