// Package agentloop runs a loop with a coding agent: its Agent takes the turns with the program
// of any adapter of the agent family.
package agentloop

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"example.org/ripple/internal/scenario"
	"example.org/ripple/runtime/agent"
	"example.org/ripple/runtime/event"
	"example.org/ripple/runtime/internal/scratch"
	"example.org/ripple/runtime/launch"
	"example.org/ripple/runtime/loop"
	"example.org/ripple/schema"
)

// Agent takes the turns of a loop with the program of an adapter, one process per turn.
type Agent struct {
	Adapter        *schema.Adapter // must have an agent section
	Executable     string          // path or name of the program; "": found by the adapter's rules
	Model          string          // "": the agent's default
	PermissionMode string          // "": the adapter's default
	AllowedTools   []string        // canonical names or the agent's own; nil: the permission mode decides
}

var _ loop.Agent = (*Agent)(nil)

// Turn runs one turn and passes its events to emit as they happen. A turn that fails is not an
// error; [loop.Outcome.Failure] says why it failed.
//
// Errors: *[loop.Stop] with [loop.ReasonAgentMissing] when the program is not installed and with
// [loop.ReasonUsage] when the adapter lacks what was asked for; other errors are the system's.
func (a *Agent) Turn(ctx context.Context, r loop.Request, emit func(event.Event)) (loop.Outcome, error) {
	t := a.turn(r)
	o := agent.Options{
		Dir: r.Dir, Env: append([]string{scenario.TurnVariable + "=" + strconv.Itoa(r.Turn)}, r.Env...), Executable: a.Executable,
		Timeout: r.Timeout, IdleTimeout: r.IdleTimeout, PriorTokens: r.PriorTokens, Ask: r.Ask, OnEvent: emit, OwnsOrphans: true,
	}
	if r.Box != nil { // a nil pointer would be a box
		o.Box = r.Box
	}
	out, err := agent.Run(ctx, a.Adapter, t, o)
	if err != nil {
		return loop.Outcome{}, stopFor(err)
	}
	session := out.SessionID
	if out.Failure == nil { // else it is unknown whether the agent has begun a session that it did not report
		session = cmp.Or(session, t.NewSessionID, t.SessionID)
	}
	return loop.Outcome{
		Failure: out.Failure, SessionID: session, Text: out.Text, CostUSD: out.Tokens.CostUSD, SessionTokens: out.SessionTokens,
	}, nil
}

// Command returns what Turn would start and say for a request. Nothing is started.
//
// Errors: *[agent.UnsupportedError] when the adapter lacks what was asked for.
func (a *Agent) Command(r loop.Request) (agent.Command, error) {
	return agent.NewCommand(a.Adapter, a.turn(r))
}

// turn translates a request. Where the adapter has no option for the context, the prompt carries
// it; where the adapter cannot resume, each turn begins a new session.
func (a *Agent) turn(r loop.Request) agent.Turn {
	options := a.Adapter.Agent.Options
	t := agent.Turn{
		Prompt: r.Prompt, Model: a.Model, SessionID: r.SessionID, PermissionMode: a.PermissionMode, AllowedTools: a.AllowedTools,
	}
	switch {
	case r.Context == "":
	case options.Context != nil:
		t.Context = r.Context
	default:
		t.Prompt += "\n\n" + r.Context
	}
	if options.Resume == nil {
		t.SessionID = ""
	}
	if t.SessionID == "" && options.NewSession != nil {
		t.NewSessionID = newUUID()
	}
	if more := t; a.AllowedTools != nil && len(r.AllowedTools) > 0 {
		more.AllowedTools = slices.Concat(a.AllowedTools, r.AllowedTools)
		if _, err := agent.NewCommand(a.Adapter, more); err == nil { // otherwise only the prompt mentions them
			t = more
		}
	}
	return t
}

// stopFor turns the reasons why no turn can begin into stops of the loop.
func stopFor(err error) error {
	var missing *launch.MissingError
	var unsupported *agent.UnsupportedError
	var temporary *scratch.TempError
	switch {
	case errors.As(err, &temporary): // no agent is missing
		return &loop.Stop{Reason: loop.ReasonError, Message: "The agent cannot be started: " + err.Error() + ".", Err: err}
	case errors.As(err, &missing):
		return &loop.Stop{Reason: loop.ReasonAgentMissing, Message: err.Error(), Fix: "install it, or choose another agent"}
	case errors.As(err, &unsupported):
		return &loop.Stop{Reason: loop.ReasonUsage, Message: err.Error(), Fix: "leave out what this agent does not have"}
	}
	return err
}

// newUUID returns a random UUID (RFC 9562, version 4), the form in which agents take session IDs.
func newUUID() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}
