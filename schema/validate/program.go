package validate

import (
	"errors"
	"fmt"
	"strings"

	"github.com/itchyny/gojq"

	"example.org/ripple/schema/internal/library"
)

// maxProgram bounds a jq program: programs are compiled before anybody trusts a project, in a time that
// grows with the square of their length. The longest one of the adapters that come with ripple has 7 KB.
const maxProgram = 12 << 10

// Program compiles a jq program as an adapter may have it: without the
// environment, further input or modules. The error is a *schema.ProgramError.
func Program(source string) (*gojq.Code, error) {
	if len(source) > maxProgram {
		return nil, &library.ProgramError{Offset: -1, Message: fmt.Sprintf("a program of %d bytes is longer than the limit of %d", len(source), maxProgram)}
	}
	query, err := gojq.Parse(source)
	if e, is := errors.AsType[*gojq.ParseError](err); is {
		return nil, &library.ProgramError{Offset: max(0, e.Offset-len(e.Token)), Message: "bad jq program: " + e.Error()}
	}
	if err != nil {
		return nil, &library.ProgramError{Offset: -1, Message: "bad jq program: " + err.Error()}
	}
	query.FuncDefs = append(boundedFuncs(), query.FuncDefs...)
	code, err := gojq.Compile(query, gojq.WithFunction(boundedName, 0, 0, bounded))
	if err != nil {
		return nil, &library.ProgramError{Offset: whereIs(source, err.Error()), Message: "bad jq program: " + err.Error()}
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
