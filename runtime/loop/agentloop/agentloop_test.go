package agentloop

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/runtime/event"
	"example.org/ripple/runtime/loop"
	"example.org/ripple/schema"
)

func adapter(options schema.AgentOptions) *schema.Adapter {
	return &schema.Adapter{Name: "none", Process: schema.Process{Executable: "none-such", CommandTemplate: "{shell_path}"}, Agent: &schema.Agent{Options: options}}
}

func TestATurnUsesTheAdaptersOptions(t *testing.T) {
	option := &schema.AgentOption{}
	r := loop.Request{Prompt: "work", Context: "turn 2", SessionID: "s1"}
	for _, tt := range []struct {
		name                    string
		options                 schema.AgentOptions
		prompt, context, resume string
		begins                  bool // a session with an ID that the loop chose
	}{
		{"nothing", schema.AgentOptions{}, "work\n\nturn 2", "", "", false},
		{"context", schema.AgentOptions{Context: option}, "work", "turn 2", "", false},
		{"resume", schema.AgentOptions{Resume: option}, "work\n\nturn 2", "", "s1", false},
		{"new session", schema.AgentOptions{NewSession: option}, "work\n\nturn 2", "", "", true},
		{"new session and resume", schema.AgentOptions{NewSession: option, Resume: option}, "work\n\nturn 2", "", "s1", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a := &Agent{Adapter: adapter(tt.options), Model: "small", PermissionMode: "ask", AllowedTools: []string{"read"}}
			turn := a.turn(r)
			assert.Equal(t, []string{tt.prompt, tt.context, tt.resume}, []string{turn.Prompt, turn.Context, turn.SessionID})
			assert.Equal(t, []any{"small", "ask", []string{"read"}}, []any{turn.Model, turn.PermissionMode, turn.AllowedTools})
			if tt.begins {
				assert.Regexp(t, `^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`, turn.NewSessionID)
			} else {
				assert.Empty(t, turn.NewSessionID)
			}
		})
	}
}

// A tool that a person allowed after a denial is in the command line, if the loop limits the tools and the agent can have it.
func TestCommandHasAllowedTools(t *testing.T) {
	list := &schema.AgentToolList{AgentOption: schema.AgentOption{Args: []string{"--tools={tools}"}}}
	for _, tt := range []struct {
		name    string
		options schema.AgentOptions
		tools   []string
		want    string
	}{
		{"a list of tools", schema.AgentOptions{AllowedTools: list}, []string{"Read"}, "--tools=Read,Bash(make)"},
		{"no list", schema.AgentOptions{AllowedTools: list}, nil, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a := &Agent{Adapter: adapter(tt.options), AllowedTools: tt.tools}
			c, err := a.Command(loop.Request{Prompt: "work", AllowedTools: []string{"Bash(make)"}})
			require.NoError(t, err)
			lists := slices.DeleteFunc(c.Args, func(arg string) bool { return !strings.HasPrefix(arg, "--tools") })
			assert.Equal(t, tt.want, strings.Join(lists, " "))
		})
	}
}

// The ID that the loop chose for a new session counts if the turn succeeded: of a failed one it is unknown whether the agent has
// begun a session.
func TestSessionOfAFailedTurn(t *testing.T) {
	for _, tt := range []struct {
		program string
		begins  bool
	}{{"true", true}, {"false", false}} {
		a := &Agent{Adapter: adapter(schema.AgentOptions{NewSession: &schema.AgentOption{}}), Executable: tt.program}
		a.Adapter.Agent.Output = schema.AgentOutput{Format: schema.FormatText, Stream: "stdout", Finish: "optional"}
		out, err := a.Turn(t.Context(), loop.Request{Prompt: "work", Dir: t.TempDir()}, func(event.Event) {})
		require.NoError(t, err)
		assert.Equal(t, tt.begins, out.Failure == nil, tt.program)
		assert.Equal(t, tt.begins, out.SessionID != "", tt.program)
	}
}

func TestTurnThatCannotBeginStopsTheLoop(t *testing.T) {
	for _, tt := range []struct {
		name   string
		agent  *Agent
		reason string
	}{
		{"not installed", &Agent{Adapter: adapter(schema.AgentOptions{})}, loop.ReasonAgentMissing},
		{"no models", &Agent{Adapter: adapter(schema.AgentOptions{}), Model: "small"}, loop.ReasonUsage},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := tt.agent.Turn(t.Context(), loop.Request{Prompt: "work"}, func(event.Event) { t.Error("no turn, no event") })
			var stop *loop.Stop
			require.True(t, errors.As(err, &stop), "%v", err)
			assert.Equal(t, tt.reason, stop.Reason)
			assert.NotEmpty(t, stop.Fix)
		})
	}
}
