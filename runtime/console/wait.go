package console

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"time"

	"example.org/ripple/runtime/session"
)

// idleQuiet is how long a console must not print to count as idle.
const idleQuiet = 2 * time.Second

func (h handlers) postWait(w http.ResponseWriter, r *http.Request) {
	var q WaitRequest
	if !accept(w, r, &q) {
		return
	}
	if q.For == "" || q.For == "done" {
		run, f := h.find(q.Command)
		if f != nil && q.Command == 0 && h.adapter.Agent != nil { // input typed to an agent is not a command
			h.until(w, r, q, h.untilRest)
			return
		}
		if f != nil {
			refuse(w, f)
			return
		}
		ctx, cancel := boundedBy(r.Context(), q.Wait)
		defer cancel()
		h.waits(run, 1)
		defer h.waits(run, -1)
		newStreamed(h, w).follow(ctx, &follower{h: h.host, run: run, from: q.From, stay: q.KeepWaiting, reported: q.Reported})
		return
	}
	wait, ok := map[string]func(context.Context, WaitRequest) string{"input": h.untilInput, "text": h.untilText, "idle": h.untilQuiet}[q.For]
	if !ok {
		refuse(w, newFault(FaultBadRequest, "invalid wait %q: use done, input, text or idle", q.For))
		return
	}
	h.until(w, r, q, wait)
}

// until answers a request when wait returns.
func (h handlers) until(w http.ResponseWriter, r *http.Request, q WaitRequest, wait func(context.Context, WaitRequest) string) {
	ctx, cancel := boundedBy(r.Context(), q.Wait)
	defer cancel()
	leave := h.busy()
	why := wait(ctx, q)
	leave()
	reply(w, piece{Done: &WaitResult{Reason: why, Status: h.status()}})
}

// untilInput waits until the program reads the terminal, in a command or at its prompt, or may do so
// as another user, or stays stopped.
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
	for {
		st, err := s.WaitState(ctx, func(st session.State) bool {
			return st.Stopped != nil || st.Phase == session.PhaseReady || st.Waiting != session.WaitingNone || st.EchoHint == session.EchoHintOn
		})
		if err == nil && st.Stopped != nil {
			err = awaitStopped(ctx, s)
		}
		switch {
		case errors.Is(err, errContinued):
		case err == nil:
			return "waiting"
		case ctx.Err() != nil:
			return "time"
		default:
			return "exited"
		}
	}
}

// untilRest waits until a coding agent accepts a prompt or asks something.
func (h handlers) untilRest(ctx context.Context, q WaitRequest) string {
	why := h.untilInput(ctx, q)
	if why == "waiting" && h.status().State == Idle {
		return "done"
	}
	return why
}

// untilText waits until the text is on the screen or in new output.
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

// untilQuiet waits until nothing has been printed for a while.
func (h handlers) untilQuiet(ctx context.Context, _ WaitRequest) string {
	t := time.NewTimer(idleQuiet)
	defer t.Stop()
	for {
		select {
		case <-h.screen.painted():
			t.Reset(idleQuiet)
		case <-t.C:
			return "idle"
		case <-ctx.Done():
			return "time"
		case <-h.gone():
			return "exited"
		}
	}
}

// gone returns a channel that is closed when the program has ended.
func (h *host) gone() <-chan struct{} {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.session == nil {
		return h.ending
	}
	return h.session.Done()
}
