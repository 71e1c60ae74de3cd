package agentcmd

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"example.org/ripple/cmd/ripple/internal/ui"
	"example.org/ripple/internal/scenario"
	"example.org/ripple/runtime/acp"
	"example.org/ripple/runtime/agent"
	"example.org/ripple/runtime/event"
	"example.org/ripple/schema"
)

// overACP plays the turns of a scenario for a client of the Agent Client Protocol, a
// prompt each.
func (a *app) overACP(ctx context.Context, s *schema.Scenario, turn int) error {
	ctx, deaf, stop := untilSignal(ctx)
	defer stop()
	play := func(ctx context.Context, t acp.Turn) (agent.Outcome, error) {
		p := &protocolPlay{ctx: ctx, Turn: t}
		code, err := scenario.Play(ctx, s, scenario.Stage{
			Dir: t.Dir, Prompt: t.Prompt, Session: t.Session, Turn: turn, Out: p, Err: a.Err, Now: time.Now, Deaf: deaf,
		})
		turn++
		switch {
		case ctx.Err() != nil:
			p.out.Failure = &event.Failure{Kind: event.Interrupted, Message: "the turn was canceled"}
		case err != nil:
			return p.out, err
		case !p.finished: // the scenario has it end without a word
			os.Exit(code)
		}
		return p.out, nil
	}
	if err := acp.New(acp.Options{RunTurn: play, Log: io.Discard}).Serve(ctx, a.In, a.Stdout); err != nil {
		return ui.FailWith(ui.ExitFailed, err, "")
	}
	return nil
}

// protocolPlay takes the events of a turn, and asks where the scenario refuses.
type protocolPlay struct {
	acp.Turn
	ctx      context.Context
	rest     []byte
	asked    int
	out      agent.Outcome
	finished bool
}

func (p *protocolPlay) Write(b []byte) (int, error) {
	p.rest = append(p.rest, b...)
	for {
		line, rest, found := bytes.Cut(p.rest, []byte("\n"))
		if !found {
			return len(b), p.ctx.Err()
		}
		p.rest = rest
		var e event.Event
		if json.Unmarshal(line, &e) != nil {
			e = event.Event{Type: event.Text, Text: string(line)}
		}
		p.take(e)
	}
}

func (p *protocolPlay) take(e event.Event) {
	if tool := event.Tool(strings.ToLower(e.Name)); slices.Contains([]event.Tool{"read", "edit", "write", event.ToolCommand, "glob", "grep"}, tool) {
		e.Tool = tool
	}
	switch e.Type {
	case event.PermissionDenied:
		p.ask(e)
		return
	case event.Usage:
		if e.Tokens != nil {
			p.out.Tokens = *e.Tokens
		}
	case event.Finished:
		if p.finished = true; e.IsError {
			p.out.Failure = &event.Failure{Kind: e.Kind, Message: e.Result}
		}
	case event.Error:
		if e.Fatal {
			p.out.Failure = &event.Failure{Kind: e.Kind, Message: e.Message}
		}
	}
	p.Emit(e)
}

// ask asks for a tool that the scenario refuses. One that is allowed does nothing.
func (p *protocolPlay) ask(e event.Event) {
	p.asked++
	id, key := fmt.Sprintf("asked-%d", p.asked), "detail"
	if e.Tool == event.ToolCommand {
		key = "command"
	}
	input, err := json.Marshal(map[string]string{key: e.Detail})
	if err != nil {
		input = nil // strings always have a form
	}
	p.Emit(event.Event{Type: event.ToolUse, ID: id, Tool: e.Tool, Name: e.Name, Input: input})
	q := event.Question{ID: id, Kind: event.AskPermission, Tool: e.Tool, Name: e.Name, Input: input, Text: e.Detail, Options: []event.Option{
		{ID: "yes", Name: "Yes", Kind: event.AllowOnce}, {ID: "no", Name: "No", Kind: event.RejectOnce},
	}}
	answer, err := p.Ask(p.ctx, q)
	allowed := err == nil && answer.Option == "yes"
	p.Emit(event.Event{Type: event.ToolResult, ID: id, IsError: !allowed, Content: map[bool]string{true: "allowed", false: "refused"}[allowed]})
}
