package loop

import (
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"

	"example.org/ripple/internal/testkit"
	"example.org/ripple/runtime/event"
)

// Only text in the agent's own answer has an effect.
func TestOnlyTheAgentsOwnWordsCount(t *testing.T) {
	t.Parallel()
	prompt := "Work.\n\nWhen all is done, end with:\n" + complete
	pieces := testkit.Fewer(t, 2, testkit.Times(t, 16, 40))
	tests := []struct {
		name string
		turn func(*doing)
		want string
	}{
		{"the prompt echoed", func(d *doing) { d.work(); d.says(d.r.Prompt) }, "max_turns"},
		{"the prompt echoed, then an answer", func(d *doing) { d.work(); d.says(d.r.Prompt + "\nI am at it.\n" + ofBlock("STATUS: IN_PROGRESS")) }, "max_turns"},
		{"a file that a tool read", func(d *doing) {
			d.work()
			d.event(event.Event{Type: event.ToolResult, Content: complete + "LOOP_COMPLETE\n"})
			d.says("I read the notes.")
		}, "max_turns"},
		{"thoughts", func(d *doing) { d.work(); d.event(event.Event{Type: event.Reasoning, Text: complete}); d.says("ok") }, "max_turns"},
		{"a line that nobody knows", func(d *doing) { d.work(); d.event(event.Event{Type: event.Unknown, Raw: complete}); d.says("ok") }, "max_turns"},
		{"a block in two pieces of text", func(d *doing) {
			d.work()
			d.says(blockBegin + "\nSTATUS: COMPLETE")
			d.says("EXIT_SIGNAL: true\n" + blockEnd)
		}, "project_complete"},
		{"two blocks, the first is done", func(d *doing) { d.work(); d.says(complete + ofBlock("STATUS: IN_PROGRESS")) }, "max_turns"},
		{"two blocks, the last is done", func(d *doing) { d.work(); d.says(ofBlock("STATUS: IN_PROGRESS") + "and now\n" + complete) }, "project_complete"},
		{"only the final message", func(d *doing) { d.work(); d.out.Text = "done\n" + complete }, "project_complete"},
		{"a megabyte before it", func(d *doing) {
			d.work()
			for range pieces {
				d.says(string(make([]byte, 64<<10)))
			}
			d.says("\n" + complete)
		}, "project_complete"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t, tt.turn)
				r.flags["max-turns"] = "3"
				r.write(".ralph/PROMPT.md", prompt)
				assert.Equal(t, tt.want, r.run().Reason)
			})
		})
	}
}
