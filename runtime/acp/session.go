package acp

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"

	"example.org/ripple/runtime/event"
	"example.org/ripple/runtime/internal/rpc"
)

// session is one conversation of the client's. It belongs to the server's lock, what a
// prompt is doing apart.
type session struct {
	*Server
	id, dir string
	open    *promptRequest    // nil: none
	prompts int               // so far
	mode    string            // of its turns; "": there is nothing to choose
	servers []json.RawMessage // MCP servers of the client
	closed  bool
	adopts  string // the loaded run of others that the first prompt makes the session's; "": none

	agentID string       // of an agent's own session, with Options.Agent
	used    event.Tokens // by that
	spent   event.Tokens // by turns that ended, with Options.Agent or RunTurn
}

// promptRequest is a prompt that has no answer yet.
type promptRequest struct {
	id      json.RawMessage
	softly  chan struct{} // closed by the first cancel
	now     context.CancelFunc
	cancels int
}

// cancel ends what the prompt began: after the turn, and the second time now.
func (p *promptRequest) cancel() {
	switch p.cancels++; p.cancels {
	case 1:
		close(p.softly)
	case 2:
		p.now()
	}
}

// ended is how what a prompt began has ended.
type ended struct {
	stop  string       // the protocol's reason
	meta  any          // more about it, in ripple's words; nil: none
	spent event.Tokens // of a single turn
}

func (s *Server) session(id string) (*session, *rpc.Error) {
	ss := s.sessions[id]
	if ss == nil || ss.closed {
		return nil, &rpc.Error{Code: rpc.CodeNotFound, Message: fmt.Sprintf("unknown session %q", id)}
	}
	return ss, nil
}

func (s *Server) newSession(m rpc.Message) *rpc.Error {
	p, e := s.place(m)
	if e != nil {
		return e
	}
	ss := &session{Server: s, id: rand.Text(), dir: p.Dir, servers: p.Servers}
	s.sessions[ss.id] = ss
	s.conn.Reply(m.ID, ss.began())
	return nil
}

// closeSession ends what a session started, and forgets it. Its loop can be continued.
func (s *Server) closeSession(m rpc.Message) *rpc.Error {
	var p place
	if e := read(m, &p); e != nil {
		return e
	}
	ss, e := s.session(p.Session)
	if e != nil {
		return e
	}
	ss.closed = true
	if ss.open != nil {
		ss.open.now()
	} else {
		delete(s.sessions, ss.id)
	}
	s.conn.Reply(m.ID, map[string]any{})
	return nil
}

// prompt begins what a prompt asks for. Its answer is the end of that.
func (s *Server) prompt(m rpc.Message) *rpc.Error {
	var p struct {
		Session string  `json:"sessionId"`
		Prompt  []block `json:"prompt"`
	}
	if e := read(m, &p); e != nil {
		return e
	}
	ss, e := s.session(p.Session)
	if e != nil {
		return e
	}
	if ss.open != nil {
		return &rpc.Error{Code: rpc.CodeNoRequest, Message: "the previous prompt is still being answered: wait for it, or cancel it"}
	}
	if !s.o.single() {
		for _, other := range s.sessions {
			if other.open != nil && other.dir == ss.dir {
				return &rpc.Error{Code: rpc.CodeNoRequest, Message: "session " + other.id + " already runs a loop here: wait for it, or cancel it"}
			}
		}
	}
	text, e := promptText(p.Prompt)
	if e != nil {
		return e
	}
	ctx, now := context.WithCancel(s.ctx)
	open := &promptRequest{id: m.ID, softly: make(chan struct{}), now: now}
	take := ss.loop
	if s.o.single() {
		take = ss.turn
	}
	ss.prompts++
	tell := &teller{session: ss, nth: ss.prompts}
	unused := ""
	if ss.prompts == 1 {
		unused = ss.unusedServers()
	}
	began := s.start(func() {
		defer now()
		if unused != "" {
			tell.message(unused)
		}
		var result ended
		var e *rpc.Error
		if broken := s.guard("answering a prompt", nil, func() { result, e = take(ctx, open, tell, text) }); broken != nil {
			e = broken
		}
		s.locked(func() { ss.answer(result, e) })
	})
	if !began {
		return &rpc.Error{Code: rpc.CodeCancelled, Message: "the connection is closed"}
	}
	ss.open = open
	return nil
}

// answer is the end of the prompt. After a cancel the client gets no error
// (https://agentclientprotocol.com/protocol/v1/prompt-turn#cancellation).
func (ss *session) answer(r ended, e *rpc.Error) {
	open := ss.open
	ss.open = nil
	if ss.closed {
		delete(ss.sessions, ss.id)
	}
	if e != nil && open.cancels == 0 && ss.ctx.Err() == nil && !ss.closed {
		ss.conn.Fail(open.id, e)
		return
	}
	if e != nil {
		r = ended{stop: "cancelled"}
	}
	result := map[string]any{"stopReason": r.stop}
	if r.meta != nil {
		result["_meta"] = map[string]any{"ripple": r.meta}
	}
	if t := r.spent; t.Input+t.Output > 0 { // a draft of the protocol
		result["usage"] = map[string]any{
			"inputTokens": t.Input, "outputTokens": t.Output, "cachedReadTokens": t.CacheRead, "cachedWriteTokens": t.CacheWrite,
			"totalTokens": t.Input + t.Output + t.CacheRead + t.CacheWrite,
		}
	}
	ss.conn.Reply(open.id, result)
}

// update sends the client a session/update. It waits for a client that is slow.
func (ss *session) update(kind string, fields map[string]any) {
	ss.out.room(ss.ctx)
	fields["sessionUpdate"] = kind
	ss.locked(func() {
		ss.conn.Notify("session/update", map[string]any{"sessionId": ss.id, "update": fields})
	})
}
