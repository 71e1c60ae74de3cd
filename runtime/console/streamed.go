package console

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"

	"example.org/ripple/runtime/session"
)

// streamed is a streamed answer.
type streamed struct {
	h     handlers
	w     http.ResponseWriter
	out   *json.Encoder
	begun bool // something was sent
	// typed and untyped are how many lines of the client's input were typed, and how many were not.
	typed, untyped int
}

func newStreamed(h handlers, w http.ResponseWriter) *streamed {
	return &streamed{h: h, w: w, out: json.NewEncoder(w)}
}

// begin sends the headers, so that the client knows that its request was received.
func (a *streamed) begin() {
	if !a.begun {
		a.w.Header().Set("Content-Type", "application/x-ndjson")
	}
	a.begun = true
	_ = http.NewResponseController(a.w).Flush() // the client may have disconnected
}

// queued reports that the call waits for its turn.
func (a *streamed) queued(before int) {
	a.w.Header().Set("Content-Type", "application/x-ndjson")
	_ = a.out.Encode(piece{Queued: &before}) // the client may have disconnected
	a.begin()
}

// refuse answers with a fault.
func (a *streamed) refuse(f *Fault) {
	if !a.begun {
		refuse(a.w, f)
		return
	}
	_ = a.out.Encode(piece{Error: f}) // the client may have disconnected
}

// follow streams the pieces of a follower and the result of its wait.
func (a *streamed) follow(ctx context.Context, f *follower) {
	if !a.begun {
		a.w.Header().Set("Content-Type", "application/x-ndjson")
	}
	f.acknowledge = a.begin
	f.send = func(p piece) error {
		if err := a.out.Encode(p); err != nil {
			return err
		}
		if !isClosed(f.run.done) { // otherwise the answer follows immediately
			a.begun = true
			return http.NewResponseController(a.w).Flush()
		}
		return nil
	}
	why, err := f.follow(ctx)
	if err != nil {
		return // the client disconnected
	}
	if refused := f.run.refused(); refused != nil {
		a.refuse(refused)
		return
	}
	c := a.h.snapshot(f.run)
	answer := WaitResult{Reason: why, Status: withUntyped(a.h.status(), a.typed, a.untyped), Command: &c, Dropped: f.dropped, DroppedAt: f.droppedAt}
	if errors.Is(f.run.errOnce(), session.ErrExited) {
		answer.Reason = "exited"
	}
	_ = a.out.Encode(piece{Done: &answer}) // the client may have disconnected
}
