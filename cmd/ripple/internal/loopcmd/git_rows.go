package loopcmd

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"example.org/ripple/cmd/ripple/internal/ui"
	"example.org/ripple/internal/projectfile"
	"example.org/ripple/internal/quote"
	"example.org/ripple/runtime/loop"
	"example.org/ripple/runtime/loop/record"
)

// gitRows return what became of the tree, where its commits are, and the commands that keep, merge
// and remove them. Rows whose label begins with "to" are commands. Followed in any order, or only
// in part, they lose no commit.
func gitRows(s *loop.Summary) []row { return gitRowsSince(s, removed{}) }

// removed says what of a run's working tree the user has removed after the run.
type removed struct{ tree, branch bool }

// removedSince looks at a project's files; what cannot be seen there counts as not removed.
func removedSince(project string, s *loop.Summary) removed {
	if s.Branch == "" || s.Moved != nil || projectfile.In(project, ".").Exists(s.Dir) {
		return removed{}
	}
	return removed{true, branchRemoved(project, s.Branch)}
}

// branchRemoved reports whether the repository of a project no longer has a branch, as far as its files show.
func branchRemoved(project, branch string) bool {
	dir, err := filepath.Abs(project)
	if err != nil || os.Getenv("GIT_DIR") != "" {
		return false
	}
	top, _ := projectfile.RepositoryOf(dir)
	files := projectfile.In(top, ".git")
	if info, err := files.Stat("refs/heads"); top == "" || err != nil || !info.IsDir() { // a linked working tree, or another format
		return false
	}
	ref := "refs/heads/" + branch
	if files.Exists(ref) {
		return false
	}
	packed, err := files.Read("packed-refs", projectfile.MaxText)
	if err != nil {
		return errors.Is(err, fs.ErrNotExist)
	}
	return !strings.Contains(string(packed), " "+ref+"\n")
}

// gitRowsSince is gitRows without the rows about what the user has removed.
func gitRowsSince(s *loop.Summary, gone removed) (rows []row) {
	if gone.tree {
		rest := *s
		rest.Dirty, rest.Open, rest.Rebase, rest.Unlogged = 0, "", false, false
		rest.Nested, rest.Ignored, rest.Uncompared, rest.Unsearched = nil, nil, false, false
		s = &rest
	}
	elsewhere := len(s.Others) > 0 || len(s.Unkept) > 0 && !s.Merged && s.Copied == 0 // other rows say where the run's commits are
	if s.Git && (s.Commits > 0 || !elsewhere) {
		rows = append(rows, row{"commits", commits(s)})
	}
	if s.Git && s.Dirty > 0 {
		rows = append(rows, row{"dirty", dirtyWords(s)})
	}
	if s.Open != "" {
		rows = append(rows, row{"open", openWords(s)})
	}
	rows = append(rows, stashRows(s)...)
	if s.Branch == "" {
		return append(rows, checkoutRows(s)...)
	}
	return append(rows, worktreeRows(s, gone)...)
}

// branchWord returns a branch as an argument of a command. An agent can make a branch such as -f, which
// would be an option.
func branchWord(name string) string {
	if strings.HasPrefix(name, "-") {
		name = "refs/heads/" + name
	}
	return quote.Shell(name)
}

// openWords say how to end a merge or the like. Until then git refuses commands that check out branches, and in a worktree a
// commit of all files would have the marks of conflicts.
func openWords(s *loop.Summary) string {
	at, where := s.Open, ""
	if s.Branch != "" {
		at, where = strings.Replace(at, "git ", "git -C "+quote.Shell(s.Dir)+" ", 1), " in "+s.Dir
	}
	return s.Open + " is unfinished" + where + ": first end it with `" + at + " --continue` or discard it with `" + at + " --abort`"
}

func dirtyWords(s *loop.Summary) string {
	text := ui.Count(s.Dirty, "file") + " not in a commit"
	if s.Branch != "" { // nor would git remove the tree
		text += ", and so not in a merge"
	}
	return text
}

// stashRows name the entries of git's stash that were made during the run.
func stashRows(s *loop.Summary) (rows []row) {
	for i := range s.Stashed {
		name := "stash@{" + strconv.Itoa(i) + "}"
		rows = append(rows,
			row{"stashed", name + " was made during the run, and is on no branch"},
			row{"to look", "git stash show -p " + quote.Shell(name)})
	}
	return rows
}

// checkoutRows are those of a loop in the user's own checkout.
func checkoutRows(s *loop.Summary) []row {
	rows := append(movedRows(s), othersRows(s)...)
	for _, o := range s.Others {
		if m := s.Moved; m == nil || m.Name == "" && m.From.Branch != o.Branch {
			rows = append(rows, row{"to merge", "git merge " + unrelatedFlag(s, o.Branch) + branchWord(o.Branch)})
		}
	}
	return append(rows, unkeptRows(s)...)
}

// othersRows name the further branches with commits of the run.
func othersRows(s *loop.Summary) (rows []row) {
	for _, o := range s.Others {
		rows = append(rows, row{"branch", quote.Name(o.Branch) + " has " + ui.Count(o.Commits, "commit") + " of this run"})
	}
	return rows
}

// worktreeRows are those of a loop in a working tree of its own.
func worktreeRows(s *loop.Summary, gone removed) (rows []row) {
	at := "git -C " + quote.Shell(s.Dir)
	switch {
	case !s.Git:
		rows = append(rows, row{"tree", "git could not examine " + s.Dir})
	case s.Rebase:
		rows = append(rows, row{"rebase", "unfinished in " + s.Dir + ": complete or abort it there before you merge " + quote.Name(s.Branch)})
	}
	if s.Moved != nil {
		rows = append(rows, row{"moved", movedWords(s.Moved, "the work is")})
		if s.Moved.Name != "" {
			rows = append(rows, row{"to keep", at + " switch -c " + quote.Shell(s.Moved.Name)})
		}
	}
	if s.Dirty > 0 && !s.Rebase && s.Open == "" {
		rows = append(rows, row{"to keep", at + " add -A && " + at + " commit"})
	}
	rows = append(append(rows, othersRows(s)...), unkeptRows(s)...)
	if s.Unlogged {
		rows = append(rows, row{"log", "git's log of HEAD in " + s.Dir + " is missing or was changed: there may be commits on no branch that ripple does not know"})
	}
	rows = append(rows, nestedRows(s)...)
	if p := s.Project; p != nil {
		rows = append(rows, usersRows(p)...)
	}
	return append(append(rows, mergeRows(s, gone)...), removeRows(s, gone)...)
}

// movedRows return what was left, and the commands that go back to it.
func movedRows(s *loop.Summary) []row {
	m := s.Moved
	if m == nil {
		return nil
	}
	rows := []row{{"moved", movedWords(m, "the work is")}}
	switch from := branchWord(m.From.Branch); {
	case m.Name != "":
		rows = append(rows, row{"to keep", "git switch -c " + quote.Shell(m.Name)})
	case m.From.Branch == "" || m.Gone:
	case m.Ahead > 0:
		work := m.To.Commit // another branch or a tag has it
		if m.To.Branch != "" {
			work = branchWord(m.To.Branch)
		}
		rows = append(rows, row{"to merge", "git switch " + from + " && git merge " + unrelatedFlag(s, cmp.Or(m.To.Branch, m.To.Commit)) + work})
	default:
		rows = append(rows, row{"to go back", "git switch " + from})
	}
	return rows
}

// movedWords return what a working tree has checked out instead of its branch. what is the subject
// of a sentence about its commits.
func movedWords(m *record.Moved, what string) string {
	from, to := quote.Name(m.From.Branch), quote.Name(m.To.Branch)
	text := from + " was left: "
	if m.From.Branch == "" {
		text = "HEAD was detached when the run began: "
	}
	switch {
	case m.Name != "":
		text += what + " on no branch (detached HEAD at " + short(m.To.Commit) + ")"
	case m.To.Branch == "":
		text += "HEAD is detached at " + short(m.To.Commit) + ", which a branch or a tag has"
	case m.Ahead > 0:
		text += what + " on " + to
	case m.To.Commit == "":
		text += to + " is checked out and has no commit"
	default:
		text += to + " is checked out"
	}
	if m.Gone && m.From.Commit != "" {
		text += "; " + from + " is gone"
	}
	return text
}

func short(commit string) string { return commit[:min(len(commit), 10)] }

// unkeptRows name the commits that are on no branch, and the commands that create branches for them.
func unkeptRows(s *loop.Summary) (rows []row) {
	for _, u := range s.Unkept {
		rows = append(rows,
			row{"left", "commit " + short(u.Commit) + " is on no branch"},
			row{"to keep", "git branch " + quote.Shell(u.Name) + " " + u.Commit})
	}
	return rows
}

// nestedRows name what else git removes with a working tree.
func nestedRows(s *loop.Summary) (rows []row) {
	for _, n := range s.Nested {
		var text string
		switch {
		case n.Repository:
			text = quote.Name(n.Dir) + " is a repository of its own: no commit of " + quote.Name(s.Branch) + " has its files or commits, and git may remove it with " + s.Dir
		case n.Submodule:
			text = quote.Name(n.Dir) + " is a submodule with files: git removes " + s.Dir + " only with --force, and commits with it that only this copy of the submodule has"
		default:
			text = quote.Name(n.Dir) + " is another working tree, with " + quote.Name(n.Checkout.String()) + "; git may remove it with " + s.Dir
		}
		rows = append(rows, row{"nested", text})
	}
	if len(s.Ignored) > 0 {
		rows = append(rows, row{"ignored", record.FirstNames(s.Ignored) + " (ignored by git, and only in this worktree): in no commit, and git removes such files with " + s.Dir + " without a question"})
	}
	if s.Uncompared && !s.Unsearched {
		rows = append(rows, row{"ignored", s.Dir + " has many files that git ignores and that your checkout has with the same sizes: not all of their contents were compared, and git removes them with " + s.Dir + " without a question"})
	}
	if s.Unsearched {
		rows = append(rows, row{"ignored", s.Dir + " could not be searched to its end: it may have other repositories and files that git ignores, which git removes with it without a question"})
	}
	return rows
}

// usersRows report changes of the user's own checkout.
func usersRows(p *record.Project) []row {
	text := record.FirstNames(p.Files)
	if p.Moved != nil {
		text = movedWords(p.Moved, "it is")
		if len(p.Files) > 0 {
			text += "; changed: " + record.FirstNames(p.Files)
		}
	}
	rows := []row{{"yours", "your own checkout changed during turns: " + text}}
	switch m := p.Moved; {
	case m == nil:
	case m.Name != "":
		rows = append(rows, row{"to keep", "git switch -c " + quote.Shell(m.Name)})
	case m.From.Branch != "" && !m.Gone:
		rows = append(rows, row{"to go back", "git switch " + branchWord(m.From.Branch)})
	}
	return rows
}

// workBranches return the branches that have, or can keep, commits of a working tree.
func workBranches(s *loop.Summary) (names []string) {
	m := s.Moved
	switch {
	case m == nil && s.Git && !s.Rebase && s.Commits+s.Dirty == 0: // it has nothing
	case m == nil:
		names = []string{s.Branch}
	case m.Name != "":
		names = []string{m.Name}
	case m.To.Branch == "" && m.Ahead > 0: // another branch or a tag has the commit
		names = []string{m.To.Commit}
	case m.To.Branch != "" && m.To.Branch != s.Main && (m.Ahead > 0 || m.To.Commit != "" && s.Dirty > 0):
		names = []string{m.To.Branch}
	}
	for _, o := range s.Others {
		names = append(names, o.Branch)
	}
	return names
}

// unrelatedFlag returns the flag that git merge needs for a branch without a commit in common.
func unrelatedFlag(s *loop.Summary, name string) string {
	if slices.Contains(s.Unrelated, name) {
		return "--allow-unrelated-histories "
	}
	return ""
}

func mergeRows(s *loop.Summary, gone removed) (rows []row) {
	for _, name := range workBranches(s) {
		if gone.branch && name == s.Branch {
			continue
		}
		dots, flag := "...", unrelatedFlag(s, name)
		if flag != "" {
			dots = " "
		}
		rows = append(rows,
			row{"to look", "git diff " + branchWord(s.Main) + dots + branchWord(name)},
			row{"to merge", "git merge " + flag + branchWord(name)})
	}
	return rows
}

// removeRows remove a working tree with its branch only if every commit is on a branch, and no other tree is in it: with a
// tree, git removes the log of what it had checked out, and what it ignores there. `git branch -d` refuses a branch that is not
// merged, even if the other branch has copies of all its commits.
func removeRows(s *loop.Summary, gone removed) (rows []row) {
	loose := s.Moved != nil && s.Moved.Name != "" || s.Project != nil && s.Project.Moved != nil && s.Project.Moved.Name != ""
	if !s.Git || s.Rebase || s.Open != "" || s.Unlogged || s.Unsearched || loose || len(s.Unkept)+len(s.Nested) > 0 {
		return nil
	}
	label := "to remove"
	if !gone.tree {
		rows, label = []row{{label, "git worktree remove " + quote.Shell(s.Dir)}}, ""
	}
	if onlyCopied := s.Copied > 0 && s.Commits+s.Dirty == 0; !onlyCopied && !gone.branch && (s.Moved == nil || !s.Moved.Gone) {
		rows = append(rows, row{label, "git branch -d " + branchWord(s.Branch)})
	}
	return rows
}

// checkoutsRows returns rows for a run that is running or was killed: what is known since its last turn.
// branch is the branch of its worktree, or "" without one.
func checkoutsRows(branch string, c record.Checkouts) (rows []row) {
	if branch == "" && c.First != nil {
		branch = *c.First
	}
	switch {
	case branch == "" && c.First == nil: // nobody recorded how the run began
	case c.Last == nil || *c.Last == branch:
	case *c.Last == "":
		rows = append(rows, row{"moved", quote.Name(branch) + " was left: HEAD is detached"})
	default:
		rows = append(rows, row{"moved", cmp.Or(quote.Name(branch), "a detached HEAD") + " was left: " + quote.Name(*c.Last) + " is checked out"})
	}
	for _, commit := range c.Unkept {
		rows = append(rows, row{"left", "commit " + short(commit) + " was on no branch when its turn ended"})
	}
	if c.Project != nil {
		text := "your own checkout changed during turns; before, it had " + c.Project.String()
		if len(c.Files) > 0 {
			text += "; changed: " + record.FirstNames(c.Files)
		}
		rows = append(rows, row{"yours", text})
	}
	return rows
}

// checkoutWords return how a turn changed what the working trees have checked out.
func checkoutWords(l record.Line) (texts []string) {
	if l.Checkout != nil {
		texts = append(texts, l.Checkout.String()+" is checked out now, and commits go there")
	}
	if l.Project != nil {
		texts = append(texts, "your own checkout changed: "+l.Project.String())
	}
	return texts
}
