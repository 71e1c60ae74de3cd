package console

import (
	"errors"

	"ripple/runtime/sandbox"
)

// confined is how a program is kept to one directory; the zero value keeps it to none.
type confined struct {
	enforced *sandbox.Enforced
	through  func(temp string) []string // see session.Options
}

// confine says how; words are the command line of a process that calls sandbox.Exec
// with what follows them.
//
// Errors: *Fault: FaultMissing when this system has no sandbox.
func confine(spec Spec, words []string) (confined, error) {
	if spec.Sandbox == "" {
		return confined{}, nil
	}
	e, err := sandbox.Check(spec.Sandbox)
	if errors.Is(err, sandbox.ErrUnavailable) {
		return confined{}, fault(FaultMissing, "%v", err)
	}
	if err != nil {
		return confined{}, err
	}
	return confined{&e, func(temp string) []string {
		return append(append([]string{}, words...), spec.Sandbox, temp, "--")
	}}, nil
}
