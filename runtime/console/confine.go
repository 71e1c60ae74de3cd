package console

import (
	"errors"

	"example.org/ripple/runtime/sandbox"
)

// confinement describes how a program is confined to a directory; the zero value does not confine it.
type confinement struct {
	enforced *sandbox.Enforced
	through  func(temp string) []string // see session.Options
}

// confine returns the confinement of a spec. words is the command line of a process that calls
// sandbox.Exec with the arguments that follow it.
//
// Errors: *Fault: FaultProgramMissing if this system has no sandbox.
func confine(spec Spec, words []string) (confinement, error) {
	if spec.Sandbox == "" {
		return confinement{}, nil
	}
	e, err := sandbox.Check(spec.Sandbox)
	if errors.Is(err, sandbox.ErrUnavailable) {
		return confinement{}, newFault(FaultProgramMissing, "%v", err)
	}
	if err != nil {
		return confinement{}, err
	}
	return confinement{&e, func(temp string) []string {
		return append(append([]string{}, words...), spec.Sandbox, temp, "--")
	}}, nil
}
