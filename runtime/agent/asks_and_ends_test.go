//go:build unix

package agent_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"example.org/ripple/runtime/agent"
	"example.org/ripple/runtime/event"
)

// An agent exits, or closes one of its streams, while its question is open: the question is
// withdrawn if an answer can no longer be delivered, and the turn ends; clocks paused for the
// question delay nothing.
func TestAnAgentAsksAndEnds(t *testing.T) {
	leavesNoProcess(t)
	for name, c := range map[string]struct {
		then    string
		kind    event.Kind
		message string
	}{
		"it exits":          {"exit 3", event.Crashed, "the agent ended without an answer to session/prompt"},
		"it exits well":     {"exit 0", event.Crashed, "the agent ended without an answer to session/prompt"},
		"its output closes": {"close\nstay", event.Crashed, "the agent closed its output without an answer to session/prompt"},
		"its turn ends":     {"stop end_turn", "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			taken := make(chan struct{})
			out, _ := playBeside(t.Context(), t, talking(t, "ask"), agent.Turn{Prompt: "go"}, agent.Options{
				Env:     []string{script(t, "begin\n> "+makeIt+"\n"+c.then)},
				Timeout: time.Minute,
				Ask: func(ctx context.Context, _ event.Question) (event.Answer, error) {
					<-ctx.Done()
					close(taken)
					return event.Answer{}, ctx.Err()
				},
			})
			<-taken
			assert.Equal(t, c.kind, kind(out))
			if c.message != "" {
				assert.True(t, strings.HasPrefix(out.Failure.Message, c.message), out.Failure.Message)
			}
			assert.Less(t, out.Duration, 30*time.Second)
		})
	}
	t.Run("its input closes", func(t *testing.T) {
		t.Parallel()
		out, _ := playBeside(t.Context(), t, talking(t, "ask"), agent.Turn{Prompt: "go"}, agent.Options{
			Env:     []string{script(t, "begin\nshut\n> "+makeIt+"\ntext on\nstop end_turn\nstay")},
			Timeout: time.Minute,
			Ask: func(context.Context, event.Question) (event.Answer, error) {
				return event.Answer{Option: "y"}, nil
			},
		})
		assert.Nil(t, out.Failure)
		assert.Equal(t, "on", out.Text)
	})
}
