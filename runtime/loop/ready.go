package loop

import (
	"context"
	"os"
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

// ready finds out before the first turn whether its work can be committed.
func (l *Loop) ready(ctx context.Context) error {
	if !l.o.Config.Commit {
		return nil
	}
	return l.tree.repo.underWay(ctx)
}
