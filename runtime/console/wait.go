package console

import (
	"context"
	"net/http"
	"strings"
	"time"

	"ripple/runtime/session"
)

// quiet is how long nothing must be printed for a console to count as idle.
const quiet = 2 * time.Second

func (h handlers) postWait(w http.ResponseWriter, r *http.Request) {
	var q WaitRequest
	if !accept(w, r, &q) {
		return
	}
	if q.For == "" || q.For == "done" {
		run, f := h.find(q.Command)
		if f != nil && q.Command == 0 && h.adapter.Agent != nil { // what was typed to an agent is no command
			h.until(w, r, q, h.untilRest)
			return
		}
		if f != nil {
			refuse(w, f)
			return
		}
		h.answer(w, r, &follower{h: h.host, run: run, from: q.From, stay: q.Stay}, q.Wait)
		return
	}
	wait, ok := map[string]func(context.Context, WaitRequest) string{"input": h.untilInput, "text": h.untilText, "idle": h.untilQuiet}[q.For]
	if !ok {
		refuse(w, fault(FaultRequest, "a wait is for done, input, text or idle, not for %q", q.For))
		return
	}
	h.until(w, r, q, wait)
}

// until answers when a wait is over.
func (h handlers) until(w http.ResponseWriter, r *http.Request, q WaitRequest, wait func(context.Context, WaitRequest) string) {
	ctx := r.Context()
	if q.Wait > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, q.Wait)
		defer cancel()
	}
	leave := h.busy()
	why := wait(ctx, q)
	leave()
	reply(w, piece{Done: &Answer{Why: why, Status: h.status()}})
}

// untilInput waits until the program reads the terminal: in a command, or at its prompt.
func (h handlers) untilInput(ctx context.Context, _ WaitRequest) string {
	select {
	case <-h.opened:
	case <-ctx.Done():
		return "time"
	}
	h.mu.Lock()
	s := h.session
	h.mu.Unlock()
	if s == nil {
		return "exited"
	}
	_, err := s.WaitState(ctx, func(st session.State) bool {
		return st.Phase == session.PhaseReady || st.Waiting != session.WaitingNo
	})
	switch {
	case err == nil:
		return "waiting"
	case ctx.Err() != nil:
		return "time"
	}
	return "exited"
}

// untilRest waits until a coding agent takes a prompt, or asks something.
func (h handlers) untilRest(ctx context.Context, q WaitRequest) string {
	why := h.untilInput(ctx, q)
	if why == "waiting" && h.status().State == Idle {
		return "done"
	}
	return why
}

// untilText waits until the text is on the screen or in what is printed.
func (h handlers) untilText(ctx context.Context, q WaitRequest) string {
	for {
		next := h.screen.painted()
		if strings.Contains(h.screen.text(0), q.Text) {
			return "matched"
		}
		select {
		case <-next:
		case <-ctx.Done():
			return "time"
		case <-h.gone():
			return "exited"
		}
	}
}

// untilQuiet waits until nothing was printed for a while.
func (h handlers) untilQuiet(ctx context.Context, _ WaitRequest) string {
	t := time.NewTimer(quiet)
	defer t.Stop()
	for {
		select {
		case <-h.screen.painted():
			t.Reset(quiet)
		case <-t.C:
			return "idle"
		case <-ctx.Done():
			return "time"
		case <-h.gone():
			return "exited"
		}
	}
}

// gone is closed when the program has ended.
func (h *host) gone() <-chan struct{} {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.session == nil {
		return h.ending
	}
	return h.session.Done()
}
