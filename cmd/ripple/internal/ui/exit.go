package ui

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
)

// Exit codes; "ripple help exit-codes" says what they mean. Those of a loop are
// runtime/loop's; 6 and 7 only it has.
const (
	ExitOK          = 0
	ExitFailed      = 1
	ExitUsage       = 2
	ExitMissing     = 3
	ExitTimeout     = 4
	ExitLimit       = 5
	ExitBlocked     = 8
	ExitInterrupted = 130 // 128 + SIGINT, as shells say it
	ExitPipe        = 141 // 128 + SIGPIPE
)

// ExitError is an error that knows the exit code it leads to. A nil err ends
// the command without a message: everything was said already.
type ExitError struct {
	Code int
	Err  error
	Hint string // what to do next, in one line or several
}

// Error makes it an error.
func (e *ExitError) Error() string {
	if e.Err == nil {
		return fmt.Sprintf("exit code %d", e.Code)
	}
	return e.Err.Error()
}

// Unwrap gives what went wrong.
func (e *ExitError) Unwrap() error { return e.Err }

// ExitWith ends with a code and says nothing more; nil for 0.
func ExitWith(code int) error {
	if code == ExitOK {
		return nil
	}
	return &ExitError{Code: code}
}

// UsageError is a command line that cannot be carried out.
func UsageError(hint, format string, args ...any) error {
	return &ExitError{Code: ExitUsage, Err: fmt.Errorf(format, args...), Hint: hint}
}

// FailWith is an error with the code it leads to and what to do about it.
func FailWith(code int, err error, hint string) error {
	return &ExitError{Code: code, Err: err, Hint: hint}
}

// asExit gives an error its exit code: what no command of ours classified is
// cobra's, and that is always about usage.
func asExit(cmd *cobra.Command, err error) *ExitError {
	if e, ok := errors.AsType[*ExitError](err); ok {
		return e
	}
	if _, flags, is := strings.Cut(err.Error(), "none of the others can be; ["); is {
		flags, _, _ = strings.Cut(flags, "]")
		return &ExitError{Code: ExitUsage, Err: fmt.Errorf("--%s exclude each other", strings.Join(strings.Fields(flags), " and --")), Hint: "give one of them"}
	}
	return &ExitError{Code: ExitUsage, Err: err, Hint: SeeHelp(cmd)}
}
