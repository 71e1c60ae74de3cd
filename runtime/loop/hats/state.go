package hats

import (
	"fmt"
	"hash/fnv"
	"slices"
)

// Topic is a topic in the journal.
type Topic struct {
	ID      int    `json:"id"` // counts from 1
	Topic   string `json:"topic"`
	Payload string `json:"payload,omitempty"`
	Cut     bool   `json:"cut,omitempty"` // the payload was truncated
	From    string `json:"from"`          // a hat, fromStart or plain
	To      string `json:"to,omitempty"`  // a hat or Plain; "": not delivered
	Why     string `json:"why"`           // how it was published, or the reason that it is not delivered
	Turn    int    `json:"turn"`          // the turn that published it; 0: the start
}

// Waiting is a topic that no turn has answered yet.
type Waiting struct {
	Topic
	Tries int    `json:"tries,omitempty"` // turns that received it and published no topic that counts
	Said  string `json:"said,omitempty"`  // the reason that the last of these topics does not count
}

// State is the data on topics that a run keeps between two turns.
type State struct {
	Last        int                `json:"last"`              // ID of the last topic
	Pending     []Waiting          `json:"pending,omitempty"` // oldest first
	Activations map[string]int     `json:"activations,omitempty"`
	Costs       map[string]float64 `json:"costs,omitempty"`     // cost of each hat in US dollars
	Seen        []string           `json:"seen,omitempty"`      // required topics that were published
	Exhausted   []string           `json:"exhausted,omitempty"` // hats reported as exhausted
	Handed      []string           `json:"handed,omitempty"`    // fingerprints of topics published since a file changed
}

// maxPending is the maximum number of queued topics: the state is written in each turn.
const maxPending = 200

// Begin returns the state of a new run with its first topic.
func (r *Rules) Begin() (s State, topics []Topic) {
	if !r.Active() {
		return s, nil
	}
	if start := r.start(); start != "" {
		topics = []Topic{s.publish(r, NewPublished(start, ""), fromStart, "starting_event", 0)}
	}
	return s, topics
}

// publish queues a topic.
func (s *State) publish(r *Rules, p Published, from, why string, turn int) Topic {
	s.Last++
	t := Topic{ID: s.Last, Topic: p.Topic, Payload: p.Payload, Cut: p.Cut, From: from, To: plain, Why: why, Turn: turn}
	if to := r.Route(p.Topic); to != nil {
		t.To = to.Key
	}
	if len(s.Pending) >= maxPending {
		t.To, t.Why = "", fmt.Sprintf("%d topics wait already", maxPending)
		return t
	}
	s.Pending = append(s.Pending, Waiting{Topic: t})
	if !p.Assumed && slices.Contains(r.Required, t.Topic) && !slices.Contains(s.Seen, t.Topic) {
		s.Seen = append(s.Seen, t.Topic)
	}
	return t
}

// drop removes topics by their IDs.
func (s *State) drop(ids ...int) {
	s.Pending = slices.DeleteFunc(slices.Clone(s.Pending), func(w Waiting) bool { return slices.Contains(ids, w.ID) })
}

// Missing returns the required topics that have not been published.
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

// Waits reports whether a queued topic is for a hat. One that has reached its limit counts, too: see Exhausted.
func (r *Rules) Waits(s *State) bool {
	if !r.Active() || s == nil {
		return false
	}
	return slices.ContainsFunc(s.Pending, func(w Waiting) bool {
		return r.Route(w.Topic.Topic) != nil
	})
}

// handedOn reports whether a topic is new: the same hat has not published it with the same
// payload since a file changed.
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
