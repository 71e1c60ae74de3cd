// Package record says what the files of a loop contain: the lines of events.jsonl, the
// state that they carry, and the files of the Ralph reference that are made from it.
// There is a type for each of them, which is why they are so many.
package record

import (
	"fmt"
	"time"

	"ripple/runtime/event"
	"ripple/runtime/loop/hats"
)

// Types of the lines of events.jsonl that are the loop's own; the others are of
// runtime/event.
const (
	RunStarted  = "run_started"
	TurnStarted = "turn_started"
	TurnEnded   = "turn_ended"
	Verified    = "verified"
	Committed   = "committed"
	Reset       = "reset"
	Stopped     = "stopped"
	WrittenBack = "written_back"

	CommitRefused = "commit_refused"

	Asked    = "asked"    // in the middle of a turn
	Answered = "answered" // by a person
	Decided  = "decided"  // by a rule: nobody was asked
	Guided   = "guided"
)

// Line is one of these: a field for each key that any type has. Events of the agent
// have the first four keys, too.
type Line struct {
	Turn int       `json:"turn"`
	Seq  int64     `json:"seq"`
	Time time.Time `json:"time"`
	Type string    `json:"type"`

	Session  string         `json:"session_id,omitempty"` // turn_started
	Agent    string         `json:"agent,omitempty"`      // turn_started
	Branch   string         `json:"branch,omitempty"`     // turn_started: that of a working tree of its own
	Task     string         `json:"task,omitempty"`       // turn_started: the first open one
	MaxTurns int            `json:"max_turns,omitempty"`  // turn_started
	Circuit  string         `json:"circuit,omitempty"`    // turn_started: state of the breaker
	Calls    int            `json:"calls,omitempty"`      // turn_started: in the hour, this one included
	Progress *bool          `json:"progress,omitempty"`   // turn_ended
	Changed  []string       `json:"changed,omitempty"`    // turn_ended: files, at most 50
	Failure  *event.Failure `json:"failure,omitempty"`    // turn_ended
	Verdicts []Verdict      `json:"verdicts,omitempty"`   // verified
	SHA      string         `json:"sha,omitempty"`        // committed
	Tag      string         `json:"tag,omitempty"`        // committed
	What     string         `json:"what,omitempty"`       // reset
	Reason   string         `json:"reason,omitempty"`     // stopped
	ExitCode *int           `json:"exit_code,omitempty"`  // stopped
	Why      string         `json:"why,omitempty"`        // stopped, commit_refused
	Hat      string         `json:"hat,omitempty"`        // turn_started; verified, when its own commands did it
	Takes    []int          `json:"takes,omitempty"`      // turn_started: the topics that it is for, by their IDs
	Subject  string         `json:"subject,omitempty"`    // turn_started: their names
	Topics   []hats.Topic   `json:"topics,omitempty"`     // run_started, turn_ended: published, refused, put aside
	Question *Question      `json:"question,omitempty"`   // asked, answered, decided
	Asked    []Question     `json:"asked,omitempty"`      // turn_ended: by its end, or ended with it
	Answers  []string       `json:"answers,omitempty"`    // turn_started: to these questions, in its prompt
	Guide    *Guide         `json:"guide,omitempty"`      // guided
	Guides   []string       `json:"guides,omitempty"`     // turn_started: those in its prompt
	State    *State         `json:"state,omitempty"`
}

// Verdict is what became of a command that verifies.
type Verdict struct {
	Command string `json:"command"`
	OK      bool   `json:"ok"`
	Why     string `json:"why,omitempty"`  // "exit code 1", "timed out after 5m"
	Tail    string `json:"tail,omitempty"` // the end of what it printed
}

func (v Verdict) String() string {
	if v.OK {
		return fmt.Sprintf("`%s`: ok", v.Command)
	}
	text := fmt.Sprintf("`%s`: %s", v.Command, v.Why)
	if v.Tail != "" {
		text += ": " + v.Tail
	}
	return text
}
