// Package annotate labels each part of a program's output with the session's interpretation:
// Transcript in lines, Sheet on the program's screen. Both are a
// session.PieceObserver, and read nothing a second time.
package annotate

import (
	"cmp"
	"slices"
	"sync"

	"example.org/ripple/runtime/session"
)

// Passage is a part of what a program printed that was taken for one thing.
type Passage struct {
	As   session.Taken
	Raw  []byte // as it was printed; of a session.TakenEnd nothing
	Text string // of a marker its name, of a session.TakenEnd the rule
}

// Transcript is what a program printed, divided into passages. The zero value is empty.
// Its methods may be called from several goroutines.
type Transcript struct {
	mu       sync.Mutex
	passages []placed
	size     int
	limit    int // bytes that are kept of what nobody asks for; 0: mostKept
}

type placed struct {
	Passage
	from int64
}

const mostKept = 4 << 20

// Observe makes it a session.Observer; there is nothing to see for it.
func (*Transcript) Observe(session.Event) {}

// Take makes it a session.PieceObserver.
func (t *Transcript) Take(p session.Piece) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if p.Data == nil && p.As != session.TakenEnd {
		t.retake(p)
		return
	}
	t.passages = append(t.passages, placed{Passage{p.As, append([]byte(nil), p.Data...), p.Text}, p.From})
	if t.size += len(p.Data); t.size > cmp.Or(t.limit, mostKept) {
		t.forget()
	}
}

// forget forgets the older half.
func (t *Transcript) forget() {
	rest := t.size / 2
	i := 0
	for ; t.size > rest && i < len(t.passages); i++ {
		t.size -= len(t.passages[i].Raw)
	}
	t.passages = slices.Clone(t.passages[i:])
}

// Note is what it was taken for.
func (p *Passage) Note() Note { return Note{p.As, p.Text} }

// retake takes a stretch for something else than before.
func (t *Transcript) retake(p session.Piece) {
	var all []placed
	for _, old := range t.passages {
		end := old.from + int64(len(old.Raw))
		from, to := max(p.From, old.from), min(p.To, end)
		if from >= to {
			all = append(all, old)
			continue
		}
		for _, part := range []struct {
			from, to int64
			as       session.Taken
		}{{old.from, from, old.As}, {from, to, p.As}, {to, end, old.As}} {
			if part.from < part.to {
				all = append(all, placed{Passage{part.as, old.Raw[part.from-old.from : part.to-old.from], old.Text}, part.from})
			}
		}
	}
	t.passages = all
}

// Rest is what came since it was asked for last. Neighbours that were taken for the same
// are one passage.
func (t *Transcript) Rest() (all []Passage) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, p := range t.passages {
		last := len(all) - 1
		if last >= 0 && all[last].As == p.As && all[last].Text == p.Text && p.As != session.TakenMarker && p.As != session.TakenEnd {
			all[last].Raw = append(all[last].Raw, p.Raw...)
			continue
		}
		p.Raw = append([]byte(nil), p.Raw...)
		all = append(all, p.Passage)
	}
	t.passages, t.size = nil, 0
	return all
}
