package loop

import (
	"errors"
	"fmt"
	"reflect"
	"time"

	"example.org/ripple/internal/layout"
	"example.org/ripple/runtime/event"
	"example.org/ripple/runtime/internal/fault"
	"example.org/ripple/runtime/loop/config"
	"example.org/ripple/runtime/loop/hats"
	"example.org/ripple/runtime/loop/journal"
	"example.org/ripple/runtime/loop/record"
)

// run is shared by the parts of a loop: the settings, the state with its files, the clock, and
// the observer.
type run struct {
	clock
	notifier
	config   *config.Config
	settings *record.Settings // for the record; nil if unknown
	project  string           // the directory that contains .ralph
	accepted []string         // see Options.GitAccepted
	store    *journal.Store
	log      *journal.Log
	state    record.State
	calls    window
	inTurn   bool         // a turn has started, and its end is not recorded yet
	stopped  *record.Line // the last line of events.jsonl, if it is a stop
	faults   fault.Reports
	logs     logRoom
}

// stateNow returns the state for a line of the record, with the duration of the run up to now.
func (r *run) stateNow() *record.State {
	r.state.Millis = r.elapsed().Milliseconds()
	return &r.state
}

// restore creates the state: that of the resumed run, or that of a new one, which starts from the
// files.
func (r *run) restore(resume bool) error {
	if _, damaged, err := r.store.ReadJSON(layout.CallsFile, &r.calls, func() bool { return true }); err != nil {
		return err
	} else if damaged != "" {
		r.calls = window{}
		r.noteDamage(damaged)
	}
	if resume {
		found, err := r.log.Recover()
		if err != nil {
			return err
		}
		if found.State == nil {
			return noRun()
		}
		return errors.Join(r.resume(found), r.recordSettings())
	}
	return r.begin()
}

// recordSettings records the settings of a resumed run, if they differ.
func (r *run) recordSettings() error {
	if r.settings == nil {
		return nil
	}
	began, err := r.log.Began()
	if err != nil || reflect.DeepEqual(began.Settings, r.settings) {
		return err
	}
	return r.log.Add(record.Line{Turn: r.state.Turn, Time: r.now(), Type: record.SettingsChanged, Settings: r.settings})
}

func noRun() *Stop {
	return &Stop{Reason: ReasonNoRun, Message: "No run is recorded in " + layout.Dir + ", so there is nothing to resume."}
}

func (r *run) resume(found journal.Left) error {
	r.restoreState(found)
	if !found.Begun {
		return nil
	}
	r.tellCut(found.Turn, found.Spent, leftWords(found))
	return r.cut(found.Turn, found.Spent, leftWords(found))
}

// restoreState takes over what the resumed run left. It writes nothing.
func (r *run) restoreState(found journal.Left) {
	r.state, r.inTurn, r.stopped = *found.State, found.Begun, found.Stopped
	r.state.Moves = nil
	if r.checkSession(&r.state.Session) {
		r.state.Used = zeroTokens
	}
	r.earlier = time.Duration(r.state.Millis) * time.Millisecond
	if found.Stopped != nil {
		if found.Stopped.Reason == ReasonInterrupted && r.begun() {
			r.resetSession("manual_interrupt")
		}
		goOn(&r.state)
	}
	if r.config.AutoReset && r.state.Breaker.State != record.Closed {
		(*breaker)(&r.state.Breaker).close()
		r.state.Memory = record.Memory{}
	}
	if !found.Begun {
		return
	}
	recall(&r.state, found.Talk)
	if r.state.Session.ID != "" { // it continues, and its earlier usage is already paid for
		r.state.Used = r.state.Used.Add(found.Spent)
	}
	r.earlier += found.Took
}

func (r *run) begin() error {
	if turn := r.log.CutOff(); turn > 0 {
		r.noteAbout(TopicCutOff, fmt.Sprintf("the previous run was interrupted in or after turn %d; this is a new run", turn))
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
	r.checkSession(&s.Session)
	if s.Used, err = r.log.UsedIn(s.Session.ID); err != nil {
		return err
	}
	var topics []hats.Topic
	if s.Hats, topics = r.beginHats(); s.Hats != nil { // the hat that owns it is unknown
		s.Session.Reset("hat_changed", 0, now)
		s.Used = zeroTokens
	}
	if last, err := r.log.Recover(); err == nil && last.State != nil {
		s.Checkouts = leftBefore(last.State.Checkouts, r.config.Worktree != "")
	}
	r.state = s
	return r.log.Add(record.Line{Time: now, Type: record.RunStarted, Settings: r.settings, State: &r.state, Topics: topics})
}

func (r *run) noteDamage(name string) {
	if name != "" {
		r.note(fmt.Sprintf("the file was damaged and was renamed to %s; the loop starts without it", r.store.Path(name)))
	}
}

// noteOnce sends a note that would be the same in each turn.
func (r *run) noteOnce(what, topic, text string) {
	if !r.noted[what] {
		r.noted[what] = true
		r.noteAbout(topic, text)
	}
}

// checkSession drops, and reports, a session whose ID does not have the form of one: files of a project may have
// been written by another tool, or may come with a checkout.
func (r *run) checkSession(s *record.Session) (dropped bool) {
	if s.ID == "" || event.IsSessionID(s.ID) {
		return false
	}
	r.note(fmt.Sprintf("%s: %q is not a session ID (%s): it is ignored, and the next turn begins a new session",
		journal.SessionPlace(r.store, s.ID), record.Shorten(s.ID, 100), event.SessionIDForm))
	s.Reset("invalid_session_id", r.state.Turn, r.now())
	return true
}

// resetSession ends the agent's conversation, so that the next turn starts a new one.
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

// mostTurns returns the number of the last turn that the run may take. Turns lost to the provider are numbered, too, and do not
// use up the limit; MAX_WAIT bounds them.
func (r *run) mostTurns() int { return r.config.MaxTurns + r.state.Lost }

func (r *run) sessionID() string {
	if !r.config.SessionContinuity {
		return ""
	}
	return r.state.Session.ID
}
