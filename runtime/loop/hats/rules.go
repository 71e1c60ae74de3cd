// Package hats decides which hat takes the next turn of a loop: topics that agents publish go to
// the hats that trigger on them. It is pure: its input is a State and the topics
// that a turn published; its output is the next Choice, the parts of its prompt and the entries
// for the journal.
//
// Rules are the configuration, State is the data that a run keeps between two turns. Next
// chooses, End applies the output of a turn, Check finds errors in rules before a run, Graph
// renders them. Scanner finds topics in an agent's text.
package hats

import (
	"slices"
	"strings"
	"time"
)

// Hat is a role that an agent has for one turn.
type Hat struct {
	Key          string // its key in ripple.yml
	Name         string // display name; may be ""
	Description  string
	Triggers     []string // topics that it accepts; "*" matches any part of a segment
	Publishes    []string // topics that it may publish; empty: any
	Default      string   // published on its behalf when it published none, unless it is the completion promise; "" for none
	Instructions string

	MaxActivations int     // limit of turns; 0: unlimited
	MaxCost        float64 // limit in US dollars; 0: unlimited
	Verify         []string

	Adapter        string // "" for the loop's
	Model          string
	Args           []string // precede the prompt
	AllowedTools   []string
	PermissionMode string
	Session        string // Own, Shared or Fresh
	Timeout        time.Duration
}

// Session modes of a hat.
const (
	Own    = "own"    // a session of its own
	Shared = "shared" // the loop's session
	Fresh  = "fresh"  // a new session in each turn
)

// Title returns the display name.
func (h *Hat) Title() string {
	if h.Name != "" {
		return h.Name
	}
	return h.Key
}

// OwnAgent reports whether the hat's settings differ from those of the loop's agent, so that it
// needs an agent of its own.
func (h *Hat) OwnAgent() bool {
	return h.Adapter != "" || h.Model != "" || h.Args != nil || h.AllowedTools != nil || h.PermissionMode != ""
}

// may reports whether the hat may publish a topic.
func (h *Hat) may(topic string) bool {
	return h == nil || len(h.Publishes) == 0 || slices.Contains(h.Publishes, topic) || h.Default == topic
}

// Rules are the hats of a loop. Without hats and required topics, a loop ignores topics.
type Rules struct {
	Hats     []Hat    // in the order of the file
	Start    string   // first topic of a run; "": defaultStart if a hat triggers on it
	Required []string // topics that agents must publish before a run is complete; a default does not count
	Promise  string   // as a topic or as the last line, it claims completion
}

// defaultStart is the first topic of a run if none is configured.
const defaultStart = "task.start"

// Values of From and To that are not hats.
const (
	fromStart = "start" // the start of the loop
	plain     = "plain" // a turn without a hat
)

// Active reports whether topics have an effect.
func (r *Rules) Active() bool { return r != nil && len(r.Hats)+len(r.Required) > 0 }

// Hat returns the hat with a key, or nil.
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

// start returns the first topic of a run, or "".
func (r *Rules) start() string {
	if r.Start == "" && r.Route(defaultStart) != nil {
		return defaultStart
	}
	return r.Start
}

// Route returns the hat that receives a topic, or nil: the one with the most specific trigger
// and, among equals, the first.
func (r *Rules) Route(topic string) (to *Hat) {
	best := 0
	for i := range r.Hats {
		for _, trigger := range r.Hats[i].Triggers {
			if s := specificity(trigger); s > best && matches(trigger, topic) {
				to, best = &r.Hats[i], s
			}
		}
	}
	return to
}

// maxTopic is the maximum length of a topic, in bytes.
const maxTopic = 80

const topicBytes = "abcdefghijklmnopqrstuvwxyz0123456789_.:-"

// valid reports whether a text is a topic.
func valid(topic string) bool {
	return topic != "" && len(topic) <= maxTopic && onlyOf(topic, topicBytes)
}

func onlyOf(text, bytes string) bool {
	for i := range len(text) {
		if strings.IndexByte(bytes, text[i]) < 0 {
			return false
		}
	}
	return true
}

// validTrigger reports whether a text is a topic or a pattern of topics.
func validTrigger(trigger string) bool {
	return trigger != "" && len(trigger) <= maxTopic && onlyOf(trigger, topicBytes+"*")
}

// matches reports whether a trigger matches a topic: "*" stands for any part of one segment,
// alone for any topic.
func matches(trigger, topic string) bool {
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

// specificity ranks triggers that match the same topic: one without "*" comes first, then the one
// that fixes more of the topic; "*" alone comes last. It is at least 1.
func specificity(trigger string) int {
	stars := strings.Count(trigger, "*")
	if stars == 0 {
		return 1 + 2*maxTopic
	}
	return 1 + len(trigger) - stars
}
