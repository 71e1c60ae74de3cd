package hats

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Choice is who takes a turn, and for what.
type Choice struct {
	Hat    *Hat      // nil: it is a plain turn
	Topics []Waiting // what the turn is for: one of a hat; those that no hat takes
	Aside  []Topic   // put aside, for their hats have had their turns; Why says it
}

// tries are the turns in which a hat is asked for a topic.
const tries = 2

// Next chooses: the oldest topic that a hat takes. What no hat takes, or answered,
// goes to a plain turn, the latter at once.
func (r *Rules) Next(s *State) (c Choice) {
	if !r.Active() || s == nil {
		return c
	}
	unanswered := false
	for _, w := range s.Pending {
		hat := r.Route(w.Topic.Topic)
		switch {
		case w.Tries >= tries:
			unanswered = true
			c.Topics = append(c.Topics, w)
		case hat == nil:
			c.Topics = append(c.Topics, w)
		case hat.spent(s) != "":
			t := w.Topic
			t.To, t.Why = "", "put aside: "+hat.spent(s)
			c.Aside = append(c.Aside, t)
		case c.Hat == nil:
			c.Hat = hat
		}
	}
	if unanswered {
		c.Hat = nil
	}
	if c.Hat != nil {
		c.Topics = []Waiting{r.oldest(s, c)}
	}
	return c
}

// oldest is the first topic that the hat of a choice takes.
func (r *Rules) oldest(s *State, c Choice) Waiting {
	i := slices.IndexFunc(s.Pending, func(w Waiting) bool { return w.Tries < tries && r.Route(w.Topic.Topic) == c.Hat })
	return s.Pending[i]
}

// spent says why a hat takes no more turns, "" when it does.
func (h *Hat) spent(s *State) string {
	switch n, cost := s.Activations[h.Key], s.Costs[h.Key]; {
	case h.MaxActivations > 0 && n >= h.MaxActivations:
		return fmt.Sprintf("%s has had its %d of %d turns (max_activations)", h.Key, n, h.MaxActivations)
	case h.MaxCost > 0 && cost >= h.MaxCost:
		return fmt.Sprintf("%s has cost $%.2f of $%.2f (max_cost)", h.Key, cost, h.MaxCost)
	}
	return ""
}

// Turn is what a turn did.
type Turn struct {
	Number    int
	Published []Published
	More      int    // that were beyond the bound of a turn
	Promised  bool   // the completion promise is the last line of its text
	Failed    bool   // what it says does not count
	Limited   bool   // it failed in a limit of the provider, which counts as nothing
	Refused   string // how the hat's verify failed; "": it did not
	Progress  bool   // files changed
	CostUSD   float64
}

// Ended is what became of it.
type Ended struct {
	Topics   []Topic // for the journal: published, refused, put aside
	Promised bool    // the completion promise counts
	Handed   bool    // something was published that is news
	Notes    []string
}

// Counts says whether anything of a turn could count: its hat's verify is worth while.
func (r *Rules) Counts(c Choice, t Turn) bool {
	published := t.Promised && c.Hat.may(r.Promise)
	for _, p := range t.Published {
		published = published || r.Refusal(c.Hat, p.Topic) == ""
	}
	return !t.Failed && !t.Limited && (published || c.Hat != nil && c.Hat.Default != "")
}

// End takes in what a turn did. The state is another one afterwards; what it shares
// with the one before is not changed.
func (r *Rules) End(s *State, c Choice, t Turn) (e Ended) {
	if !r.Active() {
		e.Promised = t.Promised
		return e
	}
	for _, a := range c.Aside {
		s.drop(a.ID)
		a.Turn = t.Number
		e.Topics = append(e.Topics, a)
		e.Notes = append(e.Notes, fmt.Sprintf("topic %s %s", a.Topic, a.Why))
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
		e.refuse(s, c, t, "the verify of "+c.Hat.Key+" failed: "+t.Refused)
		s.unanswered(&e, c, "the check that your role must pass failed: "+t.Refused)
	default:
		e.take(r, s, c, t)
	}
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

// refuse notes what a turn published and nobody gets.
func (e *Ended) refuse(s *State, c Choice, t Turn, why string) {
	for _, p := range t.Published {
		e.Topics = append(e.Topics, s.refused(c, p, t.Number, why))
	}
}

func (s *State) refused(c Choice, p Published, turn int, why string) Topic {
	s.Last++
	return Topic{ID: s.Last, Topic: printable(p.Topic), Payload: p.Payload, Cut: p.Cut, From: c.from(), Why: "refused: " + why, Turn: turn}
}

// take has what was published wait for its turns.
func (e *Ended) take(r *Rules, s *State, c Choice, t Turn) {
	e.Promised = t.Promised && c.Hat.may(r.Promise)
	if t.Promised && !e.Promised {
		e.Notes = append(e.Notes, fmt.Sprintf("%s gave the completion promise %s, which is not among what it publishes: it does not count", c.from(), r.Promise))
	}
	for _, w := range c.Topics {
		s.drop(w.ID)
	}
	taken, wrong := 0, ""
	for _, p := range t.Published {
		if why := r.Refusal(c.Hat, p.Topic); why != "" {
			wrong = why
			e.Topics = append(e.Topics, s.refused(c, p, t.Number, why))
			e.Notes = append(e.Notes, fmt.Sprintf("topic %s of %s refused: %s", printable(p.Topic), c.from(), why))
			continue
		}
		taken++
		e.publish(r, s, c, p, p.how(), t.Number)
	}
	if t.More > 0 {
		e.Notes = append(e.Notes, fmt.Sprintf("%s published %d topics more than the %d that a turn may: they were left out", c.from(), t.More, maxPublished))
	}
	if taken > 0 || e.Promised || c.Hat == nil {
		return
	}
	if c.Hat.Default != "" {
		e.publish(r, s, c, NewPublished(c.Hat.Default, ""), "default_publishes", t.Number)
		return
	}
	s.Pending = slices.Concat(c.Topics, s.Pending) // back where it was: it is the oldest of its hat
	slices.SortStableFunc(s.Pending, func(a, b Waiting) int { return a.ID - b.ID })
	s.unanswered(e, c, wrong)
}

// publish takes in a topic that counts.
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

// unanswered notes that a hat published nothing that counts.
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
		what := "it is asked once more"
		if w.Tries >= tries {
			what = "a plain turn takes over"
		}
		e.Notes = append(e.Notes, fmt.Sprintf("%s published nothing that counts for %s: %s", c.Hat.Key, w.Topic.Topic, what))
	}
}

// Refusal says why a topic does not count that a hat published, nil in a plain turn; ""
// when it does.
func (r *Rules) Refusal(h *Hat, topic string) string {
	switch {
	case topic != r.Promise && !Valid(topic):
		return fmt.Sprintf("a topic is at most %d of a-z 0-9 _ . : -", MaxTopic)
	case !h.may(topic):
		return fmt.Sprintf("%s publishes only %s", h.Key, strings.Join(h.Publishes, ", "))
	}
	return ""
}

// from is who publishes in a turn.
func (c Choice) from() string {
	if c.Hat == nil {
		return Plain
	}
	return c.Hat.Key
}

func (p Published) how() string {
	if p.Emitted {
		return "emitted"
	}
	return "written"
}

// printable keeps a topic that is none on one line.
func printable(topic string) string {
	topic = strings.Join(strings.Fields(strings.ToValidUTF8(topic, "")), " ")
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return -1
		}
		return r
	}, topic[:min(len(topic), MaxTopic)])
}
