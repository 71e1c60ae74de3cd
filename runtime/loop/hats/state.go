package hats

import (
	"fmt"
	"hash/fnv"
	"slices"
)

// Topic is one as the journal has it.
type Topic struct {
	ID      int    `json:"id"` // counted from 1
	Topic   string `json:"topic"`
	Payload string `json:"payload,omitempty"`
	Cut     bool   `json:"cut,omitempty"` // the payload was longer
	From    string `json:"from"`          // a hat, FromStart or Plain
	To      string `json:"to,omitempty"`  // a hat or Plain; "": nobody gets it
	Why     string `json:"why"`           // how it was published, or why nobody gets it
	Turn    int    `json:"turn"`          // in which it was published; 0: the beginning
}

// Waiting is a topic that no turn has answered yet.
type Waiting struct {
	Topic
	Tries int    `json:"tries,omitempty"` // turns that had it and published nothing that counts
	Said  string `json:"said,omitempty"`  // why what the last of these published does not count
}

// State is what a run knows of its topics between two turns.
type State struct {
	Last        int                `json:"last"`              // ID of the last topic
	Pending     []Waiting          `json:"pending,omitempty"` // the oldest first
	Activations map[string]int     `json:"activations,omitempty"`
	Costs       map[string]float64 `json:"costs,omitempty"`  // US dollars of each hat
	Seen        []string           `json:"seen,omitempty"`   // of the required topics
	Handed      []string           `json:"handed,omitempty"` // since a file changed: fingerprints
}

// maxPending bounds the topics that wait: a state is written with each turn.
const maxPending = 200

// Begin is the state of a new run, with the topic that it begins with.
func (r *Rules) Begin() (s State, topics []Topic) {
	if !r.Active() {
		return s, nil
	}
	if start := r.start(); start != "" {
		topics = []Topic{s.publish(r, NewPublished(start, ""), FromStart, "starting_event", 0)}
	}
	return s, topics
}

// publish has a topic wait for its turn.
func (s *State) publish(r *Rules, p Published, from, why string, turn int) Topic {
	s.Last++
	t := Topic{ID: s.Last, Topic: p.Topic, Payload: p.Payload, Cut: p.Cut, From: from, To: Plain, Why: why, Turn: turn}
	if to := r.Route(p.Topic); to != nil {
		t.To = to.Key
	}
	if len(s.Pending) >= maxPending {
		t.To, t.Why = "", fmt.Sprintf("%d topics wait already", maxPending)
		return t
	}
	s.Pending = append(s.Pending, Waiting{Topic: t})
	if slices.Contains(r.Required, t.Topic) && !slices.Contains(s.Seen, t.Topic) {
		s.Seen = append(s.Seen, t.Topic)
	}
	return t
}

// drop takes topics away by their IDs.
func (s *State) drop(ids ...int) {
	s.Pending = slices.DeleteFunc(slices.Clone(s.Pending), func(w Waiting) bool { return slices.Contains(ids, w.ID) })
}

// Missing are the required topics that nobody published yet.
func (r *Rules) Missing(s *State) (list []string) {
	if r == nil || s == nil {
		return nil
	}
	for _, topic := range r.Required {
		if !slices.Contains(s.Seen, topic) {
			list = append(list, topic)
		}
	}
	return list
}

// Waits says whether a topic waits for a hat that may still take it.
func (r *Rules) Waits(s *State) bool {
	if !r.Active() || s == nil {
		return false
	}
	return slices.ContainsFunc(s.Pending, func(w Waiting) bool {
		hat := r.Route(w.Topic.Topic)
		return hat != nil && hat.spent(s) == ""
	})
}

// handedOn says whether a topic is news: the same with the same payload was not
// published by the same hat since a file changed.
func (s *State) handedOn(t Topic) bool {
	h := fnv.New64a()
	_, _ = fmt.Fprintf(h, "%s\x00%s\x00%s", t.From, t.Topic, t.Payload) // never fails
	mark := fmt.Sprintf("%016x", h.Sum64())
	if slices.Contains(s.Handed, mark) {
		return false
	}
	s.Handed = append(s.Handed, mark)
	s.Handed = s.Handed[max(0, len(s.Handed)-maxPending):]
	return true
}
