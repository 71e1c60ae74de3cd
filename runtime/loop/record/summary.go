package record

import (
	"time"

	"example.org/ripple/runtime/event"
)

// Summary is what a run has done, resumed or not.
type Summary struct {
	Turns   int           `json:"turns"`
	Elapsed time.Duration `json:"elapsed_ns"`
	CostUSD float64       `json:"cost_usd"`
	Tokens  event.Tokens  `json:"tokens,omitzero"`

	Failures map[event.Kind]int `json:"failures,omitempty"` // turns that ended in a failure, by its kind

	Commits int `json:"commits"` // since the run began, by anybody
	Files   int `json:"files"`   // that these commits changed
	Added   int `json:"added"`   // lines
	Removed int `json:"removed"` // lines
	Dirty   int `json:"dirty"`   // files that are not committed as they are

	Denied []Denied `json:"denied,omitempty"` // what the box refused
	Review []string `json:"review,omitempty"` // changed files that tools run by themselves, in a box

	Git    bool   `json:"git"`              // the five above are known
	Branch string `json:"branch,omitempty"` // of a working tree of its own
	Dir    string `json:"dir,omitempty"`    // where it is checked out, from the project
	Main   string `json:"main,omitempty"`   // branch that it follows

	Rebase  bool     `json:"rebase,omitempty"`  // the agent's tree is in the middle of a rebase
	Moved   *Moved   `json:"moved,omitempty"`   // the agent's tree, if it is not on its branch
	Others  []Other  `json:"others,omitempty"`  // further branches on which turns left commits
	Unkept  []Unkept `json:"unkept,omitempty"`  // commits that turns left on no branch, the last ones first
	Project *Project `json:"project,omitempty"` // the user's own checkout, if it changed during turns and is not the agent's tree
}
