package journal

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"ripple/runtime/event"
	"ripple/runtime/loop/layout"
	"ripple/runtime/loop/record"
)

// Log is events.jsonl.
type Log struct {
	*lines
	store *Store
	mu    sync.Mutex // an agent may ask while it tells something else
	seq   int64      // of the next line
}

// OpenLog opens events.jsonl and finds where its numbers go on.
func (s *Store) OpenLog() (*Log, error) {
	j, err := openLines(s.Path(layout.EventsFile))
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
			return false // not ours; whoever wrote it, it is in nobody's way
		}
		l.seq = last.Seq + 1
		return true
	})
}

// Event adds an event of the agent.
func (l *Log) Event(turn int, now time.Time, e event.Event) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	data, err := json.Marshal(e)
	if err != nil {
		return fmt.Errorf("cannot record an event: %w", err)
	}
	at, err := now.MarshalJSON()
	if err != nil {
		return err
	}
	head := fmt.Appendf(nil, `{"turn":%d,"seq":%d,"time":%s,`, turn, l.seq, at)
	l.seq++
	return l.append(append(append(head, data[1:]...), '\n'))
}

// Add adds a line of the loop itself; one with a state, or with a question, is on the
// disk when Add returns.
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

// UsedIn is what a session had used when the last run ended: a new run that goes on
// with the session must not pay for it again.
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

// Left is what a loop that ended, somehow, left behind.
type Left struct {
	State   *record.State
	Begun   bool          // a turn was begun and not ended
	Stopped *record.Line  // how it ended, nil for a crash
	Asked   []record.Line // in the unfinished turn, the oldest first
}

// Recover finds the last state and cuts off what an unfinished turn wrote after
// its beginning, which goes to a file in logs: the turn is taken again. What it asked a
// person stays.
func (l *Log) Recover(now time.Time) (Left, error) {
	var found Left
	keep := l.size
	err := l.backwards(func(data []byte, start int64) bool {
		var v record.Line
		if json.Unmarshal(data, &v) != nil {
			return false
		}
		found.State = v.State
		switch {
		case v.Type == record.Asked && !found.Begun:
			found.Asked = append(found.Asked, v)
		case v.Type == record.Stopped && !found.Begun && found.Stopped == nil:
			found.Stopped = &v
		case v.Type == record.TurnStarted && !found.Begun:
			found.Begun = true
			keep = start + int64(len(data)) + 1
		}
		return found.State != nil
	})
	slices.Reverse(found.Asked)
	if err != nil || keep == l.size {
		return found, err
	}
	if err := l.putAside(keep, now); err != nil {
		return found, err
	}
	if len(found.Asked) > 0 {
		return found, l.cutBut(keep, found.Asked)
	}
	return found, errors.Join(l.truncate(keep), l.renumber())
}

// cutBut cuts off what follows a place, but for these lines. The file is as it was or
// as it is to be.
func (l *Log) cutBut(keep int64, lines []record.Line) error {
	whole := l.size
	l.size = keep
	var tail []byte
	if err := l.renumber(); err != nil {
		return err
	}
	for i := range lines {
		lines[i].Seq = l.seq
		l.seq++
		data, err := json.Marshal(lines[i])
		if err != nil {
			return err
		}
		tail = append(append(tail, data...), '\n')
	}
	if err := l.replace(tail); err != nil {
		l.size = whole
		return err
	}
	return nil
}

// CutOff says after or in which turn the run before was killed, 0 when it was not.
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

// putAside copies what follows a place to a file in logs.
func (l *Log) putAside(from int64, now time.Time) error {
	name := fmt.Sprintf("turn_0000_%s_cut_*.jsonl", record.Stamp(now))
	w, err := os.CreateTemp(l.store.Path(layout.LogsDir), name)
	if err != nil {
		return err
	}
	_, err = io.Copy(w, io.NewSectionReader(l.f, from, l.size-from))
	return errors.Join(err, w.Close())
}

// Rewrite puts the log under its name again, from the file that is still open. False:
// lines of it are lost.
func (l *Log) Rewrite() (whole bool, err error) {
	return !l.cut, l.replace(nil)
}

// replace puts a file with what the log has up to its size, and a tail, under its name.
func (l *Log) replace(tail []byte) error {
	path := l.store.Path(layout.EventsFile)
	f, err := os.CreateTemp(filepath.Dir(path), layout.TempMark+"*")
	if err != nil {
		return err
	}
	if _, err = io.Copy(f, io.NewSectionReader(l.f, 0, l.size)); err == nil {
		_, err = f.Write(tail)
	}
	if err = errors.Join(err, f.Chmod(0o644), f.Sync(), f.Close()); err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	j, err := openLines(path)
	if err != nil {
		return err
	}
	_ = l.f.Close() // all that was in it was copied
	l.lines = j
	return nil
}

// Lost says whether what the log writes to is no longer what its name leads to, or not
// all of it.
func (l *Log) Lost() bool { return l.lost() }

// Sync has all that was added on the disk when it returns.
func (l *Log) Sync() error { return l.sync() }

// Close syncs and closes the file.
func (l *Log) Close() error { return l.close() }
