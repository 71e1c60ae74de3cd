package git

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"
	"time"
)

// HasBranch reports whether a branch exists, or may exist because git did not answer.
func (r *Repo) HasBranch(ctx context.Context, name string) bool {
	_, err := command(ctx, r.Top, gitRevParse, "--verify", "--quiet", Branch(name))
	return name != "" && !Ended(err)
}

// UnusedBranch returns a name for a new branch: base, or base-2, base-3 and so on. Branches, tags
// and the names in taken count as used.
func (r *Repo) UnusedBranch(ctx context.Context, base string, taken ...string) (string, error) {
	out, err := command(ctx, r.Top, gitRevParse, "--symbolic", "--branches", "--tags")
	used := append(strings.Split(strings.TrimSpace(out), "\n"), taken...)
	if slices.ContainsFunc(used, func(u string) bool { return u != "" && strings.HasPrefix(base, u+"/") }) {
		base = strings.ReplaceAll(base, "/", "-") // a branch cannot be in a directory that is one
	}
	name := base
	for n := 2; slices.ContainsFunc(used, func(u string) bool { return u == name || strings.HasPrefix(u, name+"/") }); n++ {
		name = fmt.Sprintf("%s-%d", base, n)
	}
	return name, err
}

// kept are the references that keep commits: a stash or a HEAD may be gone tomorrow. The loop's own tags do not count: a commit
// that only they have would not be merged with a branch.
var kept = []string{"--not", "--branches", "--exclude=ripple/*", "--tags", "--remotes"}

// Unkept returns those of some commits that no branch and no tag contains, except tags of the loop, nor one of the commits in by.
// Commits that do not exist are left out.
func (r *Repo) Unkept(ctx context.Context, commits []string, by ...string) ([]string, error) {
	return r.outside(ctx, except(commits, by), append(slices.Clone(kept), revisions(by)...))
}

// except returns the commits that are none of others: these contain themselves, so that git need not be asked.
func except(commits, others []string) []string {
	return slices.DeleteFunc(slices.Clone(commits), func(c string) bool { return slices.Contains(others, c) })
}

// Outside returns those of some commits that none of the commits in by contains. Commits that do not exist are left out.
func (r *Repo) Outside(ctx context.Context, commits []string, by ...string) ([]string, error) {
	if len(by) == 0 {
		return r.outside(ctx, commits, []string{"--no-walk"})
	}
	return r.outside(ctx, except(commits, by), append([]string{"--not"}, revisions(by)...))
}

func (r *Repo) outside(ctx context.Context, commits, of []string) ([]string, error) {
	commits = slices.DeleteFunc(slices.Clone(commits), func(c string) bool { return !isCommit(c) })
	if len(commits) == 0 {
		return nil, nil
	}
	out, err := command(ctx, r.Top, gitRevList, slices.Concat([]string{"--ignore-missing"}, commits, of)...)
	list := strings.Fields(out)
	return slices.DeleteFunc(commits, func(c string) bool { return !slices.Contains(list, c) }), err
}

// Stashes returns the commits of the entries of git's stash, the last one first, as git stash list does.
func (r *Repo) Stashes(ctx context.Context) ([]string, error) {
	out, err := command(ctx, r.Top, gitRevList, "--walk-reflogs", "refs/stash")
	if Ended(err) { // there is none
		return []string{}, nil
	}
	return strings.Fields(out), err
}

// Tips returns those of some commits that neither another one of them contains nor one of the commits in by. Commits that do not
// exist are left out.
func (r *Repo) Tips(ctx context.Context, commits []string, by ...string) ([]string, error) {
	var input strings.Builder
	for _, commit := range except(commits, by) {
		if isCommit(commit) {
			fmt.Fprintln(&input, commit)
		}
	}
	if input.Len() == 0 {
		return nil, nil
	}
	for _, of := range by {
		fmt.Fprintln(&input, "^"+revision(of))
	}
	out, err := r.run(ctx, call{input: input.String()}, gitRevList, "--ignore-missing", "--parents", "--stdin")
	listed, contained := map[string]bool{}, map[string]bool{}
	for line := range strings.Lines(out) {
		for i, commit := range strings.Fields(line) {
			if i == 0 {
				listed[commit] = true
			} else {
				contained[commit] = true
			}
		}
	}
	var tips []string
	for _, commit := range commits {
		if listed[commit] && !contained[commit] {
			tips, listed[commit] = append(tips, commit), false
		}
	}
	return tips, err
}

// Exists reports whether a commit exists; "" does not.
func (r *Repo) Exists(ctx context.Context, commit string) (bool, error) {
	if !isCommit(commit) {
		return false, nil
	}
	_, err := command(ctx, r.Top, gitRevParse, "--verify", "--quiet", commit+"^{commit}")
	if Ended(err) {
		return false, nil
	}
	return err == nil, err
}

// Before returns the newest commit of HEAD that was made in a second before that of t, because git
// records seconds; "" if there is none.
func (r *Repo) Before(ctx context.Context, t time.Time) (string, error) {
	out, err := command(ctx, r.Top, gitRevList, "--max-count=1", fmt.Sprintf("--before=%d", t.Unix()-1), "HEAD")
	return strings.TrimSpace(out), err
}

// Ahead counts the commits, made since a time, that one revision contains and none of the others
// does. Revisions are commits and branches; one that does not exist contains no commit.
func (r *Repo) Ahead(ctx context.Context, since time.Time, of string, others ...string) (int, error) {
	args := []string{"--ignore-missing", "--count"}
	if !since.IsZero() {
		args = append(args, fmt.Sprintf("--since=%d", since.Unix()))
	}
	args = append(append(args, revision(of), "--not"), revisions(others)...)
	out, err := command(ctx, r.Top, gitRevList, args...)
	n, _ := strconv.Atoi(strings.TrimSpace(out)) // digits
	return n, err
}

// Commits returns the commits, newest first and at most a number, that one revision contains and none of the
// others does. Revisions are as those of Ahead.
func (r *Repo) Commits(ctx context.Context, most int, of string, others ...string) ([]string, error) {
	args := []string{"--ignore-missing", fmt.Sprintf("--max-count=%d", most), revision(of), "--not"}
	out, err := command(ctx, r.Top, gitRevList, append(args, revisions(others)...)...)
	return strings.Fields(out), err
}

// ContainsAny reports whether a branch or commit contains any of some commits. None contains one that does not exist.
func (r *Repo) ContainsAny(ctx context.Context, in string, commits ...string) (bool, error) {
	commits = slices.DeleteFunc(slices.Clone(commits), func(c string) bool { return !isCommit(c) }) // git could take it for an option
	if len(commits) == 0 {
		return false, nil
	}
	exist, err := command(ctx, r.Top, gitRevList, append([]string{"--ignore-missing", "--no-walk"}, commits...)...)
	if err != nil {
		return false, err
	}
	lacks, err := command(ctx, r.Top, gitRevList, append(append([]string{"--ignore-missing"}, commits...), "--not", revision(in))...)
	if err != nil {
		return false, err
	}
	lacking := map[string]bool{}
	for commit := range strings.FieldsSeq(lacks) {
		lacking[commit] = true
	}
	for commit := range strings.FieldsSeq(exist) {
		if !lacking[commit] {
			return true, nil
		}
	}
	return false, nil
}

// Copied counts the commits of a revision that another revision does not contain: copied are those of which it has
// copies, which are commits with the same changes, apart from white space, as git cherry finds them; others is the
// number of the rest.
func (r *Repo) Copied(ctx context.Context, of, by string) (copied, others int, err error) {
	out, err := command(ctx, r.Top, gitRevList, "--cherry-mark", "--right-only", "--count", revision(by)+"..."+revision(of))
	if err != nil {
		return 0, 0, err
	}
	_, err = fmt.Sscan(out, &others, &copied)
	return copied, others, err
}

// HasContents reports whether all files that one revision changed, since it and another one had a commit in common, have
// the same contents in a third one.
func (r *Repo) HasContents(ctx context.Context, of, by, in string) (bool, error) {
	base, err := command(ctx, r.Top, gitBase, revision(by), revision(of))
	if err != nil {
		return false, err
	}
	changed, err := r.between(ctx, strings.TrimSpace(base), revision(of))
	if err != nil {
		return false, err
	}
	differ, err := r.between(ctx, revision(of), revision(in))
	return !slices.ContainsFunc(changed, func(name string) bool { return slices.Contains(differ, name) }), err
}

// ContainsRewritten reports whether a revision contains a later version of one of some commits; commits that since
// contains do not count.
func (r *Repo) ContainsRewritten(ctx context.Context, in, since string, commits ...string) (bool, error) {
	commits = slices.DeleteFunc(slices.Clone(commits), func(c string) bool { return !isCommit(c) })
	if len(commits) == 0 {
		return false, nil
	}
	first, err := command(ctx, r.Top, gitRevList, append([]string{"--ignore-missing", "--no-walk", authorFormat}, commits...)...)
	if err != nil || first == "" {
		return false, err
	}
	args := []string{revision(in)}
	if isCommit(since) {
		args = append(args, "--not", since)
	}
	later, err := r.rewritten(ctx, args...)
	for author := range authors(first) {
		if later[author] > 0 {
			return true, err
		}
	}
	return false, err
}

// Dropped reports whether a revision contains a commit of which another one has neither the commit itself nor a copy, as
// Copied finds them, nor a later version, as after git commit --amend.
func (r *Repo) Dropped(ctx context.Context, before, after string) (bool, error) {
	between := revision(after) + "..." + revision(before)
	gone, err := command(ctx, r.Top, gitRevList, "--ignore-missing", "--cherry-pick", "--right-only", authorFormat, between)
	if err != nil || gone == "" {
		return false, err
	}
	later, err := r.rewritten(ctx, "--cherry-pick", "--left-only", between)
	for author := range authors(gone) { // of several commits of one second, each needs a version of its own
		if later[author]--; later[author] < 0 {
			return true, err
		}
	}
	return false, err
}

// rewritten counts, for each author with a time, the listed commits that are later versions of others. Amending,
// rebasing and cherry-picking keep the author and the author's time, and set a new committer's time. In a new commit
// both times are the same.
func (r *Repo) rewritten(ctx context.Context, list ...string) (map[string]int, error) {
	out, err := command(ctx, r.Top, gitRevList, append([]string{"--ignore-missing", fmt.Sprintf("--max-count=%d", maxRewritten), authorFormat}, list...)...)
	later := map[string]int{}
	for author, rewritten := range authors(out) {
		if rewritten {
			later[author]++
		}
	}
	return later, err
}

// maxRewritten limits the commits of a revision that are searched for later versions.
const maxRewritten = 10_000

const authorFormat = "--format=%at %ct %an <%ae>"

// authors iterates over the output of git rev-list with authorFormat. It returns the author of each commit
// together with the author's time, and whether the commit was rewritten later. The line with the hash, before that of
// each author, is skipped.
func authors(list string) iter.Seq2[string, bool] {
	return func(yield func(author string, rewritten bool) bool) {
		for line := range strings.Lines(list) {
			made, rest, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
			committed, author, named := strings.Cut(rest, " ")
			if named && made != "commit" && !yield(made+" "+author, committed != made) {
				return
			}
		}
	}
}

// Branch is a branch in the form in which git takes it for nothing else.
func Branch(name string) string { return "refs/heads/" + name }

// revision returns a commit, or a branch in the form of Branch. Names are the agent's, and git could take one for another revision.
func revision(name string) string {
	if isCommit(name) || strings.HasPrefix(name, "refs/") {
		return name
	}
	return Branch(name)
}

func revisions(names []string) []string {
	list := make([]string, len(names))
	for i, name := range names {
		list[i] = revision(name)
	}
	return list
}

// isCommit reports whether text is the whole hash of a commit.
func isCommit(text string) bool {
	return (len(text) == 40 || len(text) == 64) && strings.Trim(text, "0123456789abcdef") == ""
}
