package hats

import (
	"fmt"
	"slices"
)

// Choice is the hat that takes a turn, with the topics for it.
type Choice struct {
	Hat    *Hat      // nil for a plain turn
	Topics []Waiting // the topics of the turn: one for a hat; all without a hat for a plain turn
}

// tries is the number of turns in which a hat is given a topic.
const tries = 2

// Next chooses the oldest topic that a hat triggers on. Topics that no hat triggers on or has
// answered go to a plain turn; the unanswered ones at once.
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
		case c.Hat == nil && hat.spent(s) == "":
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

// oldest returns the first topic for the hat of a choice.
func (r *Rules) oldest(s *State, c Choice) Waiting {
	i := slices.IndexFunc(s.Pending, func(w Waiting) bool { return w.Tries < tries && r.Route(w.Topic.Topic) == c.Hat })
	return s.Pending[i]
}

// spent returns the reason that a hat takes no further turns, or "" if it may.
func (h *Hat) spent(s *State) string {
	switch n, cost := s.Activations[h.Key], s.Costs[h.Key]; {
	case h.MaxActivations > 0 && n >= h.MaxActivations:
		return fmt.Sprintf("%s has had its %d of %d turns (max_activations)", h.Key, n, h.MaxActivations)
	case h.MaxCost > 0 && cost >= h.MaxCost:
		return fmt.Sprintf("%s has cost $%.2f of $%.2f (max_cost)", h.Key, cost, h.MaxCost)
	}
	return ""
}
