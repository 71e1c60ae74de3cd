package record

import (
	"time"

	"example.org/ripple/runtime/event"
	"example.org/ripple/runtime/loop/hats"
)

// State is all that a loop knows between two turns. It is written as a whole
// with one line of events.jsonl, so that a crash finds it before or after a turn
// and never in between; the seed's files are made from it, and so it has a field for each
// thing that a turn can depend on.
type State struct {
	Run     string               `json:"run"`
	Turn    int                  `json:"turn"`          // the last one that ended
	Cut     int                  `json:"cut,omitempty"` // attempts at the next one that were cut off; it is taken again
	Millis  int64                `json:"elapsed_ms"`
	CostUSD float64              `json:"cost_usd"`
	Tokens  event.Tokens         `json:"tokens,omitzero"`   // without their cost
	Agent   string               `json:"agent,omitempty"`   // took the last turn
	Limited map[string]time.Time `json:"limited,omitempty"` // of several agents, until when
	Handed  map[string]int       `json:"handed,omitempty"`  // of several agents, how often in a row an overload ended their turns
	Start   string               `json:"start,omitempty"`   // commit before the first turn

	Checkouts Checkouts `json:"checkouts,omitzero"`

	FailedTurns map[event.Kind]int `json:"failed_turns,omitempty"` // number of turns that ended in a failure, by its kind

	Breaker Breaker      `json:"breaker"`
	Memory  Memory       `json:"memory"`
	Gate    Gate         `json:"gate"`
	Session Session      `json:"session"`
	Moves   []Move       `json:"moves,omitempty"` // of the Session in the last turn
	Used    event.Tokens `json:"used,omitzero"`

	Failures  int           `json:"failures"`         // turns in a row
	Failed    event.Kind    `json:"failed,omitempty"` // how the last turn failed
	Halted    bool          `json:"halted,omitempty"` // a denial in mode halt
	Hint      string        `json:"hint,omitempty"`   // what to do about Failed, in the adapter's words
	Asked     string        `json:"asked,omitempty"`  // what the last turn asked a person, and did nothing else
	Limits    int           `json:"limits"`           // provider limits in a row
	Waited    time.Duration `json:"waited_ns"`        // for these
	NotBefore time.Time     `json:"not_before,omitzero"`

	Prompt       string `json:"prompt,omitempty"` // what became of its file while a turn ran
	Task         string `json:"task,omitempty"`   // what the plan had the last turn do
	Said         string `json:"said,omitempty"`   // the last sentence of the last turn
	Last         string `json:"last,omitempty"`   // one line on the last turn
	Recommended  string `json:"recommended,omitempty"`
	Progress     bool   `json:"progress"`
	Removed      int    `json:"removed,omitempty"`       // boxes that were taken out of the plan
	Claims       int    `json:"claims"`                  // claims of being done that failed
	VerifyFailed string `json:"verify_failed,omitempty"` // how the last one failed
	Examined     int    `json:"examined"`                // turns whose claim was examined: Turn+1
	Proven       string `json:"proven,omitempty"`        // digest of the tree that was verified
	Committed    int    `json:"committed"`               // the last turn that Git is done with

	Refused int      `json:"refused,omitempty"` // commits in a row
	Refusal string   `json:"refusal,omitempty"` // of the last one
	Owed    []string `json:"owed,omitempty"`    // files that the next commit takes, quoted

	Denied []Denied `json:"denied,omitempty"` // what the box refused, once for each host and port
	Told   int      `json:"told,omitempty"`   // how many of them a successful turn has had in its prompt
	Review []string `json:"review,omitempty"` // changed files that tools run by themselves

	Hats      *hats.State       `json:"hats,omitempty"`       // nil in a loop without topics
	SessionOf string            `json:"session_of,omitempty"` // the hat that Session is of; "" for the loop's
	Parked    map[string]Parked `json:"parked,omitempty"`     // of other hats, by their keys

	Questions []Question `json:"questions,omitempty"` // open, or with an answer that no turn that worked has had
	Asking    int        `json:"asking,omitempty"`    // questions so far
	Guides    []Guide    `json:"guides,omitempty"`    // that no turn that worked has had
	Heard     []string   `json:"heard,omitempty"`     // replies that the file of replies may still have
	Allowed   []string   `json:"allowed,omitempty"`   // tools that a person allowed after a denial
}

// Parked is a session that another hat goes on with.
type Parked struct {
	Session Session      `json:"session"`
	Used    event.Tokens `json:"used,omitzero"`
}
