package loop

import (
	"context"
	"errors"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
)

// unfinished is what somebody can begin in a repository and leave open, by the file
// that git keeps of it. The last word is the command.
var unfinished = []struct{ file, what string }{
	{"MERGE_HEAD", "a merge"},
	{"CHERRY_PICK_HEAD", "a cherry-pick"},
	{"REVERT_HEAD", "a revert"},
	{"rebase-merge", "a rebase"},
	{"rebase-apply/applying", "a series of patches for git am"},
	{"rebase-apply", "a rebase"},
}

// underWay is nil when nothing is left open in the repository: a commit would end
// it, or be taken for a part of it.
func (r *repo) underWay(ctx context.Context) error {
	args := []string{"--path-format=absolute"}
	for _, u := range unfinished {
		args = append(args, "--git-path", u.file)
	}
	out, err := git(ctx, r.top, gitRevParse, args...)
	if err != nil {
		return err
	}
	paths := strings.Split(out, "\n")
	for i, u := range unfinished {
		if _, err := os.Stat(paths[i]); err != nil {
			continue
		}
		command := "git " + u.what[strings.LastIndexByte(u.what, ' ')+1:]
		return &conflictError{
			u.what + " is under way in " + r.top + ", and a commit would become a part of it",
			"End it with `" + command + " --continue` or `" + command + " --abort`, then run `ripple run --resume`; nothing was changed",
		}
	}
	return nil
}

// ready finds out before the first turn whether its work can be committed, and
// names what will not be.
func (l *Loop) ready(ctx context.Context) error {
	c := l.o.Config
	if !c.Commit {
		if c.CommitAll {
			l.note("--commit-all has no effect without --commit")
		}
		return nil
	}
	r := l.tree.repo
	if err := r.underWay(ctx); err != nil {
		return err
	}
	if err := r.identity(ctx); err != nil {
		return err
	}
	if err := r.writable(ctx); err != nil {
		return err
	}
	return l.nameDirt(ctx)
}

// identity asks git who commits, and for a signature where one is wanted.
func (r *repo) identity(ctx context.Context) error {
	for _, who := range []string{"GIT_AUTHOR_IDENT", "GIT_COMMITTER_IDENT"} {
		if _, err := git(ctx, r.top, gitVar, who); err != nil {
			if _, refused := errors.AsType[*gitError](err); refused {
				err = errors.New("no name and address are set") // git's own words are a page of advice
			}
			return notReady(err, "git does not know who commits", "Set your name and address with `git config user.name` and `git config user.email`, then start again")
		}
	}
	sign, err := git(ctx, r.top, gitConfig, "--type=bool", "--get", "commit.gpgSign")
	if err != nil || strings.TrimSpace(sign) != "true" {
		return ctx.Err() // it is not set
	}
	tree, err := r.run(ctx, call{}, gitWriteBlank, "-t", "tree", "--stdin")
	if err == nil { // a commit of nothing, which no branch has
		_, err = git(ctx, r.top, gitCommitTree, "-S", "-m", "ripple: can this be signed?", strings.TrimSpace(tree))
	}
	return notReady(err, "commits are to be signed here (commit.gpgSign), and that does not work", "Put the key right, or set commit.gpgSign to false for this repository, then start again")
}

// writable makes sure that the index can be written, and waits for another git.
func (r *repo) writable(ctx context.Context) error {
	i, err := r.index(ctx)
	if err != nil {
		return err
	}
	if _, err = i.copy(); err == nil {
		err = i.sweep()
	}
	if err != nil {
		return notReady(err, "the repository cannot be written to", "Run the loop as its owner")
	}
	err = patiently(ctx, func() (bool, error) { return !exists(i.lock), nil })
	if errors.Is(err, errHeld) {
		return notReady(errHeld, i.lock+" is there", "Wait for the other git; if none runs, one was killed, and the file can be removed")
	}
	return err
}

// notReady is a conflict, unless the error is none or the end of the run.
func notReady(err error, why, next string) error {
	if err == nil || errors.Is(err, context.Canceled) {
		return err
	}
	return &conflictError{why + ": " + err.Error(), next + "; nothing was changed"}
}

// nameDirt names what was changed and not committed before the loop.
func (l *Loop) nameDirt(ctx context.Context) error {
	if l.begun { // it is what the turn that was cut off made
		return nil
	}
	now, err := l.treeNow(ctx)
	if err != nil {
		return err
	}
	l.last = &now
	var names []string
	for _, name := range slices.Sorted(maps.Keys(now.Files)) {
		if !slices.Contains(l.state.Owed, strconv.Quote(name)) && !strings.HasPrefix(now.Files[name], within) {
			names = append(names, name)
		}
	}
	if l.state.Committed < l.state.Turn { // the last turn's is still to be committed
		return nil
	}
	what := "a file of these that the agent changes as well is not committed, unless with --commit-all"
	if l.o.Config.CommitAll {
		what = "a file of these that the agent changes as well is committed with both"
	}
	if len(names) > 0 {
		l.note("changed and not committed before the loop: " + listed(names) + "; " + what)
	}
	return nil
}
