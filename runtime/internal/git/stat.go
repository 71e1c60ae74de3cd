package git

import (
	"context"
	"regexp"
	"strconv"
	"strings"

	"example.org/ripple/internal/lazyregexp"
)

// Differences describes the changes of commits.
type Differences struct {
	Commits int
	Files   int
	Added   int // lines
	Removed int // lines
}

var changedFiles, insertions, deletions = lazyregexp.New(`(\d+) files? changed`), lazyregexp.New(`(\d+) insertion`), lazyregexp.New(`(\d+) deletion`)

// Base returns the merge base of a branch or commit, and head, which is HEAD or a branch in the form of Branch.
func (r *Repo) Base(ctx context.Context, branch, head string) (string, error) {
	out, err := command(ctx, r.Top, gitBase, revision(branch), head)
	return strings.TrimSpace(out), err
}

// Since is what was committed in head, as in Base, since a commit; "" is one before the first.
func (r *Repo) Since(ctx context.Context, from, head string) (d Differences, err error) {
	reach := revision(from) + ".." + head
	if from == "" {
		blank, err := r.run(ctx, call{}, gitWriteBlank, "-t", "tree", "--stdin")
		if err != nil {
			return d, err
		}
		reach, from = head, strings.TrimSpace(blank)
	}
	commits, err := command(ctx, r.Top, gitRevList, "--count", reach)
	if err != nil {
		return d, err
	}
	stat, err := r.run(ctx, call{}, gitDiff, "--shortstat", revision(from), head)
	d.Commits, _ = strconv.Atoi(strings.TrimSpace(commits)) // digits
	d.Files, d.Added, d.Removed = counted(changedFiles(), stat), counted(insertions(), stat), counted(deletions(), stat)
	return d, err
}

func counted(of *regexp.Regexp, text string) int {
	m := of.FindStringSubmatch(text)
	if m == nil {
		return 0
	}
	n, _ := strconv.Atoi(m[1]) // digits
	return n
}
