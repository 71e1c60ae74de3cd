// Package record defines the contents of a loop's files: the lines of events.jsonl, the
// state that they carry, and the files of the Ralph reference that are made from it.
// There is a type for each of them, which is why they are so many.
package record

import (
	"fmt"
	"net"
	"strconv"
	"time"

	"example.org/ripple/runtime/event"
	"example.org/ripple/runtime/loop/hats"
)

// Types of the lines of events.jsonl that are the loop's own; the others are of
// runtime/event.
const (
	RunStarted  = "run_started"
	TurnStarted = "turn_started"
	TurnEnded   = "turn_ended"
	TurnCut     = "turn_cut" // an attempt that is taken again
	Verified    = "verified"
	Committed   = "committed"
	Reset       = "reset"
	Stopped     = "stopped"
	WrittenBack = "written_back"

	CommitRefused   = "commit_refused"
	SettingsChanged = "settings_changed" // by flags of a run that goes on

	Asked    = "asked"    // in the middle of a turn
	Answered = "answered" // by a person
	Decided  = "decided"  // by a rule: nobody was asked
	Guided   = "guided"

	BoxDenied = "box_denied"

	LeftOut = "left_out" // more than the settings let be kept
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
	Checkout *Checkout      `json:"checkout,omitempty"`   // turn_ended: the agent's tree, if the turn changed its branch
	Project  *Project       `json:"project,omitempty"`    // turn_ended: how the user's own checkout changed in it, if that is not the agent's tree
	Verdicts []Verdict      `json:"verdicts,omitempty"`   // verified
	SHA      string         `json:"sha,omitempty"`        // committed
	Tag      string         `json:"tag,omitempty"`        // committed
	What     string         `json:"what,omitempty"`       // reset
	Reason   string         `json:"reason,omitempty"`     // stopped
	ExitCode *int           `json:"exit_code,omitempty"`  // stopped
	Next     string         `json:"next,omitempty"`       // stopped: what to do, in the words of who ran the loop
	Summary  *Summary       `json:"summary,omitempty"`    // stopped
	Why      string         `json:"why,omitempty"`        // stopped, commit_refused, turn_cut, left_out, box_denied; committed: what of it seldom belongs into a commit
	Hat      string         `json:"hat,omitempty"`        // turn_started; verified, when its own commands did it
	Takes    []int          `json:"takes,omitempty"`      // turn_started: the topics that it is for, by their IDs
	Subject  string         `json:"subject,omitempty"`    // turn_started: their names
	Topics   []hats.Topic   `json:"topics,omitempty"`     // run_started, turn_ended: published, refused, put aside
	Question *Question      `json:"question,omitempty"`   // asked, answered, decided
	Asked    []Question     `json:"asked,omitempty"`      // turn_ended: by its end, or ended with it
	Answers  []string       `json:"answers,omitempty"`    // turn_started: to these questions, in its prompt
	Guide    *Guide         `json:"guide,omitempty"`      // guided
	Guides   []string       `json:"guides,omitempty"`     // turn_started: those in its prompt
	Events   int            `json:"events,omitempty"`     // left_out: so many
	Bytes    int64          `json:"bytes,omitempty"`      // left_out: of their lines
	Denied   *Denied        `json:"denied,omitempty"`     // box_denied; Why has it in words
	Settings *Settings      `json:"settings,omitempty"`   // run_started, settings_changed, written_back
	State    *State         `json:"state,omitempty"`
}

// Denied is a connection that a box refused.
type Denied struct {
	Host   string `json:"host"`
	Port   int    `json:"port,omitempty"` // 0: not known
	Reason string `json:"reason"`
}

// String returns the host and the port.
func (d Denied) String() string {
	host := OneLine(d.Host, 100)
	if d.Port == 0 {
		return host
	}
	return net.JoinHostPort(host, strconv.Itoa(d.Port))
}

// Verdict is what became of a command that verifies.
type Verdict struct {
	Command string `json:"command"`
	Dir     string `json:"dir,omitempty"` // where it ran, relative to the project; empty for the project itself
	OK      bool   `json:"ok"`
	Why     string `json:"why,omitempty"`  // "exit code 1", "timed out after 5m"
	Tail    string `json:"tail,omitempty"` // the end of what it printed
}

func (v Verdict) String() string {
	if v.OK {
		return fmt.Sprintf("`%s`: ok", v.Command)
	}
	text := fmt.Sprintf("`%s`: %s", v.Command, v.Why)
	if v.Dir != "" {
		text = fmt.Sprintf("`%s` in %s: %s", v.Command, v.Dir, v.Why)
	}
	if v.Tail != "" {
		text += ": " + v.Tail
	}
	return text
}
