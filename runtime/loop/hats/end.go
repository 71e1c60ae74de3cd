package hats

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"sort"
	"strings"
)

// Turn is the outcome of a turn.
type Turn struct {
	Number    int
	Published []Published
	More      int    // topics beyond the limit of a turn
	Promised  bool   // the completion promise is the last line of its text
	NotDone   bool   // its status block says that the work is unfinished
	Missed    string // a tag that does not count, with the reason; "" if none
	Failed    bool   // its output does not count
	Limited   bool   // it hit a limit of the provider; the turn does not count
	Refused   string // the failure of the hat's verify command; "" if none
	Progress  bool   // files changed
	CostUSD   float64
}

// Ended is the result of End.
type Ended struct {
	Topics   []Topic // for the journal: published, refused, set aside
	Promised bool    // the completion promise counts
	Handed   bool    // a new topic was published
	Notes    []string
	Refused  string // the reason, for the agent, that the completion promise does not count; "" if it counts
}

// Counts reports whether any output of a turn can count, so that running the hat's verify command
// is useful.
func (r *Rules) Counts(c Choice, t Turn) bool {
	published := t.Promised && r.promiseRefusal(c.Hat, t) == ""
	for _, p := range t.Published {
		published = published || r.Refusal(c.Hat, p.Topic) == ""
	}
	return !t.Failed && !t.Limited && (published || c.Hat.assumed(r.Promise) != "")
}

// End applies a turn to the state. It replaces the state's slices and maps; those of the previous
// state are not modified.
func (r *Rules) End(s *State, c Choice, t Turn) (e Ended) {
	if !r.Active() {
		e.Promised = t.Promised && !t.NotDone
		return e
	}
	if !t.Limited {
		s.activate(c.Hat, t.CostUSD)
	}
	if t.Progress {
		s.Handed = nil
	}
	switch {
	case t.Failed || t.Limited:
		e.refuse(s, c, t, "the turn failed")
	case t.Refused != "":
		e.refuse(s, c, t, "a verify command of "+c.Hat.Key+" failed: "+t.Refused)
		s.unanswered(&e, c, "a verify command of your hat failed: "+t.Refused)
	default:
		e.take(r, s, c, t)
	}
	e.exhaust(r, s, t.Number)
	return e
}

// activate counts a turn of a hat.
func (s *State) activate(h *Hat, cost float64) {
	if h == nil {
		return
	}
	s.Activations, s.Costs = maps.Clone(s.Activations), maps.Clone(s.Costs)
	if s.Activations == nil {
		s.Activations = map[string]int{}
	}
	if s.Activations[h.Key]++; cost > 0 {
		if s.Costs == nil {
			s.Costs = map[string]float64{}
		}
		s.Costs[h.Key] += cost
	}
}

// refuse records topics that a turn published and that are not delivered.
func (e *Ended) refuse(s *State, c Choice, t Turn, why string) {
	for _, p := range t.Published {
		e.Topics = append(e.Topics, s.refused(c, p, t.Number, why))
	}
}

func (s *State) refused(c Choice, p Published, turn int, why string) Topic {
	s.Last++
	return Topic{ID: s.Last, Topic: printable(p.Topic), Payload: p.Payload, Cut: p.Cut, From: c.from(), Why: "refused: " + why, Turn: turn}
}

// take queues the published topics.
func (e *Ended) take(r *Rules, s *State, c Choice, t Turn) {
	if t.Promised {
		e.promise(r, c, t)
	}
	for _, w := range c.Topics {
		s.drop(w.ID)
	}
	taken, wrong := 0, ""
	for _, p := range t.Published {
		why := r.Refusal(c.Hat, p.Topic)
		if p.Topic == r.Promise {
			why = r.promiseRefusal(c.Hat, t)
			e.Refused = cmp.Or(e.Refused, why)
		}
		if why != "" {
			wrong = why
			e.Topics = append(e.Topics, s.refused(c, p, t.Number, why))
			e.Notes = append(e.Notes, fmt.Sprintf("topic %s of %s refused: %s", printable(p.Topic), c.from(), why))
			continue
		}
		taken++
		e.publish(r, s, c, p, p.how(), t.Number)
	}
	if t.More > 0 {
		e.Notes = append(e.Notes, fmt.Sprintf("%s published %d topics more than the maximum of %d in a turn: they were ignored", c.from(), t.More, maxPublished))
	}
	if taken > 0 || e.Promised {
		return
	}
	if t.Missed != "" {
		wrong = cmp.Or(wrong, t.Missed)
		e.Notes = append(e.Notes, c.from()+" published nothing that counts: "+t.Missed)
	}
	if c.Hat == nil {
		return
	}
	if topic := c.Hat.assumed(r.Promise); topic != "" {
		p := NewPublished(topic, "")
		p.Assumed = true
		e.publish(r, s, c, p, p.how(), t.Number)
		return
	}
	if c.Hat.Default != "" && e.Refused == "" {
		e.unpromised(r, s, c, t)
		wrong = cmp.Or(wrong, r.Promise+" must be your own word")
	}
	s.Pending = slices.Concat(c.Topics, s.Pending) // back where it was: it is the oldest of its hat
	sort.SliceStable(s.Pending, func(i, j int) bool { return s.Pending[i].ID < s.Pending[j].ID })
	s.unanswered(e, c, wrong)
}

// assumed returns the topic that is published for a hat (nil for a plain turn) that published
// none, or "". The completion promise is never assumed: it is the word of an agent.
func (h *Hat) assumed(promise string) string {
	if h == nil || h.Default == promise {
		return ""
	}
	return h.Default
}

// unpromised records that a hat did not give the completion promise that is its default.
func (e *Ended) unpromised(r *Rules, s *State, c Choice, t Turn) {
	const why = "no agent gave the completion promise, and default_publishes cannot replace it"
	e.Topics = append(e.Topics, s.refused(c, NewPublished(r.Promise, ""), t.Number, why))
}

// promise handles a completion promise on the last line of the text.
func (e *Ended) promise(r *Rules, c Choice, t Turn) {
	if e.Refused = r.promiseRefusal(c.Hat, t); e.Refused == "" {
		e.Promised = true
	} else if !t.NotDone { // the status block agrees
		e.Notes = append(e.Notes, fmt.Sprintf("%s gave the completion promise %s, which does not count: %s", c.from(), r.Promise, e.Refused))
	}
}

// publish queues a topic that counts.
func (e *Ended) publish(r *Rules, s *State, c Choice, p Published, how string, turn int) {
	if p.Topic == r.Promise {
		s.Last++
		e.Promised = true
		e.Topics = append(e.Topics, Topic{ID: s.Last, Topic: p.Topic, Payload: p.Payload, Cut: p.Cut, From: c.from(), Why: how + ": the completion promise", Turn: turn})
		if slices.Contains(r.Required, p.Topic) && !slices.Contains(s.Seen, p.Topic) {
			s.Seen = append(s.Seen, p.Topic)
		}
		return
	}
	t := s.publish(r, p, c.from(), how, turn)
	e.Topics = append(e.Topics, t)
	e.Handed = t.To != "" && s.handedOn(t) || e.Handed
	if p.Cut {
		e.Notes = append(e.Notes, fmt.Sprintf("the payload of %s was cut to %d bytes", p.Topic, MaxPayload))
	}
}

// unanswered records that a hat published no topic that counts.
func (s *State) unanswered(e *Ended, c Choice, why string) {
	if c.Hat == nil {
		return
	}
	s.Pending = slices.Clone(s.Pending)
	for i := range s.Pending {
		w := &s.Pending[i]
		if len(c.Topics) == 0 || w.ID != c.Topics[0].ID {
			continue
		}
		w.Tries, w.Said = w.Tries+1, why
		what := "it is asked again"
		if w.Tries >= tries {
			what = "a plain turn takes over"
		}
		e.Notes = append(e.Notes, fmt.Sprintf("%s published no valid topic for %s: %s", c.Hat.Key, w.Topic.Topic, what))
	}
}

// Refusal returns the reason that a topic published by a hat (nil for a plain turn) does not
// count, or "" if it counts.
func (r *Rules) Refusal(h *Hat, topic string) string {
	switch {
	case topic != r.Promise && !valid(topic):
		return fmt.Sprintf("a topic has at most %d characters of a-z 0-9 _ . : -", maxTopic)
	case !h.may(topic):
		return fmt.Sprintf("%s publishes only %s", h.Key, strings.Join(h.Publishes, ", "))
	case h == nil && topic == r.Promise && r.Promisers() != nil:
		return fmt.Sprintf("only %s publishes it", strings.Join(r.Promisers(), " or "))
	}
	return ""
}

// promiseRefusal returns the reason that the completion promise of a turn does not count, or ""
// if it counts.
func (r *Rules) promiseRefusal(h *Hat, t Turn) string {
	if t.NotDone {
		return "its status block says EXIT_SIGNAL: false"
	}
	return r.Refusal(h, r.Promise)
}

// Promisers returns the hats whose publishes lists the completion promise. If there are any, a
// plain turn may not publish it.
func (r *Rules) Promisers() (list []string) {
	for _, h := range r.Hats {
		if slices.Contains(h.Publishes, r.Promise) || h.Default == r.Promise {
			list = append(list, h.Key)
		}
	}
	return list
}

// from returns the publisher of a turn.
func (c Choice) from() string {
	if c.Hat == nil {
		return plain
	}
	return c.Hat.Key
}

func (p Published) how() string {
	switch {
	case p.Assumed:
		return "default_publishes"
	case p.Emitted:
		return "emitted"
	}
	return "written"
}

// printable returns an invalid topic as one printable line.
func printable(topic string) string {
	topic = strings.Join(strings.Fields(strings.ToValidUTF8(topic, "")), " ")
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return -1
		}
		return r
	}, topic[:min(len(topic), maxTopic)])
}
