package journal

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"sync"
	"time"

	"example.org/ripple/internal/layout"
	"example.org/ripple/runtime/event"
	"example.org/ripple/runtime/loop/record"
)

// Log is events.jsonl.
type Log struct {
	*lines
	store *Store
	mu    sync.Mutex // an agent may ask while it reports other events
	seq   int64      // of the next line
}

// OpenLog opens events.jsonl and finds the next sequence number.
func (s *Store) OpenLog() (*Log, error) {
	j, err := openLines(s.files, layout.EventsFile)
	if err != nil {
		return nil, err
	}
	l := &Log{lines: j, store: s, seq: 1}
	return l, l.renumber()
}

func (l *Log) renumber() error {
	l.seq = 1
	return l.backwards(func(data []byte, _ int64) bool {
		var last struct{ Seq int64 }
		if json.Unmarshal(data, &last) != nil {
			return false // not written by ripple; ignore it
		}
		l.seq = last.Seq + 1
		return true
	})
}

// Event appends an event of the agent, given as JSON.
func (l *Log) Event(turn int, now time.Time, data json.RawMessage) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	at, err := now.MarshalJSON()
	if err != nil {
		return err
	}
	head := fmt.Appendf(nil, `{"turn":%d,"seq":%d,"time":%s,`, turn, l.seq, at)
	l.seq++
	return l.append(append(append(head, data[1:]...), '\n'))
}

// Add appends a line of the loop itself; a line with a state or a question is synced to disk
// before Add returns.
func (l *Log) Add(v record.Line) error {
	if l.store.check != nil {
		l.store.check()
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	v.Seq = l.seq
	data, err := json.Marshal(v)
	if err != nil {
		return err
	}
	l.seq++
	if err := l.append(append(data, '\n')); err != nil || v.State == nil && v.Type != record.Asked {
		return err
	}
	return l.sync()
}

// UsedIn returns the tokens that a session had used when the last run ended; a new run that
// continues the session must not count them again.
func (l *Log) UsedIn(session string) (used event.Tokens, err error) {
	if session == "" {
		return used, nil
	}
	err = l.backwards(func(data []byte, _ int64) bool {
		var v record.Line
		if json.Unmarshal(data, &v) != nil || v.State == nil {
			return false
		}
		if v.State.Session.ID == session {
			used = v.State.Used
		}
		return true
	})
	return used, err
}

// Left is the data that an ended or killed loop left in its log.
type Left struct {
	State   *record.State
	Stopped *record.Line // how it ended; nil after a crash

	// Begun says that a turn is unfinished: the log has no final line for it. The fields below
	// describe that turn.
	Begun bool
	Turn  int
	Took  time.Duration // time until its last line
	Spent event.Tokens  // as the agent reported it
	Talk  []record.Line // its questions and answers, oldest first
}

// Recover finds the last state, and the lines that an unfinished turn wrote after it. It changes
// nothing. Numbers of turns below zero are an error, which names the line.
func (l *Log) Recover() (Left, error) {
	var found Left
	told := false      // the last usage of the unfinished turn was found
	bad := int64(-1)   // offset of a line that no loop has written
	var last time.Time // time of its last line
	err := l.backwards(func(data []byte, start int64) bool {
		r, err := Parse(data)
		if err != nil {
			return false
		}
		if r.Turn < 0 || r.State != nil && r.State.BelowZero() {
			bad = start
			return true
		}
		found.State = r.State
		if last.IsZero() && r.Type != record.Stopped {
			last = r.Time
		}
		switch {
		case found.Begun:
		case r.Event != nil:
			told = found.spend(*r.Event, told)
		case slices.Contains([]string{record.Asked, record.Answered, record.Guided}, r.Type):
			found.Talk = append(found.Talk, r.Line)
		case r.Type == record.Stopped && found.Stopped == nil:
			found.Stopped = &r.Line
		case r.Type == record.TurnStarted:
			found.Begun, found.Turn, found.Took = true, r.Turn, max(0, last.Sub(r.Time))
		}
		return found.State != nil
	})
	if err == nil && bad >= 0 {
		return Left{}, l.damaged(bad)
	}
	slices.Reverse(found.Talk)
	if !found.Begun {
		found.Spent, found.Talk = event.Tokens{}, nil
	}
	return found, err
}

// damaged returns the error for the line at an offset.
func (l *Log) damaged(start int64) error {
	number, err := l.numberAt(start)
	if err != nil {
		return err
	}
	return fmt.Errorf("%s:%d: damaged: a number of turns is negative; restore the file, or begin a new run", l.f.Name(), number)
}

// spend adds an event of the unfinished turn, last event first: a usage covers the turn so far.
func (f *Left) spend(e event.Event, told bool) bool {
	cost := max(f.Spent.CostUSD, e.CostUSD)
	if e.Type == event.Usage && e.Tokens != nil {
		cost = max(cost, e.Tokens.CostUSD)
		if !told {
			f.Spent = *e.Tokens
		}
		told = true
	}
	f.Spent.CostUSD, f.Spent.Scope = cost, ""
	return told
}

// CutOff returns the number of the turn in or after which the previous run was killed; 0 if it
// was not.
func (l *Log) CutOff() (turn int) {
	_ = l.backwards(func(data []byte, _ int64) bool { // only a hint
		var last record.Line
		if json.Unmarshal(data, &last) != nil {
			return false
		}
		if last.Type != record.Stopped && last.Type != record.Reset && last.Type != record.RunStarted {
			turn = last.Turn
		}
		return true
	})
	return turn
}

// Rewrite restores the log under its name from the open file. It returns false if lines are lost.
func (l *Log) Rewrite() (whole bool, err error) {
	whole = !l.cut // of the replaced file
	return whole, l.replaceBy(func(to io.Writer) error {
		_, err := io.Copy(to, io.NewSectionReader(l.f, 0, l.size))
		return err
	})
}

// Lost reports whether the file under the log's name is no longer the open file, or was
// truncated.
func (l *Log) Lost() bool { return l.lost() }

// Sync syncs all added lines to disk.
func (l *Log) Sync() error { return l.sync() }

// Close syncs and closes the file.
func (l *Log) Close() error { return l.close() }
