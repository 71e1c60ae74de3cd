package loop

import (
	"cmp"
	"context"
	"fmt"
	"path"
	"strings"
	"time"

	"example.org/ripple/internal/layout"
	"example.org/ripple/runtime/event"
	"example.org/ripple/runtime/loop/hats"
	"example.org/ripple/runtime/loop/journal"
	"example.org/ripple/runtime/loop/record"
)

// dispatcher assigns turns to hats, and topics to turns.
type dispatcher struct {
	*run
	work   *workspace
	team   *team
	agents map[string]Member // agents of the hats that have their own, by the hats' keys
	choice hats.Choice       // for the current turn
	first  []hats.Topic      // first topics of hats that were added during the run
	token  string            // authorizes the turn's commands to publish

	// Before end of this turn; nil: the rules have not been applied to it.
	before *hats.State
	begun  []hats.Topic // first
}

// rules returns the rules of the hats, never nil.
func (r *run) rules() *hats.Rules {
	if r.config.Hats == nil {
		return &hats.Rules{}
	}
	return r.config.Hats
}

// beginHats returns the initial state and topics of a run; nil for a loop without topics.
func (r *run) beginHats() (*hats.State, []hats.Topic) {
	if !r.rules().Active() {
		return nil, nil
	}
	s, topics := r.rules().Begin()
	return &s, topics
}

// choose finds the hat of the next turn, its agent and its conversation.
func (d *dispatcher) choose() {
	rules := d.rules()
	if d.state.Hats == nil { // the hats were added during the run
		d.state.Hats, d.first = d.beginHats()
	}
	d.choice = rules.Next(d.state.Hats)
	h := d.choice.Hat
	d.team.own = nil
	if h == nil {
		d.useSession("", false)
		return
	}
	if own, has := d.agents[h.Key]; has {
		d.team.own = &own
	}
	d.useSession(ownKey(h), h.Session == hats.Fresh)
}

// ownKey returns the key under which the session of a hat is kept.
func ownKey(h *hats.Hat) string {
	if h.Session == hats.Shared {
		return ""
	}
	return h.Key
}

// useSession parks the current session and continues that of a hat, or the loop's if key is
// "". If fresh is set, a new session starts.
func (d *dispatcher) useSession(key string, fresh bool) {
	s := &d.state
	if key == s.SessionOf && !fresh {
		return
	}
	parked := map[string]record.Parked{s.SessionOf: {Session: s.Session, Used: s.Used}}
	for k, v := range s.Parked {
		if k != s.SessionOf {
			parked[k] = v
		}
	}
	next, known := parked[key]
	if delete(parked, key); !known || fresh {
		next = record.Parked{Session: record.Session{ResetAt: d.now(), ResetReason: "hat_changed"}}
	}
	s.SessionOf, s.Session, s.Used, s.Parked = key, next.Session, next.Used, parked
}

// begin opens the inbox of a turn, and adds what the turn is for to its prompt.
func (d *dispatcher) begin(e *ended) (err error) {
	rules := d.rules()
	d.token, e.hat, d.before = "", d.hat(), nil
	if !rules.Active() {
		return nil
	}
	part := rules.Part(d.choice)
	e.hatContext = part.Context
	if part.Prompt != "" {
		e.prompt = strings.TrimRight(e.prompt, "\n") + "\n\n" + part.Prompt
	}
	e.said.topics = hats.NewScanner(e.prompt)
	head := journal.InboxHead{Turn: e.turn, Promise: rules.Promise, Promisers: rules.Promisers()}
	if h := d.choice.Hat; h != nil {
		head.Hat, head.Publishes, head.Default = h.Key, h.Publishes, h.Default
	}
	d.token, err = d.store.OpenInbox(head)
	return err
}

// env returns the variables by which a turn's commands find the loop.
func (d *dispatcher) env() []string {
	if d.token == "" {
		return nil
	}
	return []string{journal.TokenVariable + "=" + d.token, journal.ProjectVariable + "=" + d.project}
}

// hat returns the key of the turn's hat, or "".
func (d *dispatcher) hat() string {
	if d.choice.Hat == nil {
		return ""
	}
	return d.choice.Hat.Key
}

// takes returns the IDs of the topics that the turn receives.
func (d *dispatcher) takes() (ids []int) {
	for _, w := range d.choice.Topics {
		ids = append(ids, w.ID)
	}
	return ids
}

// subject returns the names of these topics on one line.
func (d *dispatcher) subject() string {
	var names []string
	for _, w := range d.choice.Topics {
		names = append(names, w.Topic.Topic)
	}
	return record.OneLine(strings.Join(names, ", "), 200)
}

// timeout returns the time limit that the hat sets for a turn, or 0.
func (d *dispatcher) timeout() time.Duration {
	if d.choice.Hat == nil {
		return 0
	}
	return d.choice.Hat.Timeout
}

// said returns the results of a turn that the rules use.
func (d *dispatcher) said(e *ended) (t hats.Turn, err error) {
	t = hats.Turn{
		Number: e.turn, Promised: e.gavePromise, NotDone: e.block.denies(), Failed: e.failed(), Limited: e.waits(),
		Progress: e.progress, CostUSD: e.said.cost,
	}
	if e.said.topics == nil {
		return t, nil
	}
	if e.unread == "" {
		t.Published, t.More = e.said.topics.Found()
	}
	t.Missed = e.missed
	emitted, found, err := d.store.TakeInbox(d.token)
	if err == nil && !found {
		d.note(fmt.Sprintf("turn %d: the topics that its commands published are lost, because the files of %s were removed", e.turn, layout.Dir))
	}
	t.Published = append(t.Published, emitted...)
	return t, err
}

// check runs the commands that must succeed before the topics of a hat count. ran reports
// whether there were any.
func (d *dispatcher) check(ctx context.Context, t *hats.Turn, unseen bool) (ran bool, err error) {
	h := d.choice.Hat
	if h == nil || len(h.Verify) == 0 || !d.rules().Counts(d.choice, *t) {
		return false, nil
	}
	if unseen {
		t.Refused = "the changes of the turn are not known"
		return false, nil
	}
	d.tell(Notice{Kind: NoticeVerifying, Turn: t.Number, Text: strings.Join(h.Verify, "; ")})
	name := fmt.Sprintf("verify_%04d_%s.log", t.Number, record.Stamp(d.now()))
	file, err := d.store.Files().Create(path.Join(layout.LogsDir, name))
	if err != nil {
		return true, err
	}
	log := d.newLog(file)
	defer log.Close() // errors are ignored: the log is for users
	done, err := d.work.verify(ctx, h.Verify, log)
	if err != nil {
		return true, err
	}
	last := done[len(done)-1]
	if !last.OK {
		t.Refused = record.OneLine(last.String(), 300)
	}
	v := record.Line{Turn: t.Number, Time: d.now(), Type: record.Verified, Hat: h.Key, Verdicts: done}
	d.tell(Notice{Kind: NoticeVerified, Turn: t.Number, Text: last.String(), OK: last.OK, Record: &journal.Record{Line: v}})
	return true, d.log.Add(v)
}

// end applies the rules to a turn: its topics wait for the hats that they trigger.
func (d *dispatcher) end(e *ended, t hats.Turn) {
	if d.state.Hats != nil {
		before := *d.state.Hats
		d.before, d.begun = &before, d.first
	}
	out := d.rules().End(d.state.Hats, d.choice, t)
	e.topics, e.promised, e.handed = append(d.first, out.Topics...), out.Promised, out.Handed
	e.uncounted = cmp.Or(e.uncounted, out.Refused)
	if out.Refused != "" && e.wrong == "" {
		e.wrong = d.rules().Promise + " does not count: " + out.Refused
	}
	d.first = nil
	for _, text := range out.Notes {
		d.note(event.Printable(text))
	}
}

// undo takes back what end has changed, for a turn that is repeated.
func (d *dispatcher) undo() {
	if d.before != nil {
		d.state.Hats, d.first, d.before = d.before, d.begun, nil
	}
}

// allows returns the reason to stop if the topics allow it, or "". Only the completion promise ends a loop in
// which a topic waits: a plan and status blocks say nothing about the hat that has yet to see the work.
func (r *run) allows(reason string) string {
	rules, s := r.rules(), r.state.Hats
	switch {
	case reason == "" || reason == ReasonBlocked:
		return reason
	case len(rules.Missing(s)) > 0:
		return ""
	case rules.Waits(s) && !(reason == ReasonProjectComplete && r.state.Gate.Promise):
		return ""
	}
	return reason
}

// missing names the topics without which the work does not count as done, or returns "".
func (r *run) missing() string {
	list := r.rules().Missing(r.state.Hats)
	if !r.state.Gate.Claimed || len(list) == 0 {
		return ""
	}
	return "no hat has published " + strings.Join(list, ", ")
}
