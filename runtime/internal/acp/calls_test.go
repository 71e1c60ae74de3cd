package acp

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"

	"example.org/ripple/internal/testkit"
	"example.org/ripple/runtime/event"
)

// talks is a client whose events are counted by type.
func talks() (c *Client, told map[event.Type]int) {
	told = map[event.Type]int{}
	return New(Turn{}, Calls{
		Send: func([]byte) {}, Emit: func(e event.Event) { told[e.Type]++ }, Ask: func(event.Question) {}, Close: func(string) {},
		Do: func(string, Work) {}, Printed: func(string) string { return "" }, Tool: func(string) event.Tool { return "" },
	}), told
}

// Calls that are reported and never begin or end are reported as uses, each once, and not
// kept forever.
func TestCallsWithoutAnEnd(t *testing.T) {
	n := testkit.Fewer(t, 1, 3)*maxCalls + 1
	for _, status := range []string{"pending", "in_progress"} {
		c, told := talks()
		for i := range n {
			assert.True(t, c.Line(fmt.Appendf(nil, `{"jsonrpc":"2.0","method":"session/update","params":{"update":{"sessionUpdate":"tool_call","toolCallId":"%d","title":"make","kind":"execute","status":%q}}}`, i, status)))
			assert.LessOrEqual(t, len(c.calls), maxCalls)
		}
		c.calls.announceAll(c)
		assert.Equal(t, n, told[event.ToolUse], status)
	}
}

// Requests that an agent may send again are remembered, up to a limit.
func TestRequestsThatCameAreForgotten(t *testing.T) {
	c, _ := talks()
	for i := range 3 * maxAnswered {
		id := max(20, i) // the first ones use one id
		assert.True(t, c.Line(fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%d,"method":"session/request_permission","params":{"toolCall":{"toolCallId":"%d"},"options":[]}}`, id, i)))
		assert.True(t, c.Answer(fmt.Sprintf("q%d", i+1), event.Answer{}, ""))
		assert.LessOrEqual(t, len(c.came), maxAnswered+1)
		assert.LessOrEqual(t, len(c.settled), maxAnswered)
	}
}
