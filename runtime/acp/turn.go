package acp

import (
	"context"
	"encoding/json"

	"ripple/runtime/agent"
	"ripple/runtime/event"
	"ripple/runtime/internal/rpc"
	"ripple/schema"
)

// turn has the agent take one turn. A session of the client's is one of the agent's,
// where the agent can go on with one.
func (ss *session) turn(ctx context.Context, p *promptRequest, tell *teller, text string) (ended, *rpc.Error) {
	ctx, end := context.WithCancel(ctx)
	defer end()
	go func() {
		select {
		case <-p.softly: // there is no turn after this one
			end()
		case <-ctx.Done():
		}
	}()
	out, err := agent.Run(ctx, ss.o.Agent, agent.Turn{Prompt: text, SessionID: ss.agentID}, agent.Options{
		Dir: ss.dir, Used: ss.used, OnEvent: tell.event,
		Ask: func(ctx context.Context, q event.Question) (event.Answer, error) { return ss.askInTurn(ctx, q) },
	})
	if err != nil {
		return ended{}, &rpc.Error{Code: rpc.CodeInternal, Message: err.Error()}
	}
	if out.Failure == nil && (ss.o.Agent.Agent.Options.Resume != nil || ss.o.Agent.Agent.Transport == schema.TransportACP) {
		ss.agentID, ss.used = out.SessionID, out.Session
	}
	for _, asked := range out.Asked {
		tell.message("It asks: " + asked)
	}
	return turnEnded(out, tell)
}

// turnEnded is how a turn ended, as the protocol has it.
func turnEnded(out agent.Outcome, tell *teller) (ended, *rpc.Error) {
	f := out.Failure
	switch {
	case f == nil && out.OK():
		return ended{stop: "end_turn"}, nil
	case f == nil:
		return ended{stop: "refusal"}, nil
	}
	meta := map[string]any{"reason": f.Kind, "message": f.Message}
	switch f.Kind {
	case event.Interrupted:
		return ended{stop: "cancelled", meta: meta}, nil
	case event.MaxTurns, event.Limited, event.Timeout:
		tell.message(f.Error())
		return ended{stop: "max_turn_requests", meta: meta}, nil
	case event.Denied:
		tell.message(f.Error())
		return ended{stop: "refusal", meta: meta}, nil
	}
	code := rpc.CodeInternal
	if f.Kind == event.Auth {
		code = rpc.CodeLogin
	}
	message := f.Error()
	if f.Hint != "" {
		message += "\n" + f.Hint
	}
	data, err := json.Marshal(meta)
	if err != nil {
		data = nil // strings always have a form
	}
	return ended{}, &rpc.Error{Code: code, Message: message, Data: data}
}
