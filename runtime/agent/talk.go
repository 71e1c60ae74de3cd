package agent

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"runtime/debug"

	"example.org/ripple/runtime/event"
	"example.org/ripple/runtime/internal/acp"
	"example.org/ripple/runtime/internal/workplace"
	"example.org/ripple/schema"
)

// talk is a turn over the Agent Client Protocol. It connects the client, which decides,
// the reader, which collects events, the process, which receives messages, and the callers
// that answer questions. One goroutine uses it; answers arrive on a channel.
type talk struct {
	client *acp.Client
	r      *reader
	send   func([]byte)
	policy unattended
	work   *work
	ask    event.Ask

	cut     bool // the line that comes has not all that the agent has said
	ctx     context.Context
	open    map[string]context.CancelFunc // questions that are with somebody
	answers chan answer
}

// answer is the result of a question.
type answer struct {
	id, text string
	event.Answer
	err error
}

// newTalk prepares the turn; the process that it writes to is given later.
func newTalk(ctx context.Context, a *schema.Adapter, t Turn, said string, o Options) (*talk, error) {
	g := a.Agent
	r, err := newReader(g, o.PriorTokens, o.OnEvent)
	if err != nil {
		return nil, err
	}
	k := &talk{r: r, ask: o.Ask, ctx: ctx, open: map[string]context.CancelFunc{}, answers: make(chan answer), send: func([]byte) {}}
	if k.policy, err = newUnattended(g.ACP.Permission, a, t); err != nil {
		return nil, fmt.Errorf("%s: agent.acp.permission: %w", a.Name, err)
	}
	dir, err := filepath.Abs(o.Dir)
	if err != nil {
		return nil, err
	}
	k.policy.rules = k.policy.rules.In(dir)
	k.work = newWork(dir, k.policy.rules)
	turn := acp.Turn{
		Dir: dir, Prompt: said, Session: t.SessionID, Login: g.ACP.Auth, Version: ownVersion(),
		Files: g.ACP.Client.FS && o.Box == nil, Terminals: g.ACP.Client.Terminal && o.Box == nil, Elicits: o.Ask != nil, Servers: t.Servers,
	}
	if overProtocol(g.Options.Model) {
		turn.Model = t.Model
	}
	if overProtocol(g.Options.PermissionMode) {
		turn.Mode = t.PermissionMode
	}
	k.client = acp.New(turn, acp.Calls{
		Send: func(b []byte) { k.send(b) }, Emit: k.take, Ask: k.asked, Close: k.closed, Tool: r.program.Tool,
		Do: k.work.begin, Printed: k.work.place.Printed,
	})
	r.lines.emit = k.line
	if lost := r.lines.lost; turn.Files {
		r.lines.whole = workplace.MaxMessage
		r.lines.lost = func(n int) {
			lost(n)
			k.cut = true
		}
	}
	return k, nil
}

func overProtocol(o *schema.AgentOption) bool { return o != nil && o.Protocol }

// ownVersion is ripple's version, which agents write into their logs.
func ownVersion() string {
	if info, known := debug.ReadBuildInfo(); known {
		return cmp.Or(info.Main.Version, "devel")
	}
	return "devel"
}

// take handles an event of the client, which reports each use of a tool once: an ID that
// comes again is another use.
func (k *talk) take(e event.Event) {
	if e.Type == event.ToolUse {
		delete(k.r.uses, e.ID)
	}
	k.r.take(e)
}

// line is one line of the agent's. What is its own, and not the protocol's, is the
// adapter's to know.
func (k *talk) line(b []byte) {
	k.r.tellCut(true)
	if bytes.HasPrefix(b, []byte("{")) {
		events, known, err := k.r.program.Known(b, nil)
		if err != nil {
			k.r.problemOf(err)
		}
		for _, e := range events {
			k.r.take(e)
		}
		k.r.lenient = known
	}
	k.client.Cut, k.cut = k.cut, false
	if !k.client.Line(b) {
		k.r.take(event.Event{Type: event.Unknown, Raw: string(b)})
	}
	k.r.lenient = false
}

// asked decides a question, or has it asked.
func (k *talk) asked(q event.Question) {
	if a, decided := k.policy.rules.Decide(q); decided {
		k.client.Answer(q.ID, a, byRule+a.By)
		return
	}
	if k.ask == nil {
		a, refused := k.policy.unasked(k.r, q)
		k.client.Answer(q.ID, a, refused)
		return
	}
	ctx, cancel := context.WithCancel(k.ctx)
	k.open[q.ID] = cancel
	go func() {
		a, err := k.ask(ctx, q)
		select {
		case k.answers <- answer{q.ID, askedText(q), a, err}:
		case <-ctx.Done(): // nobody waits for it
		}
	}()
}

// answered takes an answer to the agent. Without one the question is dismissed, and
// reported as unanswered.
func (k *talk) answered(a answer) {
	cancel, open := k.open[a.id]
	if !open {
		return
	}
	cancel()
	delete(k.open, a.id)
	refused := ""
	if a.err != nil {
		a.Answer, refused = event.Answer{}, a.err.Error()
		if k.ctx.Err() == nil {
			k.r.asked = append(k.r.asked, a.text)
		}
	}
	k.client.Answer(a.id, a.Answer, refused)
}

// closed stops asking a question that needs no answer any longer.
func (k *talk) closed(id string) {
	if cancel, open := k.open[id]; open {
		cancel()
		delete(k.open, id)
	}
}

// waits reports whether a question waits for an answer; time limits are paused meanwhile.
func (k *talk) waits() bool { return k != nil && len(k.open) > 0 }

// over reports whether the turn has ended.
func (k *talk) over() bool { return k != nil && k.client.Finished() }

// end is the end of all that the agent says.
func (k *talk) end() {
	k.client.End()
	k.r.unanswered = k.client.Waits()
}

// dismiss stops asking all open questions. The caller of Run may wait for those whom it asks.
func (k *talk) dismiss() {
	for id := range k.open {
		k.closed(id)
	}
}
