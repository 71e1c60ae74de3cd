package ui

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"example.org/ripple/runtime/agent"
	"example.org/ripple/schema"
)

func TestLinesUnknownToTheAdapter(t *testing.T) {
	const hint = "; to see which: --transcript FILE, then ripple agent map\n"
	for n, want := range []string{
		"",
		"ripple: the adapter does not know 1 line of the agent's output" + hint,
		"ripple: the adapter does not know 2 lines of the agent's output" + hint,
	} {
		var out bytes.Buffer
		NewApp(strings.NewReader(""), &out, &out, func(error) {}).NewTurnView(&schema.Adapter{}, false).Outcome(agent.Outcome{UnknownLines: n})
		assert.Equal(t, want, out.String())
	}
}
