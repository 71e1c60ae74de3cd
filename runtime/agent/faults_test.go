//go:build unix

package agent_test

import (
	"context"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.com/ripple/internal/testkit"
	"example.com/ripple/runtime/agent"
	"example.com/ripple/runtime/event"
	"example.com/ripple/schema"
)

const answersOnScreen = `
schema: 1
name: answering
version: 1.0.0
description: answers on its screen
family: agent
process: {executable: sh}
agent:
  transport: screen
  screen:
    args: [-c, "printf '> '; while read -r x; do printf '\\033[1A\\r\\033[K> %s\\n\\nHERE\\n\\n> ' \"$x\"; done"]
    states: [{state: ready, rows: [-1, -1], pattern: '^> $|^>$'}]
    quiet_ms: 50
    prompt: {submit: ["\r"]}
    interrupt: ["\e"]
    leave: ["\x04"]
    text: {below: '^>(?! go)', prompt: '^> '}
`

// A panic while an agent's output is handled fails the turn with words, over each transport. It ends
// neither the program nor the next turn.
func TestAPanicFailsTheTurn(t *testing.T) {
	onScreen, ds := schema.Parse("answering", []byte(answersOnScreen), schema.Options{})
	require.Empty(t, ds)
	for name, tt := range map[string]struct {
		a     *schema.Adapter
		o     agent.Options
		doing string
	}{
		"lines":    {scripted(t, `say HERE; end`), agent.Options{}, "reading the agent's output"},
		"protocol": {talking(t, "ask"), agent.Options{Env: []string{script(t, "begin\ntext HERE\nstop end_turn")}}, "reading the agent's output"},
		"screen":   {onScreen, agent.Options{}, "reading the agent's answer"},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), testkit.Patience(time.Minute))
			defer cancel()
			turn := func(panics bool) agent.Outcome {
				o := tt.o
				o.FaultDir, o.Grace = t.TempDir(), 100*time.Millisecond
				o.OnEvent = func(e event.Event) {
					if panics && strings.Contains(e.Text, "HERE") {
						panic("broken")
					}
				}
				out, err := agent.Run(ctx, tt.a, agent.Turn{Prompt: "go"}, o)
				require.NoError(t, err)
				return out
			}
			out := turn(true)
			require.Equal(t, event.Crashed, kind(out))
			notice, name, named := strings.Cut(out.Failure.Message, "; please report it with ")
			assert.Equal(t, "internal error (panic) while "+tt.doing+": the turn was ended", notice)
			require.True(t, named)
			report, err := os.ReadFile(name)
			require.NoError(t, err)
			assert.Contains(t, string(report), "broken")
			assert.Contains(t, string(report), "runtime/agent")

			out = turn(false)
			assert.True(t, out.OK(), "%v", out.Failure)
			assert.Contains(t, out.Text, "HERE")
		})
	}
}
