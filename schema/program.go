package schema

import (
	"errors"
	"fmt"
	"strings"

	"github.com/itchyny/gojq"
)

// maxProgram bounds a jq program.
const maxProgram = 100_000

// ProgramError is an error of a jq program; Offset counts bytes, -1 is unknown.
type ProgramError struct {
	Offset  int
	Message string
}

func (e *ProgramError) Error() string { return e.Message }

// CompileProgram compiles a jq program as an adapter may have it: without the
// environment, further input or modules. The error is a *ProgramError.
func CompileProgram(source string) (*gojq.Code, error) {
	if len(source) > maxProgram {
		return nil, &ProgramError{-1, fmt.Sprintf("a program of %d bytes is longer than the limit of %d", len(source), maxProgram)}
	}
	query, err := gojq.Parse(source)
	if e, is := errors.AsType[*gojq.ParseError](err); is {
		return nil, &ProgramError{max(0, e.Offset-len(e.Token)), "bad jq program: " + e.Error()}
	}
	if err != nil {
		return nil, &ProgramError{-1, "bad jq program: " + err.Error()}
	}
	code, err := gojq.Compile(query)
	if err != nil {
		return nil, &ProgramError{whereIs(source, err.Error()), "bad jq program: " + err.Error()}
	}
	return code, nil
}

// whereIs finds the name that the compiler complains about, which it gives
// without a place ("function not defined: foo/1", "variable not defined: $x").
func whereIs(source, message string) int {
	_, name, found := strings.Cut(message, ": ")
	if !found {
		return -1
	}
	name, _, _ = strings.Cut(name, "/")
	return strings.Index(source, name)
}

func checkProgram(s string) error {
	_, err := CompileProgram(s)
	return err
}
