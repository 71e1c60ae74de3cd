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

// Passage is a part of a program's output with one interpretation.
type Passage struct {
	As   session.Class
	Raw  []byte // as printed; empty for a session.ClassEnd
	Text string // of a marker its name, of a session.ClassEnd the rule
}

// Transcript is a program's output, divided into passages. The zero value is empty.
// Its methods may be called from several goroutines.
type Transcript struct {
	mu       sync.Mutex
	passages []placed
	size     int
	limit    int // bytes that are kept until Rest is called; 0: mostKept
}

type placed struct {
	Passage
	from int64
}

const mostKept = 4 << 20

// Observe implements session.Observer; it does nothing.
func (*Transcript) Observe(session.Event) {}

// ObservePiece implements session.PieceObserver.
func (t *Transcript) ObservePiece(p session.Piece) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if p.Data == nil && p.Class != session.ClassEnd {
		t.retake(p)
		return
	}
	t.passages = append(t.passages, placed{Passage{p.Class, append([]byte(nil), p.Data...), p.Text}, p.From})
	if t.size += len(p.Data); t.size > cmp.Or(t.limit, mostKept) {
		t.forget()
	}
}

// forget drops the older half.
func (t *Transcript) forget() {
	rest := t.size / 2
	i := 0
	for ; t.size > rest && i < len(t.passages); i++ {
		t.size -= len(t.passages[i].Raw)
	}
	t.passages = slices.Clone(t.passages[i:])
}

// Note returns the interpretation of the passage.
func (p *Passage) Note() Note { return Note{p.As, p.Text} }

// retake changes the interpretation of a range of the stream.
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
			as       session.Class
		}{{old.from, from, old.As}, {from, to, p.Class}, {to, end, old.As}} {
			if part.from < part.to {
				all = append(all, placed{Passage{part.as, old.Raw[part.from-old.from : part.to-old.from], old.Text}, part.from})
			}
		}
	}
	t.passages = all
}

// Rest returns the passages since the previous call. Adjacent passages with the same
// interpretation are merged.
func (t *Transcript) Rest() (all []Passage) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, p := range t.passages {
		last := len(all) - 1
		if last >= 0 && all[last].As == p.As && all[last].Text == p.Text && p.As != session.ClassMarker && p.As != session.ClassEnd {
			all[last].Raw = append(all[last].Raw, p.Raw...)
			continue
		}
		p.Raw = append([]byte(nil), p.Raw...)
		all = append(all, p.Passage)
	}
	t.passages, t.size = nil, 0
	return all
}
