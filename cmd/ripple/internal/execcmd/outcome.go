package execcmd

import (
	"context"
	"errors"
	"fmt"
	"time"

	"example.org/ripple/cmd/ripple/internal/ui"
	"example.org/ripple/runtime/launch"
	"example.org/ripple/runtime/session"
)

// outcome is the result of one command.
type outcome struct {
	result session.Result
	err    error
}

// code is the exit code that it leads to.
func (o outcome) code() int {
	exit, exited := errors.AsType[*session.ExitError](o.err)
	switch {
	case exited && exit.Unread:
		return ui.ExitFailed
	case exited && exit.Signal != "":
		return 128 + signalNumber(exit.Signal)
	case exited:
		return exit.Code
	case errors.Is(o.err, context.Canceled):
		return ui.ExitInterrupted
	case errors.Is(o.err, session.ErrTimeout), errors.Is(o.err, errNoInput), o.stopped() != nil:
		return ui.ExitTimeout
	case o.err != nil:
		return ui.ExitFailed
	case o.result.ExitCode != nil:
		return *o.result.ExitCode
	case o.result.CompletedBy == session.ByInterrupt:
		return ui.ExitInterrupted
	case o.result.Failed:
		return ui.ExitFailed
	}
	return ui.ExitOK
}

// final reports whether no further command can run.
func (o outcome) final() bool {
	return o.err != nil && !errors.Is(o.err, session.ErrIncompleteInput)
}

// record is one line of --json: a result, and what went wrong.
type record struct {
	session.Result
	Failure string `json:"failure,omitempty"`
	// Stopped is the stopped process because of which the command did not end.
	Stopped *session.Process `json:"stopped,omitempty"`
}

// stopped returns the stopped process because of which the command did not end; nil: none.
func (o outcome) stopped() *session.Process {
	if late, is := errors.AsType[*session.TimeoutError](o.err); is {
		return late.Stopped
	}
	if given, is := errors.AsType[*stoppedError](o.err); is {
		return given.process
	}
	return nil
}

// record returns the record that --json prints.
func (o outcome) record() record {
	r := record{Result: o.result, Stopped: o.stopped()}
	if o.err != nil {
		r.Failure = o.err.Error()
		r.Failed = r.Failed || o.code() != ui.ExitOK
	}
	return r
}

// explain returns the reason why no further command can run. A program that ended by itself in a
// command is not an error to report: it comes with its exit code, 0 included.
func (o outcome) explain(timeout time.Duration) error {
	code := o.code()
	exit, exited := errors.AsType[*session.ExitError](o.err)
	late, isLate := errors.AsType[*session.TimeoutError](o.err)
	switch {
	case exited && exit.Withdrawal != nil:
		return ui.FailWith(code, o.err, withdrawalHint)
	case exited && exit.Unread:
		return ui.FailWith(code, o.err, "possible cause: its standard input is not the terminal")
	case exited && exit.Output != "":
		return ui.FailWith(code, o.err, "it printed:\n"+ui.Indent(exit.Output))
	case exited && exit.Signal == "" && o.result.CompletedBy == session.ByExit:
		return &ui.ExitError{Code: code}
	case !isLate && o.stopped() != nil:
		return ui.FailWith(code, o.err, stoppedHint)
	case errors.Is(o.err, errNoInput) && o.result.Screen:
		return ui.FailWith(code, errNoInput, screenHint)
	case errors.Is(o.err, errNoInput):
		return ui.FailWith(code, o.err, inputHint)
	case isLate && late.Unsent:
		return ui.FailWith(code, o.err, "to give it more time: --timeout DURATION")
	case isLate && late.Withdrawal != nil:
		return ui.FailWith(code, fmt.Errorf("the command did not end within %s: %v, and no prompt followed", timeout, late.Withdrawal), withdrawalHint)
	case isLate:
		return ui.FailWith(code, fmt.Errorf("the command did not end within %s", timeout),
			o.soFar()+"; "+advice(late))
	}
	return ui.FailWith(code, o.err, "")
}

const inputHint = "the standard input of ripple is not passed on: write < FILE, a pipe or a here-document in the code, or run ripple in a terminal"

const screenHint = "it draws on the whole screen, as editors and pagers do: run ripple in a terminal, or use a console (ripple console --help)"

const stoppedHint = "a command has stopped the program, with kill -STOP or suspend; leave that command out, or continue the program from elsewhere with kill -CONT"

// advice says what to do about a command that did not end in time.
func advice(late *session.TimeoutError) string {
	switch {
	case late.Stopped != nil:
		return fmt.Sprintf("the program is stopped (%v): %s", late.Stopped, stoppedHint)
	case late.Waiting != session.WaitingNone:
		return "the program waits for input: " + inputHint
	}
	return "to give it more time: --timeout DURATION"
}

const withdrawalHint = "send complete input; to let the adapter discard an unfinished line: declare the key that does it as prompt.continuation_escape"

// soFar says where the output of a command is that did not end.
func (o outcome) soFar() string {
	switch {
	case o.result.Screen:
		return "it draws on the whole screen, as editors and pagers do; its screen is shown above"
	case o.result.Bytes == 0:
		return "it printed nothing"
	}
	return "its output so far is above"
}

// startError explains why a session did not start.
func startError(err error) error {
	missing, isMissing := errors.AsType[*launch.MissingError](err)
	_, isDir := errors.AsType[*launch.DirError](err)
	start, isStart := errors.AsType[*session.StartError](err)
	switch {
	case isMissing:
		return ui.FailWith(ui.ExitMissing, missing, "")
	case errors.Is(err, session.ErrAgent):
		return ui.FailWith(ui.ExitFailed, fmt.Errorf("%w: use ripple agent run", err), "")
	case isDir:
		return ui.FailWith(ui.ExitUsage, err, "")
	case !isStart:
		return ui.FailWith(ui.ExitFailed, err, "")
	}
	hint := "it printed nothing"
	if start.Output != "" {
		hint = "it printed:\n" + ui.Indent(start.Output)
	}
	if start.MissingService != "" {
		return ui.FailWith(ui.ExitMissing, err, hint)
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return ui.FailWith(ui.ExitTimeout, err, hint+"\nto give it more time: --ready-timeout DURATION")
	}
	return ui.FailWith(ui.ExitFailed, err, hint)
}
