package console

import (
	"context"
	"sync/atomic"
	"time"

	"example.org/ripple/runtime/session"
	"example.org/ripple/schema"
)

// Prompt describes the program's prompt to a client that edits lines.
type Prompt struct {
	Editable     bool   `json:"takes,omitempty"`        // a line may be edited
	Continuation bool   `json:"continuation,omitempty"` // the program asks for another line of a command
	Seen         int64  `json:"seen,omitempty"`         // number of bytes typed and entered before this prompt was described
	Keys         []byte `json:"keys,omitempty"`         // some of them, to be edited before the program gets them
	Dropped      int    `json:"dropped,omitempty"`      // number of the user's unfinished lines that other users have discarded
	Adapter      string `json:"adapter,omitempty"`
	Shell        bool   `json:"shell,omitempty"` // a line may name files anywhere
	Cwd          string `json:"cwd,omitempty"`
}

// prompter is a program that accepts lines edited in a user's terminal.
type prompter interface {
	TypeDraft(who int, b []byte) error
	Enter(who int, b []byte) error
	EndDraft(who int)
	Prompt(who int) session.Prompt
}

// drafts is the host's state of a client that edits lines.
type drafts struct {
	edits  bool
	seen   atomic.Int64 // bytes that the user has typed and entered
	shown  atomic.Int64 // bytes of the program's output sent to the user's terminal
	typed  notifier     // signaled when seen grows or a draft ends
	passes notifier     // signaled when shown grows
}

func (d *drafts) received(n int) {
	d.seen.Add(int64(n))
	d.typed.signal()
}

func (d *drafts) passed(end int64) {
	d.shown.Store(end)
	d.passes.signal()
}

// awaitShown waits until the output up to end has been sent to the user's terminal, and reports
// whether it has.
func (d *drafts) awaitShown(ctx context.Context, end int64) bool {
	for {
		changed := d.passes.wait()
		if d.shown.Load() >= end {
			return true
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return false
		}
	}
}

// handleDraft handles an edited line, or a report that it is empty again, and reports whether some of
// the typed bytes are held, or are to be dropped.
func (a *attached) handleDraft(kind byte, body []byte) (held bool) {
	a.h.mu.Lock()
	p, _ := a.h.session.(prompter)
	a.h.touched = time.Now()
	a.h.mu.Unlock()
	switch {
	case p == nil && kind == frameLine:
		return a.typeKeys(body, false)
	case p == nil:
	case kind == frameEndDraft:
		p.EndDraft(a.id)
		a.drafts.typed.signal()
	default:
		_ = p.Enter(a.id, body) // watch sees the end of the program
		a.drafts.received(len(body))
		return a.hasUnreadKeys()
	}
	return false
}

// Interval at which the host checks whether the program accepts a line while it is at its prompt.
const (
	shortestPromptGap = 500 * time.Microsecond
	longestPromptGap  = 50 * time.Millisecond
)

// sendPrompts informs a client of when a line may be edited and when no longer.
func (a *attached) sendPrompts(ctx context.Context) {
	select {
	case <-a.h.opened:
	case <-ctx.Done():
		return
	}
	a.h.mu.Lock()
	s, is := a.h.session.(prompter)
	a.h.mu.Unlock()
	if !is {
		return
	}
	timer := time.NewTimer(0)
	defer timer.Stop()
	told, gap := Prompt{}, shortestPromptGap
	for {
		typed := a.drafts.typed.wait()
		seen := a.drafts.seen.Load() // read before the prompt, which includes it
		now := s.Prompt(a.id)
		p := Prompt{Editable: now.Editable, Continuation: now.Continuation, Seen: seen, Keys: now.Keys, Dropped: now.Dropped, Adapter: a.h.adapter.Name, Shell: a.h.adapter.Family == schema.FamilyShell, Cwd: now.Cwd}
		if p.differs(&told) {
			if !a.drafts.awaitShown(ctx, now.BytesRead) || a.frames.writeJSON(framePrompt, p) != nil {
				return
			}
			told, gap = p, shortestPromptGap
		}
		var again <-chan time.Time
		if !now.Editable && (now.Phase == session.PhaseReady || now.Continuation) {
			timer.Reset(gap)
			again, gap = timer.C, min(2*gap, longestPromptGap)
		}
		select {
		case <-now.Changes:
			gap = shortestPromptGap
		case <-typed:
		case <-again:
		case <-ctx.Done():
			return
		}
	}
}

// differs reports whether p has to be sent to a client that was last sent told.
func (p *Prompt) differs(told *Prompt) bool {
	return p.Editable != told.Editable || p.Dropped != told.Dropped || len(p.Keys) > 0 || p.Editable && (p.Continuation != told.Continuation || p.Seen != told.Seen || p.Cwd != told.Cwd)
}
