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

// Checkouts describes the working trees that the agent of a run may change: its own and, if it is
// a different one, the user's checkout.
type Checkouts struct {
	First    *string   `json:"first,omitempty"`          // branch of the agent's tree before the first turn, "" for a detached HEAD; nil if unknown
	Last     *string   `json:"last,omitempty"`           // the same after the last turn
	Branches []string  `json:"branches,omitempty"`       // branches that turns checked out in the agent's tree, at most 50
	Unkept   []string  `json:"unkept,omitempty"`         // commits that turns, or a rebase, left on no branch
	Left     []string  `json:"left,omitempty"`           // commits that turns left on a branch or with a tag that may be gone later, at most 50
	Earlier  []string  `json:"earlier,omitempty"`        // commits that turns of earlier runs left, for the next run in a worktree; at most 50
	Made     []string  `json:"made_commits,omitempty"`   // commits that turns made in a worktree: the first one, and the last ones; at most 50
	Logged   []string  `json:"logged_commits,omitempty"` // commits that turns made in the agent's tree, as git's log of HEAD has them; the last 50
	Unlogged bool      `json:"unlogged,omitempty"`       // git's log of HEAD of the agent's tree was missing or changed, so turns may have left other commits
	Stashes  []string  `json:"stashes,omitzero"`         // entries of git's stash before the first turn, the last 50; nil if unknown
	Project  *Checkout `json:"project,omitempty"`        // the user's checkout before the first turn in which it changed
	Files    []string  `json:"files,omitempty"`          // files of the user's checkout that changed during turns, at most 50
}

// Moved describes a working tree in which another branch, or a commit without a branch, is checked
// out than before.
type Moved struct {
	From  Checkout `json:"from"`
	To    Checkout `json:"to"`
	Gone  bool     `json:"gone,omitempty"`    // branch From no longer exists
	Ahead int      `json:"ahead,omitempty"`   // commits of the run at To that branch From lacks
	Name  string   `json:"keep_as,omitempty"` // an unused branch name, if To or uncommitted changes there are on no branch
}

// Other is a branch with commits of the run that is not checked out at its end.
type Other struct {
	Branch  string `json:"branch"`
	Commits int    `json:"commits"` // commits that are neither in the checkout nor in an earlier branch of the list
}

// Unkept is a commit that a turn, or a rebase before it, left on no branch.
type Unkept struct {
	Commit string `json:"commit"`
	Name   string `json:"keep_as"` // an unused name for a branch
}

// Nested is a working tree of the repository, a submodule, or another repository, in the directory of the agent's working tree.
// git may remove it with that one.
type Nested struct {
	Dir        string   `json:"dir"` // relative to the project
	Submodule  bool     `json:"submodule,omitempty"`
	Repository bool     `json:"repository,omitempty"` // another one
	Checkout   Checkout `json:"checkout,omitzero"`    // of a working tree of the repository
}

// Project is how the user's own checkout changed while the agent worked in another tree.
type Project struct {
	Moved *Moved   `json:"moved,omitempty"`
	Files []string `json:"files,omitempty"` // files that changed during turns, at most 50
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
