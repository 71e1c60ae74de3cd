package acp

import (
	"context"
	"encoding/json"
	"strings"

	"example.org/ripple/runtime/agent"
	"example.org/ripple/runtime/event"
	"example.org/ripple/runtime/internal/rpc"
	"example.org/ripple/schema"
)

// turn runs one turn of the agent. A session of the client is one session of the agent, if
// the agent can continue sessions.
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
	tell.before = ss.spent
	out, err := ss.take(ctx, tell, text)
	if err != nil {
		return ended{}, &rpc.Error{Code: rpc.CodeInternal, Message: err.Error()}
	}
	ss.spent = tell.before.Add(tell.now)
	for _, asked := range out.Unanswered {
		tell.message("The agent asks: " + asked)
	}
	if out.Failure == nil && len(out.Denials) > 0 && ss.o.Agent != nil {
		tell.message(strings.TrimSpace("The agent was not allowed to use a tool. " + ss.o.Agent.Agent.DenialHelp))
	}
	r, e := turnEnded(out, tell)
	r.spent = out.Tokens
	return r, e
}

// take has it taken, by the agent or by who plays one.
func (ss *session) take(ctx context.Context, tell *teller, text string) (agent.Outcome, error) {
	if ss.o.RunTurn != nil {
		ask := func(ctx context.Context, q event.Question) (event.Answer, error) {
			return ss.askInTurn(ctx, q, tell.calls[q.ID])
		}
		return ss.o.RunTurn(ctx, Turn{Session: ss.id, Dir: ss.dir, Prompt: text, Emit: tell.event, Ask: ask})
	}
	var t agent.Turn
	var ask event.Ask
	ss.locked(func() {
		t = agent.Turn{Prompt: text, SessionID: ss.agentID, PermissionMode: ss.permissionMode(), Servers: ss.handedOn()}
		ask = ss.askOr(ss.mode == modeAllow)
	})
	out, err := agent.Run(ctx, ss.o.Agent, t, agent.Options{Dir: ss.dir, PriorTokens: ss.used, OnEvent: tell.event, Ask: ask})
	if g := ss.o.Agent.Agent; err == nil && out.Failure == nil && (g.Options.Resume != nil || g.Transport == schema.TransportACP) {
		ss.agentID, ss.used = out.SessionID, out.SessionTokens
	}
	return out, err
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
