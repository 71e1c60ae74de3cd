package record

import (
	"time"

	"example.org/ripple/runtime/event"
	"example.org/ripple/runtime/loop/hats"
)

// State is the data that a loop keeps between two turns. It is written as a whole, in one line
// of events.jsonl, so that after a crash it is the state before or after a turn and never one in
// between. The files of the reference implementation are derived from it.
type State struct {
	Run     string               `json:"run"`
	Turn    int                  `json:"turn"`           // the last one that ended
	Lost    int                  `json:"lost,omitempty"` // turns that the provider ended before they changed a file: MAX_TURNS does not count them
	Cut     int                  `json:"cut,omitempty"`  // interrupted attempts at the next one, which is repeated
	Millis  int64                `json:"elapsed_ms"`
	CostUSD float64              `json:"cost_usd"`
	Tokens  event.Tokens         `json:"tokens,omitzero"`   // without their cost
	Agent   string               `json:"agent,omitempty"`   // the agent that took the last turn
	Limited map[string]time.Time `json:"limited,omitempty"` // end of the limit of each limited agent
	Handed  map[string]int       `json:"handed,omitempty"`  // consecutive turns of each agent that an overload ended
	Start   string               `json:"start,omitempty"`   // commit before the first turn

	Checkouts Checkouts `json:"checkouts,omitzero"`

	FailedTurns map[event.Kind]int `json:"failed_turns,omitempty"` // number of turns that ended in a failure, by its kind

	Breaker Breaker      `json:"breaker"`
	Memory  Memory       `json:"memory"`
	Gate    Gate         `json:"gate"`
	Session Session      `json:"session"`
	Moves   []Move       `json:"moves,omitempty"` // changes of Session in the last turn
	Used    event.Tokens `json:"used,omitzero"`   // by Session so far

	Failures  int           `json:"failures"`            // consecutive failed turns
	Failed    event.Kind    `json:"failed,omitempty"`    // how the last turn failed
	Halted    bool          `json:"halted,omitempty"`    // a permission was denied in mode halt
	Hint      string        `json:"hint,omitempty"`      // the adapter's advice about Failed
	Asked     string        `json:"asked,omitempty"`     // the question of the last turn, if it did nothing else
	Limits    int           `json:"limits"`              // consecutive limits of the provider
	Waited    time.Duration `json:"waited_ns"`           // time waited for them, and taken by the turns that they ended
	NotBefore time.Time     `json:"not_before,omitzero"` // when the next turn may start

	Prompt       string `json:"prompt,omitempty"`      // how the prompt's file changed during a turn
	PromptTurn   int    `json:"prompt_turn,omitempty"` // that turn, also one that was cut off
	Task         string `json:"task,omitempty"`        // the first open task before the last turn
	Said         string `json:"said,omitempty"`        // the last sentence of the last turn
	Last         string `json:"last,omitempty"`        // one line on the last turn
	Recommended  string `json:"recommended,omitempty"`
	Progress     bool   `json:"progress"`
	Removed      int    `json:"removed,omitempty"`       // boxes that were removed from the plan
	Claims       int    `json:"claims"`                  // claims of completion whose verification failed
	VerifyFailed string `json:"verify_failed,omitempty"` // how the last verification failed
	Examined     int    `json:"examined"`                // turns whose claim was examined: Turn+1
	Proven       string `json:"proven,omitempty"`        // digest of the tree that was verified
	Committed    int    `json:"committed"`               // the last turn whose commit and tag are complete

	ProvenBy []string `json:"proven_by,omitempty"` // commands that verified that tree

	Refused int      `json:"refused,omitempty"` // consecutive commits that git refused
	Refusal string   `json:"refusal,omitempty"` // the reason of the last refusal
	Owed    []string `json:"owed,omitempty"`    // files that the next commit includes, quoted

	Denied     []Denied `json:"denied,omitempty"`      // connections that the box refused, once for each host and port
	Told       int      `json:"told,omitempty"`        // how many of them the prompt of a successful turn contained
	Review     []string `json:"review,omitempty"`      // changed files that tools run automatically, and inner repositories
	ReviewMore int      `json:"review_more,omitempty"` // how many others there are

	Hats      *hats.State       `json:"hats,omitempty"`       // nil in a loop without topics
	SessionOf string            `json:"session_of,omitempty"` // the hat that owns Session; "" for the loop
	Parked    map[string]Parked `json:"parked,omitempty"`     // the sessions of other hats, by the keys of the hats

	Questions []Question `json:"questions,omitempty"` // open ones, and those whose answer no successful turn has received
	Asking    int        `json:"asking,omitempty"`    // number of questions so far
	Guides    []Guide    `json:"guides,omitempty"`    // those that no successful turn has received
	Heard     []string   `json:"heard,omitempty"`     // recorded replies that the file of replies may still contain
	Allowed   []string   `json:"allowed,omitempty"`   // tools that the user allowed after a denial
}

// BelowZero reports whether a number of turns is below zero, which no loop writes.
func (s *State) BelowZero() bool {
	return min(s.Turn, s.Lost, s.Cut, s.Examined, s.Committed) < 0
}

// Parked is the session of a hat that does not have the current turn.
type Parked struct {
	Session Session      `json:"session"`
	Used    event.Tokens `json:"used,omitzero"`
}
