package schema

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func debugged() *Adapter {
	text := func(s string) *string { return &s }
	return &Adapter{Name: "dbg", Commands: &Commands{Debugger: map[string]*string{
		"step_over": text("next"), "print": text("p {expr}"), "dump": text("pp {expr} {{expr}} ${expr}"),
		"breakpoint_set_line": text("break {file}:{line}"), "locals": nil,
	}}}
}

func TestOperation(t *testing.T) {
	for _, c := range []struct {
		operation string
		arguments map[string]string
		want      string
	}{
		{"step_over", nil, "next"},
		{"print", map[string]string{"expr": "{line} a  b"}, "p {line} a  b"},
		{"dump", map[string]string{"expr": "x"}, "pp x {x} ${expr}"},
		{"breakpoint_set_line", map[string]string{"line": "3", "file": "a b.c"}, "break a b.c:3"},
	} {
		got, err := debugged().Operation(c.operation, c.arguments)
		require.NoError(t, err)
		assert.Equal(t, c.want, got)
	}
}

func TestOperationsThatCannotBeMade(t *testing.T) {
	for _, c := range []struct {
		operation string
		arguments map[string]string
		want      string
	}{
		{"jump", nil, `dbg has no operation "jump"`},
		{"locals", nil, `dbg does not support the operation "locals"`},
		{"step_over", map[string]string{"line": "1"}, "the operation step_over takes no arguments, not line"},
		{"print", map[string]string{"exp": "1"}, `the operation print has no argument "exp"; it takes expr`},
		{"print", nil, "the operation print needs the argument expr: its command is p {expr}"},
		{"print", map[string]string{"expr": " "}, "the operation print needs the argument expr: its command is p {expr}"},
		{"print", map[string]string{"expr": "1\nquit"}, `the operation print takes one line of text for expr, and got "1\nquit"`},
		{"breakpoint_set_line", map[string]string{"file": "a.c"}, "the operation breakpoint_set_line needs the argument line: its command is break {file}:{line}"},
		{"breakpoint_set_line", map[string]string{"files": "a.c"}, `the operation breakpoint_set_line has no argument "files"; it takes file and line`},
	} {
		_, err := debugged().Operation(c.operation, c.arguments)
		assert.EqualError(t, err, c.want)
	}
	_, err := debugged().Operation("jump", nil)
	var e *OperationError
	require.ErrorAs(t, err, &e)
	assert.Equal(t, []string{"breakpoint_set_line", "dump", "print", "step_over"}, e.Supported)

	_, err = (&Adapter{Name: "repl"}).Operation("print", nil)
	assert.EqualError(t, err, `repl has no operation "print"`)
	assert.Empty(t, (&Adapter{}).Operations())
}
