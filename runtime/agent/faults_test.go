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

	"example.org/ripple/internal/testkit"
	"example.org/ripple/runtime/agent"
	"example.org/ripple/runtime/event"
	"example.org/ripple/schema"
)

// A panic of the code that reads an agent's output ends a turn whose question is open, and stops
// asking it: a caller that waits for a person would wait forever.
func TestAPanicDismissesAnOpenQuestion(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), testkit.Patience(time.Minute))
	defer cancel()
	asked, dismissed := make(chan struct{}), make(chan struct{})
	out, err := agent.Run(t.Context(), talking(t, "ask"), agent.Turn{Prompt: "go"}, agent.Options{
		Env: []string{script(t, strings.Replace(asks, "<\ngot\n", "print HERE\\n\nstay\n", 1))}, FaultDir: t.TempDir(), Grace: 100 * time.Millisecond,
		Ask: func(ctx context.Context, _ event.Question) (event.Answer, error) {
			close(asked)
			<-ctx.Done()
			close(dismissed)
			return event.Answer{}, ctx.Err()
		},
		OnEvent: func(e event.Event) {
			if e.Raw == "HERE" {
				<-asked
				panic("broken")
			}
		},
	})
	require.NoError(t, err)
	require.Equal(t, event.Crashed, kind(out))
	assert.Contains(t, out.Failure.Message, "internal error (panic) while reading the agent's output")
	select {
	case <-dismissed:
	case <-ctx.Done():
		t.Fatal("the question is still open")
	}
}

// A panic does not change the result of a turn that has one, or that was ended for another reason.
func TestAPanicAfterTheResult(t *testing.T) {
	for name, tt := range map[string]struct {
		a      *schema.Adapter
		script string
		want   event.Kind
		text   string
	}{
		"a line after the result":                {scripted(t, `say fine; end; echo HERE`), "", "", "fine"},
		"a line after the result, by protocol":   {talking(t, "ask"), "begin\ntext fine\nstop end_turn\nprint HERE\\n", "", "fine"},
		"a line after an interrupt, by protocol": {talking(t, "ask"), "begin\ntext working\n< session/cancel\nprint HERE\\n\nstay", event.Interrupted, "working"},
		"a line before the result, by protocol":  {talking(t, "ask"), "begin\ntext fine\nprint HERE\\n\nstop end_turn", event.Crashed, "fine"},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			o := agent.Options{FaultDir: t.TempDir(), Grace: testkit.Patience(10 * time.Second), Output: writes(func(b []byte) {
				if strings.Contains(string(b), "working") {
					cancel()
				}
			}), OnEvent: func(e event.Event) {
				if e.Raw == "HERE" {
					panic("broken")
				}
			}}
			if tt.script != "" {
				o.Env = []string{script(t, tt.script)}
			}
			out, err := agent.Run(ctx, tt.a, agent.Turn{Prompt: "go"}, o)
			require.NoError(t, err)
			assert.Equal(t, tt.want, kind(out), "%v", out.Failure)
			assert.Equal(t, tt.text, out.Text)
			told := "internal error (panic) while reading the agent's output: the rest of the agent's output was left out"
			if tt.want == event.Crashed {
				assert.Empty(t, out.Problems)
				return
			}
			assert.Contains(t, strings.Join(out.Problems, "\n"), told)
		})
	}
}

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
