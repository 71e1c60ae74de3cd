package loop

import (
	"os"
	"path/filepath"
	"time"

	"ripple/runtime/loop/journal"
	"ripple/runtime/loop/layout"
	"ripple/runtime/loop/record"
)

// What Reset can reset.
const (
	ResetCircuit = "circuit"
	ResetSession = "session"
)

// Reset closes the circuit (total_opens begins anew, too) or forgets the agent's
// session. Errors: *journal.LockedError while a loop runs.
func Reset(project, what string, now time.Time) error {
	s := journal.NewStore(project, nil)
	if err := layout.Check(project); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Join(project, layout.Dir), 0o755); err != nil {
		return err
	}
	unlock, err := s.Lock(now)
	if err != nil {
		return err
	}
	defer unlock() // the lock ends with the process at the latest
	log, err := s.OpenLog()
	if err != nil {
		return err
	}
	if err := reset(s, log, what, now); err != nil {
		_ = log.Close() // what matters was written
		return err
	}
	return log.Close()
}

// reset changes the files, and the state with which the last run would go on.
func reset(s *journal.Store, log *journal.Log, what string, now time.Time) error {
	found, err := log.Recover(now)
	if err != nil {
		return err
	}
	st := found.State
	if st == nil {
		st = &record.State{Run: record.Stamp(now)}
		if st.Session, _, err = s.LoadSession(); err != nil {
			return err
		}
	}
	for _, v := range found.Asked {
		st.Questions = journal.Fold(st.Questions, v)
		st.Asking++
	}
	if found.Stopped != nil {
		goOn(st) // as going on would have done after that stop
	}
	if what == ResetCircuit {
		st.Breaker, st.Memory = record.Breaker{State: record.Closed}, record.Memory{}
		if err := s.WriteJSON(layout.BreakerFile, st.Breaker); err != nil {
			return err
		}
	}
	if m := st.Session.Reset("manual_reset_"+what, st.Turn, now); m != nil {
		if err := s.SaveSession(st.Session, []record.Move{*m}); err != nil {
			return err
		}
		st.Used = zeroTokens
	}
	return log.Add(record.Line{Turn: st.Turn, Time: now, Type: record.Reset, What: what, State: st})
}

// goOn forgets what stopped the loop, since somebody asked it to go on.
func goOn(s *record.State) {
	s.Failures, s.Failed, s.Halted, s.Hint, s.Asked = 0, "", false, "", ""
	s.Limits, s.Waited, s.NotBefore, s.Limited = 0, 0, time.Time{}, nil
	s.Refused = 0
	s.Claims, s.Gate.Blocked, s.Gate.TestTurns = 0, 0, 0
}
