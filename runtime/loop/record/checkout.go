package record

import (
	"fmt"
	"strings"
)

// Checkout is what a working tree has checked out.
type Checkout struct {
	Branch string `json:"branch,omitempty"` // "": none, its HEAD is detached
	Commit string `json:"commit,omitempty"` // "": none yet
}

// String describes a checkout: "branch main", "commit 0123456789 (detached HEAD)".
func (c Checkout) String() string {
	if c.Branch == "" {
		return "commit " + c.Commit[:min(len(c.Commit), 10)] + " (detached HEAD)"
	}
	return "branch " + c.Branch
}

// Checkouts is what a run knows of the working trees that its agent may change: its own, and the
// user's own checkout if that is another one.
type Checkouts struct {
	First    *string   `json:"first,omitempty"`    // branch of the agent's tree before the first turn, "" for a detached HEAD; nil: not known
	Last     *string   `json:"last,omitempty"`     // the same after the last turn
	Branches []string  `json:"branches,omitempty"` // that turns had checked out in the agent's tree, at most 50
	Unkept   []string  `json:"unkept,omitempty"`   // commits that turns left on no branch
	Project  *Checkout `json:"project,omitempty"`  // of the user before the first turn in which it changed
	Files    []string  `json:"files,omitempty"`    // of the user that changed during turns, at most 50
}

// Moved is a working tree that has another branch checked out than before, or a commit and no branch.
type Moved struct {
	From  Checkout `json:"from"`
	To    Checkout `json:"to"`
	Gone  bool     `json:"gone,omitempty"`    // branch From no longer exists
	Ahead int      `json:"ahead,omitempty"`   // commits of the run at To that branch From lacks
	Name  string   `json:"keep_as,omitempty"` // To, or what is not committed there, is on no branch: an unused name for one
}

// Other is a branch with commits of the run that is not checked out at its end.
type Other struct {
	Branch  string `json:"branch"`
	Commits int    `json:"commits"` // that neither what is checked out nor an earlier one in the list has
}

// Unkept is a commit that a turn left on no branch.
type Unkept struct {
	Commit string `json:"commit"`
	Name   string `json:"keep_as"` // an unused name for a branch
}

// Project is how the user's own checkout changed while the agent worked in another tree.
type Project struct {
	Moved *Moved   `json:"moved,omitempty"`
	Files []string `json:"files,omitempty"` // that changed during turns, at most 50
}

// String describes the changes in a part of a sentence.
func (p *Project) String() string {
	files := FirstNames(p.Files)
	if p.Moved == nil {
		return files
	}
	text := fmt.Sprintf("%s was left, and %s is checked out", p.Moved.From, p.Moved.To)
	if files != "" {
		text += "; changed: " + files
	}
	return text
}

const maxNames = 5 // that FirstNames lists

// FirstNames lists the first of some names of files in one line.
func FirstNames(names []string) string {
	more := ""
	if n := len(names) - maxNames; n > 0 {
		names, more = names[:maxNames], fmt.Sprintf(" and %d more", n)
	}
	return OneLine(strings.Join(names, ", "), 400) + more
}
