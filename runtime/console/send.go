package console

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"

	"example.org/ripple/runtime/internal/keys"
	"example.org/ripple/runtime/session"
)

func (h handlers) postSend(w http.ResponseWriter, r *http.Request) {
	var q SendRequest
	if !accept(w, r, &q) {
		return
	}
	ctx, cancel := boundedBy(r.Context(), q.Wait)
	defer cancel()
	if !h.awaitSent(ctx) {
		refuse(w, h.queued(FaultBusy, "nothing was typed: the program does not accept its latest command yet"))
		return
	}
	run, rest, f := h.typeIn(r.Context(), q)
	if f != nil {
		refuse(w, f)
		return
	}
	typed, untyped := h.typeRest(ctx, run, q, rest)
	if q.Wait <= 0 {
		reply(w, withUntyped(h.status(), typed, untyped))
		return
	}
	a := newStreamed(h, w)
	a.typed, a.untyped = typed, untyped
	if run == nil {
		a.begin()
		h.until(w, r.WithContext(ctx), WaitRequest{}, h.untilInput)
		return
	}
	h.waits(run, 1) // before the answer begins, so that the next call of the client waits for its turn
	defer h.waits(run, -1)
	a.follow(ctx, &follower{h: h.host, run: run, from: -1})
}

// typeIn types input into the running command and returns that command; nil if none runs. rest are further lines, which the
// command may not read.
func (h handlers) typeIn(ctx context.Context, q SendRequest) (_ *run, rest string, _ *Fault) {
	text := q.Text
	for _, k := range q.Keys {
		seq, err := keys.Sequence(k)
		if err != nil {
			return nil, "", newFault(FaultBadRequest, "%v", err)
		}
		text += seq
	}
	state, st := h.stateFor(ctx, q, text)
	interrupts := text == "\x03"
	h.mu.Lock()
	s, run := h.session, h.latest()
	if run != nil && !run.cmd.Running() {
		run = nil
	}
	var f *Fault
	switch {
	case ctx.Err() != nil:
		f = h.refuse(FaultBusy, state, "nothing was typed: the client has disconnected")
	case state == Exited:
		f = h.refuse(FaultExited, state, "the program has ended: %s", h.outcome.exit)
	case s == nil:
		f = h.refuse(FaultBusy, state, "the program has not reached its first prompt")
	case state == Idle && h.adapter.Agent == nil:
		f = h.refuse(FaultNotWaiting, state, "no command is running that could read it: run it as code instead")
	case interrupts: // anyone may interrupt
	case state == Stopped && !onlySignals(text): // a terminal keeps it for whatever reads next, which may be a shell
		f = h.refuseStopped(st)
	case q.Secret && (state != Running || st.EchoHint == session.EchoHintOff): // only a user may answer a prompt for a secret
	case state == WaitingSecret:
		f = h.refuse(FaultSecret, state, "the command asks for a secret, which a user should type; C-c interrupts it")
	case st.EchoHint == session.EchoHintOff && state != Fullscreen:
		f = h.refuse(FaultSecret, state, "the command runs as another user, and the terminal does not show what is typed: it may ask for a secret, which a user should type; C-c interrupts it")
	case q.OnlyIfWaiting && state == Running && st.EchoHint != session.EchoHintOn && h.adapter.Agent == nil && !onlySignals(text):
		f = h.refuse(FaultNotWaiting, state, "the command is not waiting for input")
	}
	h.mu.Unlock()
	if f != nil {
		return nil, "", f
	}
	if q.Answer != "" {
		return run, "", answerAgent(ctx, h.spec.Name, s, q)
	}
	if q.OnlyIfWaiting && run != nil && h.adapter.Agent == nil && state != Fullscreen {
		text, rest = cutLine(text)
	}
	if err := s.Send(ctx, []byte(text)); err != nil {
		return nil, "", newFault(FaultNotWaiting, "%s: %v", h.spec.Name, err)
	}
	return run, rest, nil
}

// cutLine returns the first line of a text with its end, and the rest.
func cutLine(text string) (line, rest string) {
	i := strings.IndexAny(text, "\r\n") + 1
	switch {
	case i == 0:
		return text, ""
	case strings.HasPrefix(text[i-1:], "\r\n"):
		i++
	}
	return text[:i], text[i:]
}

// typeRest types lines that follow the first one, each of them when the command reads again. It returns how many lines of the input
// were typed, and how many were not: the command does not read them, and they would become the program's next commands.
func (h handlers) typeRest(ctx context.Context, run *run, q SendRequest, rest string) (typed, untyped int) {
	typed = 1
	for ; rest != "" && h.readsAgain(ctx, run, q, rest); typed++ {
		var line string
		if line, rest = cutLine(rest); h.screen.full() {
			line, rest = line+rest, ""
		}
		if h.program().Send(ctx, []byte(line)) != nil {
			rest = line + rest
			break
		}
	}
	for ; rest != ""; untyped++ {
		_, rest = cutLine(rest)
	}
	return typed, untyped
}

// readsAgain reports whether the command may get more input: within the request's wait, or else within readGrace.
func (h handlers) readsAgain(ctx context.Context, run *run, q SendRequest, rest string) bool {
	if q.Wait <= 0 {
		limited, cancel := context.WithTimeout(ctx, readGrace)
		defer cancel()
		ctx = limited
	}
	st, err := h.program().WaitState(ctx, func(st session.State) bool {
		return onlySignals(rest) || st.Waiting != session.WaitingNone || st.EchoHint != session.EchoHintNone || st.Stopped != nil || st.Phase != session.PhaseRunning || h.screen.full()
	})
	h.mu.Lock()
	running := h.latest() == run && run.cmd.Running()
	h.mu.Unlock()
	if err != nil || !running || st.Stopped != nil {
		return false
	}
	return onlySignals(rest) || st.Waiting == session.WaitingInput || st.EchoHint == session.EchoHintOn || h.screen.full()
}

// withUntyped returns a status with what it says about lines that were not typed.
func withUntyped(s Status, typed, untyped int) Status {
	if s.Untyped = untyped; untyped > 0 {
		s.Notice = fmt.Sprintf("%d of %d lines were typed: the command did not read more", typed, typed+untyped)
	}
	return s
}

// readGrace is how long a command that does not read may take to start reading: it may be
// processing the previous input.
const readGrace = time.Second

// stateFor returns the state for a request. If the request only types into a command that reads,
// the command gets a moment to start reading.
func (h handlers) stateFor(ctx context.Context, q SendRequest, text string) (State, session.State) {
	state, st := h.state()
	if !q.OnlyIfWaiting || state != Running || h.adapter.Agent != nil || onlySignals(text) {
		return state, st
	}
	limited, cancel := context.WithTimeout(ctx, readGrace)
	defer cancel()
	_, _ = h.program().WaitState(limited, func(st session.State) bool { // the state is read below
		return st.Waiting != session.WaitingNone || st.EchoHint != session.EchoHintNone || st.Phase != session.PhaseRunning || h.screen.full()
	})
	return h.state()
}

func (h *host) program() program {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.session
}

// onlySignals reports whether the terminal turns all of the typed text into signals: C-c, C-z and
// C-\.
func onlySignals(text string) bool { return text != "" && strings.Trim(text, "\x03\x1a\x1c") == "" }

// answerAgent answers a question of a coding agent.
func answerAgent(ctx context.Context, console string, s program, q SendRequest) *Fault {
	a, is := s.(*agentProgram)
	switch {
	case !is:
		return newFault(FaultBadRequest, "%s: only a coding agent that asks a question accepts a named answer; send text instead", console)
	case q.Text != "" || len(q.Keys) > 0:
		return newFault(FaultBadRequest, "send either an answer, or a text and keys, not both")
	}
	if err := a.Answer(ctx, q.Answer); err != nil {
		return newFault(FaultNotWaiting, "%v", err)
	}
	return nil
}
