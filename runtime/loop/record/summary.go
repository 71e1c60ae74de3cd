package record

import (
	"time"

	"example.org/ripple/runtime/event"
)

// Summary is what a run has done, including the parts before it was resumed.
type Summary struct {
	Turns   int           `json:"turns"`
	Elapsed time.Duration `json:"elapsed_ns"`
	CostUSD float64       `json:"cost_usd"`
	Tokens  event.Tokens  `json:"tokens,omitzero"`

	Failures map[event.Kind]int `json:"failures,omitempty"` // turns that ended in a failure, by its kind

	Commits int `json:"commits"` // commits since the start of the run, by anyone; of a worktree, only those of which Main has neither the commit nor a copy
	Files   int `json:"files"`   // files changed by these commits, and by those of Copied if there are others
	Added   int `json:"added"`   // lines added by them
	Removed int `json:"removed"` // lines removed by them
	Dirty   int `json:"dirty"`   // files with uncommitted changes

	Denied     []Denied `json:"denied,omitempty"`      // connections that the box refused
	Review     []string `json:"review,omitempty"`      // changed files that tools run automatically, and inner repositories, if there was a box
	ReviewMore int      `json:"review_more,omitempty"` // how many others there are

	Git    bool   `json:"git"`              // Commits, Files, Added, Removed and Dirty are known
	Branch string `json:"branch,omitempty"` // branch of the worktree, if there is one
	Dir    string `json:"dir,omitempty"`    // directory of the worktree, relative to the project
	Main   string `json:"main,omitempty"`   // the branch that Branch follows
	Copied int    `json:"copied,omitempty"` // further commits of Branch of which Main has copies: commits with the same changes
	Merged bool   `json:"merged,omitempty"` // Main has all commits of Branch, and turns made some of them or earlier versions of them; Commits is 0

	Rebase     bool     `json:"rebase,omitempty"`     // the agent's tree is in the middle of a rebase
	Open       string   `json:"open,omitempty"`       // command that continues or aborts what is unfinished in the agent's tree, other than a rebase, such as "git merge"
	Moved      *Moved   `json:"moved,omitempty"`      // the agent's tree, if it is not on its branch
	Others     []Other  `json:"others,omitempty"`     // further branches on which turns left commits
	Unkept     []Unkept `json:"unkept,omitempty"`     // commits that turns, or a rebase, left on no branch, the last ones first
	Unrelated  []string `json:"unrelated,omitempty"`  // branches of the run that have no commit in common with Main, so git merge needs --allow-unrelated-histories
	Stashed    []string `json:"stashed,omitempty"`    // entries of git's stash that were made during the run, the last one first, as in git stash list
	Unlogged   bool     `json:"unlogged,omitempty"`   // git's log of HEAD in Dir was missing or changed, so turns may have left other commits
	Nested     []Nested `json:"nested,omitempty"`     // further working trees of the repository in Dir, submodules with files, and other repositories
	Ignored    []string `json:"ignored,omitempty"`    // files and directories in Dir that git ignores and the project lacks or has with other contents, at most 50
	Uncompared bool     `json:"uncompared,omitempty"` // Ignored may lack some: of many files that the project has, too, only the size was compared
	Unsearched bool     `json:"unsearched,omitempty"` // Nested and Ignored may lack some: Dir could not be searched, or not in time
	Project    *Project `json:"project,omitempty"`    // the user's own checkout, if it changed during turns and is not the agent's tree
}
