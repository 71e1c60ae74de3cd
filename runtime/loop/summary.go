package loop

import (
	"context"
	"regexp"
	"strconv"
	"strings"
	"time"

	"ripple/runtime/event"
)

// Summary is what a run has done, resumed or not.
type Summary struct {
	Turns   int           `json:"turns"`
	Elapsed time.Duration `json:"elapsed_ns"`
	CostUSD float64       `json:"cost_usd"`
	Tokens  event.Tokens  `json:"tokens,omitzero"`

	Commits int `json:"commits"` // since the run began, whoever made them
	Files   int `json:"files"`   // that these commits changed
	Added   int `json:"added"`   // lines
	Removed int `json:"removed"` // lines
	Dirty   int `json:"dirty"`   // files that are not committed as they are

	Git    bool   `json:"git"`              // the five above are known
	Branch string `json:"branch,omitempty"` // of --worktree
	Dir    string `json:"dir,omitempty"`    // where it is checked out, from the project
	Main   string `json:"main,omitempty"`   // branch that it follows
}

// summaryTimeout bounds how long the end of a run may wait for git.
const summaryTimeout = 10 * time.Second

// summary is nil for a run that took no turn. That git cannot tell is no reason
// to fail at the end.
func (l *Loop) summary(ctx context.Context) *Summary {
	s := &l.state
	if s.Turn == 0 {
		return nil
	}
	sum := &Summary{Turns: s.Turn, Elapsed: l.elapsed(), CostUSD: s.CostUSD, Tokens: s.Tokens}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), summaryTimeout)
	defer cancel()
	if w := l.work; w != nil {
		sum.Branch, sum.Main = w.branch, w.main
		sum.Dir = Dir + "/" + w.branch + worktreeSuffix
	}
	if l.tree != nil && l.tree.repo != nil {
		sum.Git = l.differences(ctx, sum) == nil
	}
	return sum
}

var changedFiles, insertions, deletions = regexp.MustCompile(`(\d+) files? changed`), regexp.MustCompile(`(\d+) insertion`), regexp.MustCompile(`(\d+) deletion`)

// differences counts what became of the tree. A branch that was rebased meanwhile
// is compared with where it leaves the one that it follows.
func (l *Loop) differences(ctx context.Context, sum *Summary) error {
	r, from := l.tree.repo, l.state.Start
	if l.work != nil {
		base, err := git(ctx, r.top, gitBase, l.work.main, "HEAD")
		if err != nil {
			return err
		}
		from = strings.TrimSpace(base)
	}
	reach := from + "..HEAD"
	if from == "" { // the first turn found no commit
		blank, err := r.run(ctx, call{}, gitWriteBlank, "-t", "tree", "--stdin")
		if err != nil {
			return err
		}
		reach, from = "HEAD", strings.TrimSpace(blank)
	}
	commits, err := git(ctx, r.top, gitRevList, "--count", reach)
	if err != nil {
		return err
	}
	stat, err := git(ctx, r.top, gitDiff, "--shortstat", from, "HEAD")
	if err != nil {
		return err
	}
	now, err := l.tree.snapshot(ctx)
	sum.Commits, _ = strconv.Atoi(strings.TrimSpace(commits)) // digits
	sum.Files, sum.Added, sum.Removed = counted(changedFiles, stat), counted(insertions, stat), counted(deletions, stat)
	for name := range now.Files {
		if l.tree.work([]string{name}) {
			sum.Dirty++
		}
	}
	return err
}

func counted(of *regexp.Regexp, text string) int {
	m := of.FindStringSubmatch(text)
	if m == nil {
		return 0
	}
	n, _ := strconv.Atoi(m[1]) // digits
	return n
}
