package console

import (
	"context"
	"net/http"
)

func (h handlers) postSend(w http.ResponseWriter, r *http.Request) {
	var q SendRequest
	if !accept(w, r, &q) {
		return
	}
	if f := h.typeIn(r.Context(), q); f != nil {
		refuse(w, f)
		return
	}
	reply(w, h.status())
}

// typeIn types into the running command.
func (h *host) typeIn(ctx context.Context, q SendRequest) *Fault {
	text := q.Text
	for _, k := range q.Keys {
		seq, err := Key(k)
		if err != nil {
			return fault(FaultRequest, "%v", err)
		}
		text += seq
	}
	state, _ := h.state()
	h.mu.Lock()
	s := h.session
	var f *Fault
	switch {
	case state == Exited:
		f = h.refuse(FaultExited, state, "the program has ended: %s", h.outcome.exit)
	case s == nil:
		f = h.refuse(FaultBusy, state, "the program has not come to its first prompt")
	case state == Idle && h.adapter.Agent == nil:
		f = h.refuse(FaultNotWaiting, state, "no command is running that could read it: run code with exec")
	case state == WaitingSecret && !q.Secret:
		f = h.refuse(FaultSecret, state, "the command asks for a secret, which a person should type")
	case q.Only && state == Running:
		f = h.refuse(FaultNotWaiting, state, "the command is not waiting for input")
	}
	h.mu.Unlock()
	if f != nil {
		return f
	}
	if q.Answer != "" {
		return answerAgent(ctx, h.spec.Name, s, q)
	}
	if err := s.Send(ctx, []byte(text)); err != nil {
		return fault(FaultNotWaiting, "%s: %v", h.spec.Name, err)
	}
	return nil
}

// answerAgent answers what a coding agent asks.
func answerAgent(ctx context.Context, console string, s program, q SendRequest) *Fault {
	a, is := s.(*agent)
	switch {
	case !is:
		return fault(FaultRequest, "%s: an answer by its name is for a coding agent that asks; send a text", console)
	case q.Text != "" || len(q.Keys) > 0:
		return fault(FaultRequest, "either an answer or a text and keys")
	}
	if err := a.Answer(ctx, q.Answer); err != nil {
		return fault(FaultNotWaiting, "%v", err)
	}
	return nil
}
