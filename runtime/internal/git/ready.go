package git

import (
	"context"
	"errors"
	"os"
	"slices"
	"strings"
	"unicode"
)

// Ready finds out whether commits can be made. A *Conflict says what is in the way;
// nothing was changed.
func (r *Repo) Ready(ctx context.Context) error {
	if err := r.underWay(ctx); err != nil {
		return err
	}
	all, err := r.examine(ctx, nil, false) // files beside the index are written before git runs
	if err != nil {
		return err
	}
	if err := r.identity(ctx, all); err != nil {
		return err
	}
	return r.writable(ctx)
}

// Identity finds out who commits, and asks git for a signature where one is wanted. A *Conflict says what is missing.
func (r *Repo) Identity(ctx context.Context) error {
	all, err := repository{dir: r.Top}.settings(ctx)
	if err != nil {
		return err
	}
	return r.identity(ctx, all)
}

// identity is Identity for a repository with these settings.
func (r *Repo) identity(ctx context.Context, all []setting) error {
	for _, who := range []string{"GIT_AUTHOR_IDENT", "GIT_COMMITTER_IDENT"} {
		if namesUser(all) {
			break
		}
		if _, err := command(ctx, r.Top, gitVar, who); err != nil {
			if _, refused := errors.AsType[*Error](err); refused {
				err = errors.New("no name and address are set") // git's own words are a page of advice
			}
			return notReady(err, "git does not know who commits", "set your name and address with `git config user.name` and `git config user.email`")
		}
	}
	if sign := valueOf(all, "commit.gpgsign"); sign == nil || *sign == "false" {
		return ctx.Err()
	}
	sign, err := command(ctx, r.Top, gitConfig, "--type=bool", "--get", "commit.gpgSign")
	if err != nil || strings.TrimSpace(sign) != "true" {
		return ctx.Err() // it is not set
	}
	tree, err := r.run(ctx, call{}, gitWriteBlank, "-t", "tree", "--stdin")
	if err == nil { // a commit of nothing, which no branch has
		_, err = r.run(ctx, call{}, gitCommitTree, "-S", "-m", "can this be signed?", strings.TrimSpace(tree))
	}
	return notReady(err, "commits must be signed in this repository (commit.gpgSign), but signing fails", "correct the configuration of the key, or set commit.gpgSign to false for this repository")
}

// namesUser reports whether it is certain, without a question to git, that settings say who commits.
func namesUser(all []setting) bool {
	others := func(s setting) bool {
		return strings.HasPrefix(s.key, "author.") || strings.HasPrefix(s.key, "committer.")
	}
	variables := func(v string) bool {
		return strings.HasPrefix(v, "GIT_AUTHOR_") || strings.HasPrefix(v, "GIT_COMMITTER_")
	}
	if slices.ContainsFunc(all, others) || slices.ContainsFunc(os.Environ(), variables) {
		return false
	}
	for _, key := range []string{"user.name", "user.email"} {
		if v := valueOf(all, key); v == nil || !strings.ContainsFunc(*v, unicode.IsLetter) { // git removes some other characters
			return false
		}
	}
	return true
}

// valueOf returns the value of a key that counts, the last one; nil if it is not set.
func valueOf(all []setting, key string) (value *string) {
	for _, s := range all {
		if s.key == key {
			value = &s.value
		}
	}
	return value
}

// writable makes sure that the index can be written, and waits for another git. The repository was examined.
func (r *Repo) writable(ctx context.Context) error {
	i, err := r.findIndex(ctx)
	if err != nil {
		return err
	}
	if _, err = i.copy(); err == nil {
		err = i.sweep()
	}
	if err != nil {
		return notReady(err, "the repository cannot be written to", "work as its owner")
	}
	err = Patiently(ctx, func() (bool, error) { return !there(i.lock), nil })
	if errors.Is(err, ErrHeld) {
		return notReady(ErrHeld, i.lock+" is there", "wait for the other git process; if none is running, one was killed: remove the file")
	}
	return err
}

// notReady is a conflict, unless the error is none, already one, one of the system, or the end of the run.
func notReady(err error, why, next string) error {
	if OfSystem(err) {
		return err
	}
	if _, already := errors.AsType[*Conflict](err); already || err == nil || errors.Is(err, context.Canceled) {
		return err
	}
	return &Conflict{why + ": " + err.Error(), next}
}
