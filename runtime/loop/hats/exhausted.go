package hats

import (
	"fmt"
	"slices"
	"strings"
)

// exhaustedSuffix ends the topic that is published for a hat that has used all its turns when a
// topic arrives for it. The name is that of ralph-orchestrator.
const exhaustedSuffix = ".exhausted"

func (h *Hat) exhaustedTopic() string { return strings.ToLower(h.Key) + exhaustedSuffix }

// bounded reports whether the hat can run out of turns.
func (h *Hat) bounded() bool { return h.MaxActivations > 0 || h.MaxCost > 0 }

// successor returns the hat that takes over from one that has used all its turns, or nil.
func (r *Rules) successor(s *State, h *Hat) *Hat {
	to := r.Route(h.exhaustedTopic())
	if to == nil || to.spent(s) != "" {
		return nil
	}
	return to
}

// exhaust handles topics that wait for hats without remaining turns: it publishes the hat's
// exhausted topic, and the hat that triggers on it takes over. If there is none, the topics
// remain queued.
func (e *Ended) exhaust(r *Rules, s *State, turn int) {
	s.Exhausted = slices.DeleteFunc(slices.Clone(s.Exhausted), func(key string) bool {
		h := r.Hat(key)
		return h == nil || h.spent(s) == ""
	})
	for _, w := range slices.Clone(s.Pending) {
		h := r.Route(w.Topic.Topic)
		if h == nil || w.Tries >= tries || h.spent(s) == "" {
			continue
		}
		if !slices.Contains(s.Exhausted, h.Key) {
			s.Exhausted = append(s.Exhausted, h.Key)
			e.publishExhausted(r, s, h, turn)
		}
		if r.successor(s, h) == nil {
			continue
		}
		s.drop(w.ID)
		t := w.Topic
		t.To, t.Why, t.Turn = "", "dropped: "+h.spent(s), turn
		e.Topics = append(e.Topics, t)
		e.Notes = append(e.Notes, fmt.Sprintf("topic %s was %s", t.Topic, t.Why))
	}
}

func (e *Ended) publishExhausted(r *Rules, s *State, h *Hat, turn int) {
	p, why := NewPublished(h.exhaustedTopic(), h.spent(s)), "its turns are over"
	if r.successor(s, h) != nil {
		e.Topics = append(e.Topics, s.publish(r, p, h.Key, why, turn))
		return
	}
	s.Last++
	e.Topics = append(e.Topics, Topic{ID: s.Last, Topic: p.Topic, Payload: p.Payload, From: h.Key, Why: why + ", and no hat is triggered by it", Turn: turn})
}

// Exhausted returns the reason that no hat can take the queued topics, or "" if one can or the
// queue is empty. A plain turn would only repeat the hats' work, without a hat to check it.
func (r *Rules) Exhausted(s *State) string {
	if !r.Active() || s == nil || r.Next(s).Hat != nil {
		return ""
	}
	for _, w := range s.Pending {
		switch h := r.Route(w.Topic.Topic); {
		case w.Tries >= tries: // a plain turn takes over
			return ""
		case h != nil:
			return fmt.Sprintf("%s, %s waits for it, and no hat is triggered by %s", h.spent(s), w.Topic.Topic, h.exhaustedTopic())
		}
	}
	return ""
}
