package loop

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"ripple/runtime/event"
	"ripple/runtime/loop/layout"
)

// state is all that a loop knows between two turns. It is written as a whole
// with one line of events.jsonl, so that a crash finds it before or after a turn
// and never in between; the seed's files are made from it.
type state struct {
	Run     string               `json:"run"`
	Turn    int                  `json:"turn"` // the last one that ended
	Millis  int64                `json:"elapsed_ms"`
	CostUSD float64              `json:"cost_usd"`
	Tokens  event.Tokens         `json:"tokens,omitzero"`   // without their cost
	Agent   string               `json:"agent,omitempty"`   // took the last turn
	Limited map[string]time.Time `json:"limited,omitempty"` // with --fallback: agents, until when
	Start   string               `json:"start,omitempty"`   // commit before the first turn

	Breaker breaker      `json:"breaker"`
	Memory  memory       `json:"memory"`
	Gate    gate         `json:"gate"`
	Session session      `json:"session"`
	Moves   []transition `json:"moves,omitempty"` // of the session in the last turn
	Used    event.Tokens `json:"used,omitzero"`

	Failures  int           `json:"failures"`         // turns in a row
	Failed    event.Kind    `json:"failed,omitempty"` // how the last turn failed
	Halted    bool          `json:"halted,omitempty"` // a denial in mode halt
	Hint      string        `json:"hint,omitempty"`   // what to do about Failed, in the adapter's words
	Asked     string        `json:"asked,omitempty"`  // what the last turn asked a person, and did nothing else
	Limits    int           `json:"limits"`           // provider limits in a row
	Waited    time.Duration `json:"waited_ns"`        // for these
	NotBefore time.Time     `json:"not_before,omitzero"`

	Task         string `json:"task,omitempty"` // what the plan had the last turn do
	Said         string `json:"said,omitempty"` // the last sentence of the last turn
	Last         string `json:"last,omitempty"` // one line on the last turn
	Recommended  string `json:"recommended,omitempty"`
	Progress     bool   `json:"progress"`
	Removed      int    `json:"removed,omitempty"`       // boxes that were taken out of the plan
	Claims       int    `json:"claims"`                  // claims of being done that failed
	VerifyFailed string `json:"verify_failed,omitempty"` // how the last one failed
	Examined     int    `json:"examined"`                // turns whose claim was examined: Turn+1
	Proven       string `json:"proven,omitempty"`        // digest of the tree that --verify accepted
	Committed    int    `json:"committed"`               // the last turn that Git is done with

	Refused int      `json:"refused,omitempty"` // commits in a row
	Refusal string   `json:"refusal,omitempty"` // of the last one
	Owed    []string `json:"owed,omitempty"`    // files that the next commit takes, quoted
}

// tokens are those that --max-tokens counts: in and out, without what came from a
// cache or went there.
func (s *state) tokens() int64 { return s.Tokens.Input + s.Tokens.Output }

// goOn forgets what stopped the loop, since somebody asked it to go on.
func (s *state) goOn() {
	s.Failures, s.Failed, s.Halted, s.Hint, s.Asked = 0, "", false, "", ""
	s.Limits, s.Waited, s.NotBefore, s.Limited = 0, 0, time.Time{}, nil
	s.Refused = 0
	s.Claims, s.Gate.Blocked, s.Gate.TestTurns = 0, 0, 0
}

// Types of the lines of events.jsonl that are the loop's own.
const (
	runStarted  = "run_started"
	turnStarted = "turn_started"
	turnEnded   = "turn_ended"
	verified    = "verified"
	committed   = "committed"
	resetDone   = "reset"
	stopped     = "stopped"
	writtenBack = "written_back"

	commitRefused = "commit_refused"
)

// line is one of these. Events of the agent have the first three keys too.
type line struct {
	Turn int       `json:"turn"`
	Seq  int64     `json:"seq"`
	Time time.Time `json:"time"`
	Type string    `json:"type"`

	Session  string         `json:"session_id,omitempty"` // turn_started
	Agent    string         `json:"agent,omitempty"`      // turn_started
	Branch   string         `json:"branch,omitempty"`     // turn_started: that of --worktree
	Task     string         `json:"task,omitempty"`       // turn_started: the first open one
	MaxTurns int            `json:"max_turns,omitempty"`  // turn_started
	Progress *bool          `json:"progress,omitempty"`   // turn_ended
	Changed  []string       `json:"changed,omitempty"`    // turn_ended: files, at most 50
	Failure  *event.Failure `json:"failure,omitempty"`    // turn_ended
	Verdicts []verdict      `json:"verdicts,omitempty"`   // verified
	SHA      string         `json:"sha,omitempty"`        // committed
	Tag      string         `json:"tag,omitempty"`        // committed
	What     string         `json:"what,omitempty"`       // reset
	Reason   string         `json:"reason,omitempty"`     // stopped
	ExitCode *int           `json:"exit_code,omitempty"`  // stopped
	Why      string         `json:"why,omitempty"`        // stopped, commit_refused
	State    *state         `json:"state,omitempty"`
}

// log is events.jsonl.
type log struct {
	*journal
	seq   int64  // of the next line
	check func() // Options.Believable; nil for a reset
}

// openLog opens events.jsonl and finds where its numbers go on.
func openLog(path string) (*log, error) {
	j, err := openJournal(path)
	if err != nil {
		return nil, err
	}
	l := &log{journal: j, seq: 1}
	return l, l.renumber()
}

func (l *log) renumber() error {
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

// event adds an event of the agent.
func (l *log) event(turn int, now time.Time, e event.Event) error {
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

// add adds a line of the loop itself; one with a state is on the disk when add
// returns.
func (l *log) add(v line) error {
	if l.check != nil {
		l.check()
	}
	v.Seq = l.seq
	data, err := json.Marshal(v)
	if err != nil {
		return err
	}
	l.seq++
	if err := l.append(append(data, '\n')); err != nil || v.State == nil {
		return err
	}
	return l.sync()
}

// usedIn is what a session had used when the last run ended: a new run that goes on
// with the session must not pay for it again.
func (l *log) usedIn(session string) (used event.Tokens, err error) {
	if session == "" {
		return used, nil
	}
	err = l.backwards(func(data []byte, _ int64) bool {
		var v line
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

// left is what a loop that ended, somehow, left behind.
type left struct {
	state   *state
	begun   bool  // a turn was begun and not ended
	stopped *line // how it ended, nil for a crash
}

// recover finds the last state and cuts off what an unfinished turn wrote after
// its beginning, which goes to aside: the turn is taken again.
func (l *log) recover(aside func() (io.WriteCloser, error)) (left, error) {
	var found left
	keep := l.size
	err := l.backwards(func(data []byte, start int64) bool {
		var v line
		if json.Unmarshal(data, &v) != nil {
			return false
		}
		found.state = v.State
		switch {
		case v.Type == stopped && !found.begun && found.stopped == nil:
			found.stopped = &v
		case v.Type == turnStarted && !found.begun:
			found.begun = true
			keep = start + int64(len(data)) + 1
		}
		return found.state != nil
	})
	if err != nil || keep == l.size {
		return found, err
	}
	if err := l.putAside(keep, aside); err != nil {
		return found, err
	}
	return found, errors.Join(l.truncate(keep), l.renumber())
}

// putAside copies what follows a place.
func (l *log) putAside(from int64, aside func() (io.WriteCloser, error)) error {
	w, err := aside()
	if err != nil {
		return err
	}
	_, err = io.Copy(w, io.NewSectionReader(l.f, from, l.size-from))
	return errors.Join(err, w.Close())
}

// asideFile makes a new file for the events of a turn that was cut off.
func (s *store) asideFile(turn int, now time.Time) (io.WriteCloser, error) {
	name := fmt.Sprintf("turn_%04d_%s_cut_*.jsonl", turn, stamp(now))
	return os.CreateTemp(filepath.Join(s.dir, layout.LogsDir), name)
}

func stamp(now time.Time) string { return now.UTC().Format("20060102T150405Z") }
