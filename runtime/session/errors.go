package session

import (
	"context"
	"errors"
	"fmt"
	"time"

	"example.org/ripple/schema"
)

// Sentinels for errors.Is.
var (
	// ErrTimeout: the caller's context ended first. The command continues; call Wait or Interrupt.
	ErrTimeout = errors.New("timed out; the command is still running")
	// ErrBusy: a command that timed out is still running.
	ErrBusy = errors.New("a command is still running")
	// ErrTyping: a user is typing at the program's prompt; see Session.Type.
	ErrTyping = errors.New("a user is typing at its prompt")
	// ErrIdle: input was sent while no command runs.
	ErrIdle = errors.New("no command is running")
	// ErrClosed: the session was closed.
	ErrClosed = errors.New("session is closed")
	// ErrIncompleteInput: the code is not complete; see IncompleteError.
	ErrIncompleteInput = errors.New("incomplete input")
	// ErrAgent: the adapter's program takes turns (runtime/agent) and has no prompt at which code
	// could be evaluated.
	ErrAgent = errors.New("a coding agent takes turns and has no session to evaluate code in")
	// ErrNoInterrupt: the adapter declares no safe interrupt.
	ErrNoInterrupt = errors.New("the adapter declares no safe interrupt")
	// ErrExited: the program ended; see ExitError.
	ErrExited = errors.New("the program ended")
	// ErrNotReady: no first prompt; see StartError.
	ErrNotReady = errors.New("no first prompt")
)

// TimeoutError is an ErrTimeout that wraps the context's error.
type TimeoutError struct {
	Err        error
	Waiting    Waiting     // whether the program waits for input
	Stopped    *Process    // the stopped process of the program, which only SIGCONT resumes; nil: none
	Withdrawal *Withdrawal // the key sent to withdraw incomplete input, after which no prompt came; nil: nothing was withdrawn
	Unsent     bool        // the time expired before anything was sent
}

func (e *TimeoutError) Error() string {
	cancelled := !errors.Is(e.Err, context.DeadlineExceeded)
	switch {
	case e.Unsent && cancelled:
		return "canceled before anything was sent"
	case e.Unsent:
		return "timed out before anything was sent"
	case cancelled:
		return "the wait was canceled; the command is still running"
	case e.Withdrawal != nil:
		return fmt.Sprintf("%v: %v, and no prompt followed", ErrTimeout, e.Withdrawal)
	case e.Stopped != nil:
		return fmt.Sprintf("%v, and the program is stopped (%v)", ErrTimeout, e.Stopped)
	case e.Waiting == WaitingNone:
		return ErrTimeout.Error()
	}
	return ErrTimeout.Error() + ", and the program waits for input"
}

// Unwrap gives ErrTimeout and the context's error.
func (e *TimeoutError) Unwrap() []error { return []error{ErrTimeout, e.Err} }

// Withdrawal is the key sent to make a program abandon input that it wants more of.
type Withdrawal struct {
	Key     string // the bytes
	Setting string // the adapter's key that declares it; empty: the adapter has nothing to send
}

const (
	settingEscape    = "prompt.continuation_escape"
	settingInterrupt = "signals.interrupt"
)

// WithdrawalOf returns the adapter's withdrawal: the declared escape, else an interrupt, else the
// end of input.
func WithdrawalOf(a *schema.Adapter) Withdrawal {
	switch s := a.Signals; {
	case a.Prompt.ContinuationEscape != "":
		return Withdrawal{a.Prompt.ContinuationEscape, settingEscape}
	case s.Interrupt != nil:
		return Withdrawal{*s.Interrupt, settingInterrupt}
	case s.EOF != nil:
		return Withdrawal{*s.EOF, "signals.eof"}
	}
	return Withdrawal{}
}

func (w *Withdrawal) String() string {
	if w.Setting == "" {
		return "the program asked for another line, and the adapter has nothing to withdraw the input with" +
			" (prompt.continuation_escape, signals.interrupt or signals.eof)"
	}
	return fmt.Sprintf("the program asked for another line, and %q (%s) was sent to withdraw the input", w.Key, w.Setting)
}

// StartError is returned for a program that did not reach its first prompt. It wraps ErrNotReady
// and the cause: the context's error or the program's.
type StartError struct {
	Adapter        string
	Waited         time.Duration
	Expected       string // the expected prompt, in the adapter's terms
	Output         string // the output of the program instead
	MissingService string // the missing service that the program needs, by ready.needs; empty: that was not the cause
	Err            error
}

func (e *StartError) Error() string {
	text := fmt.Sprintf("%s: no first prompt after %s (waited for %s)", e.Adapter, e.Waited.Round(time.Millisecond), e.Expected)
	if e.MissingService != "" {
		text = fmt.Sprintf("%s: needs %s", e.Adapter, e.MissingService)
	}
	if e.Err == nil || errors.Is(e.Err, context.DeadlineExceeded) {
		return text // the time expired
	}
	return text + ": " + e.Err.Error()
}

// Unwrap gives ErrNotReady and the cause.
func (e *StartError) Unwrap() []error { return []error{ErrNotReady, e.Err} }

// ExitError is returned for a program that has ended; the accompanying Result has its last output.
type ExitError struct {
	Code   int    // exit code; 128+n when signal n ended it; -1: unknown
	Signal string // "SIGKILL", …; empty: it exited by itself

	Withdrawal *Withdrawal // it ended after this withdrawal; nil: its input was not withdrawn
	Unread     bool        // there is no evidence that it read the command before it ended
	Output     string      // everything it printed, if it ended before a command was sent to it
}

func (e *ExitError) Error() string {
	text := fmt.Sprintf("the program ended with exit code %d", e.Code)
	if e.Signal != "" {
		text = "the program was ended by a signal: " + e.Signal
	}
	if e.Unread {
		text += "; there is no evidence that it read the command before that"
	}
	if e.Withdrawal != nil {
		text += fmt.Sprintf(" (before that %v)", e.Withdrawal)
	}
	return text
}

// Is reports whether target is ErrExited.
func (e *ExitError) Is(target error) bool { return target == ErrExited }

// IncompleteError is returned for input that is not complete: the program would wait for more.
type IncompleteError struct {
	Reason  string // the open construct, and its position if known
	Line    int    // 1-based; 0: unknown, the program asked for more
	Column  int
	Excerpt string // the line, with a caret below it; empty if unknown
}

func (e *IncompleteError) Error() string {
	if e.Line > 0 {
		return "incomplete input, nothing was sent: " + e.Reason
	}
	return "incomplete input: " + e.Reason
}

// Is reports whether target is ErrIncompleteInput.
func (e *IncompleteError) Is(target error) bool { return target == ErrIncompleteInput }
