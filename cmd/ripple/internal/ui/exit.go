package ui

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
)

// Exit codes; "ripple help exit-codes" describes them. The codes of a loop are defined in
// runtime/loop; only a loop uses 6 and 7.
const (
	ExitOK          = 0
	ExitFailed      = 1
	ExitUsage       = 2
	ExitMissing     = 3
	ExitTimeout     = 4
	ExitLimit       = 5
	ExitBlocked     = 8
	ExitInterrupted = 130 // 128 + SIGINT, as in shells
	ExitPipe        = 141 // 128 + SIGPIPE
)

// ExitError is an error with an exit code. A nil Err ends the command without a message: everything
// has been printed already.
type ExitError struct {
	Code int
	Err  error
	Hint string // what to do next, in one or more lines
}

// Error implements error.
func (e *ExitError) Error() string {
	if e.Err == nil {
		return fmt.Sprintf("exit code %d", e.Code)
	}
	return e.Err.Error()
}

// Unwrap returns the underlying error.
func (e *ExitError) Unwrap() error { return e.Err }

// ExitWith returns an error that ends with a code and no message; nil for 0.
func ExitWith(code int) error {
	if code == ExitOK {
		return nil
	}
	return &ExitError{Code: code}
}

// UsageError returns an error for an invalid command line.
func UsageError(hint, format string, args ...any) error {
	return &ExitError{Code: ExitUsage, Err: fmt.Errorf(format, args...), Hint: hint}
}

// FailWith returns an error with an exit code and a hint.
func FailWith(code int, err error, hint string) error {
	return &ExitError{Code: code, Err: err, Hint: hint}
}

// asExit returns the exit code of an error: unclassified errors come from cobra, and are usage
// errors.
func asExit(cmd *cobra.Command, err error) *ExitError {
	if e, ok := errors.AsType[*ExitError](err); ok {
		return e
	}
	if _, flags, is := strings.Cut(err.Error(), "none of the others can be; ["); is {
		flags, _, _ = strings.Cut(flags, "]")
		return &ExitError{Code: ExitUsage, Err: fmt.Errorf("--%s cannot be combined", strings.Join(strings.Fields(flags), " and --")), Hint: "give one of them"}
	}
	return &ExitError{Code: ExitUsage, Err: err, Hint: SeeHelp(cmd)}
}
