package loop

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"ripple/runtime/event"
	"ripple/runtime/loop/layout"
)

// Standing is how a project's loop stands, by its files.
type Standing struct {
	Found     bool    `json:"found"` // a loop has run here
	State     string  `json:"state"` // running, blocked, completed, not_started or unknown
	Status    Status  `json:"status"`
	Runner    *Holder `json:"runner,omitempty"` // who runs it now
	Breaker   Breaker `json:"circuit_breaker"`
	SessionID string  `json:"session_id,omitempty"`
	OpenTasks int     `json:"open_tasks"`
	DoneTasks int     `json:"done_tasks"`
	NextTask  string  `json:"next_task,omitempty"` // the first open one
	Tasks     []Task  `json:"-"`
}

// Breaker is what .circuit_breaker_state says.
type Breaker = breaker

// ReadStanding reads the files of a project's loop; it changes nothing. Files
// that are not there leave zero values.
func ReadStanding(project string) (s Standing, err error) {
	if err := layout.Check(project); err != nil {
		return s, err
	}
	if s.Status, s.Runner, s.Found, err = readStatus(project); err != nil {
		return s, err
	}
	dir := filepath.Join(project, layout.Dir)
	if err := readLoose(filepath.Join(dir, layout.BreakerFile), &s.Breaker); err != nil {
		return s, err
	}
	var session struct {
		ID string `json:"session_id"`
	}
	if err := readLoose(filepath.Join(dir, layout.SessionFile), &session); err != nil {
		return s, err
	}
	s.SessionID = session.ID
	store := &store{dir: dir}
	text, err := readPlanText(layout.PlanIn(project, filepath.Join(project, store.holder().Dir)))
	p := parsePlan(text)
	s.OpenTasks, s.DoneTasks, s.Tasks = p.open, p.ticked, parseTasks(text)
	s.NextTask = nextTask(s.Tasks)
	s.State = s.normal()
	return s, err
}

// normal is one of five words for how a loop stands. Who is not running and not
// done waits for somebody: blocked is a loop that stopped or was killed.
func (s *Standing) normal() string {
	switch {
	case s.Runner != nil:
		return "running"
	case !s.Found:
		return "not_started"
	case s.Status.Status == "completed", s.Status.Status == "graceful_exit":
		return "completed"
	case slices.Contains([]string{"running", "paused", "halted", "stopped", "success", "error"}, s.Status.Status):
		return "blocked"
	}
	return "unknown"
}

// Run is what events.jsonl has of the run that is under way or ended last.
type Run struct {
	CostUSD float64      `json:"cost_usd"`         // of its turns that ended
	Tokens  event.Tokens `json:"tokens,omitzero"`  // of these
	Reason  string       `json:"reason,omitempty"` // it stopped; "" while it runs
	Why     string       `json:"why,omitempty"`    // the same in words
}

// ReadRun reads the end of a project's events.jsonl; it changes nothing. One
// that is not there leaves zero values.
func ReadRun(project string) (r Run, err error) {
	f, err := os.Open(filepath.Join(project, layout.Dir, layout.EventsFile))
	if errors.Is(err, fs.ErrNotExist) {
		return r, nil
	}
	if err != nil {
		return r, err
	}
	defer f.Close() // only read from
	info, err := f.Stat()
	if err != nil {
		return r, err
	}
	last := true
	err = eachLineBackwards(f, info.Size(), func(data []byte, _ int64) bool {
		var v line
		err := json.Unmarshal(data, &v)
		if last && err == nil && v.Type == stopped {
			r.Reason, r.Why = v.Reason, v.Why
		}
		if last = false; err != nil {
			return false // torn, or nobody's
		}
		if v.State != nil {
			r.CostUSD, r.Tokens = v.State.CostUSD, v.State.Tokens
		}
		return v.State != nil
	})
	return r, err
}

// UnreadableError is a file of the loop that ReadStanding cannot read. A loop
// writes status.json anew and puts the others aside when they are damaged.
type UnreadableError struct {
	Path string
	Err  error
}

func (e *UnreadableError) Error() string { return fmt.Sprintf("cannot read %s: %v", e.Path, e.Err) }
func (e *UnreadableError) Unwrap() error { return e.Err }

// readLoose reads JSON that may be absent.
func readLoose(path string, to any) error {
	data, err := layout.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil {
		err = json.Unmarshal(data, to)
	}
	if err != nil {
		return &UnreadableError{path, err}
	}
	return nil
}

// What Reset can reset.
const (
	ResetCircuit = "circuit"
	ResetSession = "session"
)

// Reset closes the circuit (total_opens begins anew, too) or forgets the agent's
// session. Errors: *LockedError while a loop runs.
func Reset(project, what string, now time.Time) error {
	s := &store{dir: filepath.Join(project, layout.Dir)}
	if err := layout.Check(project); err != nil {
		return err
	}
	if err := os.MkdirAll(s.dir, 0o755); err != nil {
		return err
	}
	unlock, err := s.lock(now)
	if err != nil {
		return err
	}
	defer unlock() // the lock ends with the process at the latest
	log, err := openLog(s.path(layout.EventsFile))
	if err != nil {
		return err
	}
	if err := s.reset(log, what, now); err != nil {
		_ = log.close() // what matters was written
		return err
	}
	return log.close()
}

// reset changes the files, and the state with which the last run would go on.
func (s *store) reset(log *log, what string, now time.Time) error {
	found, err := log.recover(func() (io.WriteCloser, error) { return s.asideFile(0, now) })
	if err != nil {
		return err
	}
	st := found.state
	if st == nil {
		st = &state{Run: stamp(now)}
		if st.Session, _, err = s.loadSession(); err != nil {
			return err
		}
	}
	if found.stopped != nil {
		st.goOn() // as --resume would have done after that stop
	}
	if what == ResetCircuit {
		st.Breaker, st.Memory = breaker{State: closed}, memory{}
		if err := s.writeJSON(layout.BreakerFile, st.Breaker); err != nil {
			return err
		}
	}
	if m := st.Session.reset("manual_reset_"+what, st.Turn, now); m != nil {
		if err := s.saveSession(st.Session, []transition{*m}); err != nil {
			return err
		}
		st.Used = zeroTokens
	}
	return log.add(line{Turn: st.Turn, Time: now, Type: resetDone, What: what, State: st})
}
