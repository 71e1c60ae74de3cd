package loop

import (
	"time"

	"example.org/ripple/internal/layout"
	"example.org/ripple/runtime/loop/journal"
	"example.org/ripple/runtime/loop/record"
)

// Targets of Reset.
const (
	ResetCircuit = "circuit"
	ResetSession = "session"
)

// Reset closes the circuit, which also resets total_opens, or discards the agent's session.
// Errors: *journal.LockedError while a loop runs.
func Reset(project, what string, now time.Time) error {
	s := journal.NewStore(project, nil)
	if err := layout.Check(project); err != nil {
		return err
	}
	if err := s.Files().Mkdir("", 0o777); err != nil {
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
	if err := resetLocked(s, log, what, now); err != nil {
		_ = log.Close() // the state was written and synced
		return err
	}
	return log.Close()
}

// resetLocked changes the files, and the state from which the last run would continue.
func resetLocked(s *journal.Store, log *journal.Log, what string, now time.Time) error {
	found, err := log.Recover()
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
	if found.Begun {
		recall(st, found.Talk)
		addCut(st, found.Spent)
		if err := log.Add(record.Line{Turn: found.Turn, Time: now, Type: record.TurnCut, Why: leftWords(found), State: st}); err != nil {
			return err
		}
	}
	if found.Stopped != nil {
		goOn(st) // as resuming after that stop would have done
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

// goOn clears the cause of the last stop when the loop is resumed.
func goOn(s *record.State) {
	s.Failures, s.Failed, s.Halted, s.Hint, s.Asked = 0, "", false, "", ""
	s.Limits, s.Waited, s.NotBefore, s.Limited, s.Handed = 0, 0, time.Time{}, nil, nil
	s.Refused = 0
	if s.Claims > 0 && s.Breaker.State == record.Closed { // the user may have mended what the check needs, and the agent has nothing to change
		(*breaker)(&s.Breaker).close()
		s.Memory = record.Memory{Outputs: s.Memory.Outputs}
	}
	s.Claims, s.Gate.Blocked, s.Gate.TestTurns = 0, 0, 0
}
