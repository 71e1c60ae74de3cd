// Package hats decides which role takes the next turn of a loop: topics that agents
// publish go to the roles, called hats, that trigger on them. It is pure: a State and
// what a turn published go in; the next Choice, the parts of its prompt and what the
// journal is to have of it come out.
//
// Rules are what somebody configured, State is what a run knows between two turns. Next
// chooses, End takes in what the turn said, Check finds what is wrong with rules before
// a run, Graph draws them. Scanner finds topics in an agent's text.
package hats

import (
	"slices"
	"strings"
	"time"
)

// Hat is a role.
type Hat struct {
	Key          string // its name in ripple.yml
	Name         string // for people; may be ""
	Description  string
	Triggers     []string // topics that it takes, "*" for any part of a segment
	Publishes    []string // what it may publish; none: anything
	Default      string   // published for it when it published nothing; "" for none
	Instructions string

	MaxActivations int     // turns that it may take; 0: any number
	MaxCost        float64 // US dollars; 0: any amount
	Verify         []string

	Adapter        string // "": the loop's
	Model          string
	Args           []string // before the prompt
	AllowedTools   []string
	PermissionMode string
	Session        string // Own, Shared or Fresh
	Timeout        time.Duration
}

// Sessions that a hat may work in.
const (
	Own    = "own"    // one that no other hat has
	Shared = "shared" // the loop's
	Fresh  = "fresh"  // a new one in each turn
)

// Title is its name for people.
func (h *Hat) Title() string {
	if h.Name != "" {
		return h.Name
	}
	return h.Key
}

// OwnAgent says that the loop's agent, as it is, cannot take its turns.
func (h *Hat) OwnAgent() bool {
	return h.Adapter != "" || h.Model != "" || h.Args != nil || h.AllowedTools != nil || h.PermissionMode != ""
}

// may says whether it is one that it publishes.
func (h *Hat) may(topic string) bool {
	return h == nil || len(h.Publishes) == 0 || slices.Contains(h.Publishes, topic) || h.Default == topic
}

// Rules are what a loop's roles are. Without any, and without required topics, a loop
// knows no topics.
type Rules struct {
	Hats     []Hat    // in the order of the file
	Start    string   // topic with which a run begins; "": DefaultStart where a hat takes it
	Required []string // topics without which a run is not done
	Promise  string   // published or as the last line, it claims that the work is done
}

// DefaultStart is the topic with which a run begins where none is configured.
const DefaultStart = "task.start"

// From and To of a topic that are no hats.
const (
	FromStart = "start" // the loop's beginning
	Plain     = "plain" // a turn without a hat
)

// Active says whether topics mean anything.
func (r *Rules) Active() bool { return r != nil && len(r.Hats)+len(r.Required) > 0 }

// Hat finds one by its key, nil for none.
func (r *Rules) Hat(key string) *Hat {
	if r == nil {
		return nil
	}
	for i := range r.Hats {
		if r.Hats[i].Key == key {
			return &r.Hats[i]
		}
	}
	return nil
}

// start is the topic with which a run begins, "" for none.
func (r *Rules) start() string {
	if r.Start == "" && r.Route(DefaultStart) != nil {
		return DefaultStart
	}
	return r.Start
}

// Route is the hat that takes a topic, nil for none: the one with the more specific
// trigger, of several the first.
func (r *Rules) Route(topic string) (to *Hat) {
	best := 0
	for i := range r.Hats {
		for _, trigger := range r.Hats[i].Triggers {
			if s := specificity(trigger); s > best && Matches(trigger, topic) {
				to, best = &r.Hats[i], s
			}
		}
	}
	return to
}

// MaxTopic bounds a topic, in bytes.
const MaxTopic = 80

const topicBytes = "abcdefghijklmnopqrstuvwxyz0123456789_.:-"

// Valid says whether a text is a topic.
func Valid(topic string) bool {
	return topic != "" && len(topic) <= MaxTopic && onlyOf(topic, topicBytes)
}

func onlyOf(text, bytes string) bool {
	for i := range len(text) {
		if strings.IndexByte(bytes, text[i]) < 0 {
			return false
		}
	}
	return true
}

// ValidTrigger says whether a text is a topic or a pattern of topics.
func ValidTrigger(trigger string) bool {
	return trigger != "" && len(trigger) <= MaxTopic && onlyOf(trigger, topicBytes+"*")
}

// Matches says whether a trigger takes a topic: "*" stands for any part of one segment,
// alone for any topic.
func Matches(trigger, topic string) bool {
	if trigger == "*" {
		return true
	}
	patterns, segments := strings.Split(trigger, "."), strings.Split(topic, ".")
	if len(patterns) != len(segments) {
		return false
	}
	for i, p := range patterns {
		if !matchesSegment(p, segments[i]) {
			return false
		}
	}
	return true
}

func matchesSegment(pattern, segment string) bool {
	parts := strings.Split(pattern, "*")
	if len(parts) == 1 {
		return pattern == segment
	}
	rest, found := strings.CutPrefix(segment, parts[0])
	if !found {
		return false
	}
	for _, p := range parts[1 : len(parts)-1] {
		_, after, found := strings.Cut(rest, p)
		if !found {
			return false
		}
		rest = after
	}
	return strings.HasSuffix(rest, parts[len(parts)-1])
}

// specificity orders triggers that take the same topic: one without "*" comes first,
// then the one that fixes more of the topic; "*" alone comes last. It is at least 1.
func specificity(trigger string) int {
	stars := strings.Count(trigger, "*")
	if stars == 0 {
		return 1 + 2*MaxTopic
	}
	return 1 + len(trigger) - stars
}
