// Package record defines the contents of a loop's files: the lines of events.jsonl, the
// state that they carry, and the files of the Ralph reference implementation, which are
// derived from the state.
package record

import (
	"fmt"
	"net"
	"strconv"
	"time"

	"example.org/ripple/runtime/event"
	"example.org/ripple/runtime/loop/hats"
)

// Types of the loop's own lines in events.jsonl; package event defines those of the agent's.
const (
	RunStarted  = "run_started"
	TurnStarted = "turn_started"
	TurnEnded   = "turn_ended"
	TurnCut     = "turn_cut" // an interrupted attempt, which is repeated
	Verified    = "verified"
	Committed   = "committed"
	Reset       = "reset"
	Stopped     = "stopped"
	WrittenBack = "written_back"

	CommitRefused   = "commit_refused"
	SettingsChanged = "settings_changed" // by flags of a resumed run

	Asked    = "asked"    // during a turn
	Answered = "answered" // by the user
	Decided  = "decided"  // by a rule, without asking the user
	Guided   = "guided"   // a message of the user

	BoxDenied = "box_denied" // the box refused a connection

	LeftOut = "left_out" // events that were not kept, by max_output or max_record
)

// Line is one of the loop's own lines in events.jsonl. Its fields are the union of those of all
// types; the comments name the types. Lines of the agent's events also have the first four keys.
type Line struct {
	Turn int       `json:"turn"`
	Seq  int64     `json:"seq"`
	Time time.Time `json:"time"`
	Type string    `json:"type"`

	Session  string         `json:"session_id,omitempty"` // turn_started
	Agent    string         `json:"agent,omitempty"`      // turn_started
	Branch   string         `json:"branch,omitempty"`     // turn_started: branch of the worktree, if there is one
	Task     string         `json:"task,omitempty"`       // turn_started: the first open task
	MaxTurns int            `json:"max_turns,omitempty"`  // turn_started
	Circuit  string         `json:"circuit,omitempty"`    // turn_started: state of the breaker
	Calls    int            `json:"calls,omitempty"`      // turn_started: turns in the last hour, including this one
	Progress *bool          `json:"progress,omitempty"`   // turn_ended
	Changed  []string       `json:"changed,omitempty"`    // turn_ended: files, at most 50
	Failure  *event.Failure `json:"failure,omitempty"`    // turn_ended
	Checkout *Checkout      `json:"checkout,omitempty"`   // turn_ended: the agent's tree, if the turn changed its branch
	Project  *Project       `json:"project,omitempty"`    // turn_ended: how the user's own checkout changed, if it is not the agent's tree
	Verdicts []Verdict      `json:"verdicts,omitempty"`   // verified
	SHA      string         `json:"sha,omitempty"`        // committed
	Tag      string         `json:"tag,omitempty"`        // committed
	What     string         `json:"what,omitempty"`       // reset
	Reason   string         `json:"reason,omitempty"`     // stopped
	ExitCode *int           `json:"exit_code,omitempty"`  // stopped
	Next     string         `json:"next,omitempty"`       // stopped: advice from the command that ran the loop
	Summary  *Summary       `json:"summary,omitempty"`    // stopped
	Why      string         `json:"why,omitempty"`        // the reason: stopped, commit_refused, turn_cut, left_out, box_denied; committed: files that seldom belong in a commit
	Hat      string         `json:"hat,omitempty"`        // turn_started; verified, if the hat's own commands ran
	Takes    []int          `json:"takes,omitempty"`      // turn_started: IDs of the topics that the turn receives
	Subject  string         `json:"subject,omitempty"`    // turn_started: names of these topics
	Topics   []hats.Topic   `json:"topics,omitempty"`     // run_started, turn_ended: published, refused, dropped
	Question *Question      `json:"question,omitempty"`   // asked, answered, decided
	Asked    []Question     `json:"asked,omitempty"`      // turn_ended: questions that the end of the turn asked or ended
	Answers  []string       `json:"answers,omitempty"`    // turn_started: IDs of the questions whose answers the prompt contains
	Guide    *Guide         `json:"guide,omitempty"`      // guided
	Guides   []string       `json:"guides,omitempty"`     // turn_started: IDs of the guides in the prompt
	Events   int            `json:"events,omitempty"`     // left_out: number of events
	Bytes    int64          `json:"bytes,omitempty"`      // left_out: size of their lines
	Denied   *Denied        `json:"denied,omitempty"`     // box_denied
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

// Verdict is the result of a command of --verify.
type Verdict struct {
	Command string `json:"command"`
	Dir     string `json:"dir,omitempty"` // where it ran, relative to the project; empty for the project itself
	OK      bool   `json:"ok"`
	Why     string `json:"why,omitempty"`  // "exit code 1", "timed out after 5m"
	Tail    string `json:"tail,omitempty"` // the end of its output
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
