package loop

import (
	"fmt"
	"time"

	"ripple/runtime/loop/config"
	"ripple/runtime/loop/hats"
	"ripple/runtime/loop/journal"
	"ripple/runtime/loop/layout"
	"ripple/runtime/loop/record"
)

// run is what the parts of a loop share: the settings, the state with the files that
// keep it, the clock, and who is told.
type run struct {
	clock
	notifier
	config  *config.Config
	project string // the directory that has .ralph
	store   *journal.Store
	log     *journal.Log
	state   record.State
	calls   window
	begun   bool         // the turn that comes next has begun, maybe before a crash
	stopped *record.Line // the stop that events.jsonl ends with
}

// restore makes the state: of the run that is gone on with, or of a new one,
// which starts with what the files say.
func (r *run) restore(resume bool) error {
	if _, damaged, err := r.store.ReadJSON(layout.CallsFile, &r.calls, func() bool { return true }); err != nil {
		return err
	} else if damaged != "" {
		r.calls = window{}
		r.noteDamage(damaged)
	}
	if resume {
		found, err := r.log.Recover(r.now())
		if err != nil {
			return err
		}
		if found.State != nil {
			r.resume(found)
			return nil
		}
		r.note("there is no run to go on with; a new one begins")
	}
	return r.begin()
}

func (r *run) resume(found journal.Left) {
	r.state, r.begun, r.stopped = *found.State, found.Begun, found.Stopped
	r.state.Moves = nil
	r.recall(found.Asked)
	r.earlier = time.Duration(r.state.Millis) * time.Millisecond
	if found.Stopped != nil {
		if found.Stopped.Reason == ReasonInterrupted && found.Begun {
			r.resetSession("manual_interrupt")
		}
		goOn(&r.state)
	}
	if r.config.AutoReset && r.state.Breaker.State != record.Closed {
		(*breaker)(&r.state.Breaker).close()
		r.state.Memory = record.Memory{}
	}
}

func (r *run) begin() error {
	if turn := r.log.CutOff(); turn > 0 {
		r.noteAbout(TopicCutOff, fmt.Sprintf("the run before was cut off in or after turn %d; this is a new run", turn))
	}
	now := r.now()
	s := record.State{Run: record.Stamp(now)}
	found, damaged, err := r.store.ReadJSON(layout.BreakerFile, &s.Breaker, s.Breaker.Valid)
	if err != nil {
		return err
	}
	if r.noteDamage(damaged); !found {
		s.Breaker = record.Breaker{State: record.Closed}
	}
	(*breaker)(&s.Breaker).begin(r.config.AutoReset)
	if s.Session, damaged, err = r.store.LoadSession(); err != nil {
		return err
	}
	r.noteDamage(damaged)
	if s.Used, err = r.log.UsedIn(s.Session.ID); err != nil {
		return err
	}
	var topics []hats.Topic
	if s.Hats, topics = r.beginHats(); s.Hats != nil { // whose hat's it is, nobody knows
		s.Session.Reset("hat_changed", 0, now)
		s.Used = zeroTokens
	}
	r.state = s
	return r.log.Add(record.Line{Time: now, Type: record.RunStarted, State: &r.state, Topics: topics})
}

func (r *run) noteDamage(name string) {
	if name != "" {
		r.note(fmt.Sprintf("the file was damaged and is now %s; the loop begins without it", r.store.Path(name)))
	}
}

// noteOnce notes what would be the same with each turn.
func (r *run) noteOnce(what, topic, text string) {
	if !r.noted[what] {
		r.noted[what] = true
		r.noteAbout(topic, text)
	}
}

// resetSession has the agent begin a new conversation.
func (r *run) resetSession(reason string) {
	if m := r.state.Session.Reset(reason, r.state.Turn, r.now()); m != nil {
		r.state.Moves = append(r.state.Moves, *m)
		r.state.Used = zeroTokens
	}
}

func (r *run) note(text string) { r.noteAbout("", text) }

func (r *run) noteAbout(topic, text string) {
	r.tell(Notice{Kind: NoticeNote, Turn: r.state.Turn, Topic: topic, Text: text})
}

func (r *run) expireSession() {
	r.state.Moves = nil
	if r.state.Session.Expired(r.config.SessionExpiry, r.now()) {
		r.resetSession("session_expired")
	}
}

func (r *run) sessionID() string {
	if !r.config.SessionContinuity {
		return ""
	}
	return r.state.Session.ID
}
