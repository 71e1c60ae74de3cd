package loop

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// subcommand is what of git may be run. The list is closed: none of them takes
// away what somebody made, and none talks to another machine.
type subcommand string

const (
	gitCheckRef   subcommand = "check-ref-format"
	gitWriteBlank subcommand = "hash-object" // only of nothing
	gitIgnored    subcommand = "check-ignore"
	gitCommit     subcommand = "commit"
	gitCommitTree subcommand = "commit-tree" // only of nothing, to see whether it can be signed
	gitConfig     subcommand = "config"      // only asked
	gitDiff       subcommand = "diff"
	gitBase       subcommand = "merge-base" // only asks for ancestry
	gitListTree   subcommand = "ls-tree"
	gitReadTree   subcommand = "read-tree" // only into an index of the loop's own
	gitRebase     subcommand = "rebase"    // only of a worktree that we made and that is clean
	gitRevList    subcommand = "rev-list"
	gitRevParse   subcommand = "rev-parse"
	gitStatus     subcommand = "status"
	gitTag        subcommand = "tag"
	gitIndex      subcommand = "update-index" // only one of the loop's own
	gitVar        subcommand = "var"
	gitWorktree   subcommand = "worktree"
)

// gitTimeout bounds one command: a hook or a prompt must not hold the loop.
const gitTimeout = 10 * time.Minute

// gitError is a command that failed, with what git said.
type gitError struct {
	command string
	said    string
	code    int // exit code
}

func (e *gitError) Error() string {
	return fmt.Sprintf("git %s failed (exit code %d): %s", e.command, e.code, e.said)
}

// call is what a command of git gets beside its arguments.
type call struct {
	env   []string
	input string              // on standard input
	began func(pid int) error // called before git gets the input; an error ends it
}

// git runs one command in dir and returns what it printed.
func git(ctx context.Context, dir string, sub subcommand, args ...string) (string, error) {
	return (&repo{top: dir}).run(ctx, call{}, sub, args...)
}

// noMaintenance keeps git from tidying up after a commit: killed at it, it would leave
// a lock that keeps the user's git from doing so ever after.
const noMaintenance = "maintenance.auto=false"

// run runs one command at the top of the working tree.
func (r *repo) run(ctx context.Context, c call, sub subcommand, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, gitTimeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, "git", append([]string{"-c", noMaintenance, string(sub)}, args...)...)
	cmd.Dir, cmd.WaitDelay = r.top, time.Second
	// Looking must not write to the repository, and nobody is there to be asked.
	cmd.Env = append(os.Environ(), "GIT_OPTIONAL_LOCKS=0", "GIT_TERMINAL_PROMPT=0", "GIT_EDITOR=true", "LC_ALL=C")
	cmd.Env = append(cmd.Env, c.env...)
	cmd.Cancel = func() error { // git takes its locks away when it is asked to end
		return cmd.Process.Signal(syscall.SIGTERM)
	}
	var out, said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &said
	err := c.give(cmd)
	if ctx.Err() != nil {
		return "", fmt.Errorf("git %s: %w", sub, ctx.Err())
	}
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return "", &gitError{string(sub), gitWords(said.String() + out.String()), exit.ExitCode()}
	}
	return out.String(), err
}

// give runs a command with its input.
func (c call) give(cmd *exec.Cmd) error {
	if c.began == nil {
		if c.input != "" {
			cmd.Stdin = strings.NewReader(c.input)
		}
		return cmd.Run()
	}
	in, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	if err := c.began(cmd.Process.Pid); err != nil {
		return errors.Join(err, cmd.Process.Kill(), cmd.Wait())
	}
	_, _ = io.WriteString(in, c.input) // git may have ended by now, and says why
	_ = in.Close()
	return cmd.Wait()
}

// gitWords is what git said, short enough for a message.
func gitWords(said string) string {
	var lines []string
	for line := range strings.Lines(said) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "hint:") {
			lines = append(lines, line)
		}
	}
	return shorten(strings.Join(lines, "; "), 400)
}

// repo is a project's place in a git repository.
type repo struct {
	top    string // of the working tree
	prefix string // from there to the project, with slashes; "" or "a/b/"
}

// openRepo returns nil when dir is in no repository, is ignored by the one it
// lies in, or there is no git.
func openRepo(ctx context.Context, dir string) (*repo, error) {
	out, err := git(ctx, dir, gitRevParse, "--show-toplevel", "--show-prefix")
	if err != nil {
		return nil, ctx.Err() // a bare repository, none at all: the files tell
	}
	top, prefix, _ := strings.Cut(strings.TrimSuffix(out, "\n"), "\n")
	if prefix != "" {
		if _, err := git(ctx, top, gitIgnored, "-q", "--", strings.TrimSuffix(prefix, "/")); err == nil {
			return nil, nil
		}
	}
	return &repo{filepath.FromSlash(top), prefix}, ctx.Err()
}

// withoutFiles says whether a directory is one that git keeps a repository in, where
// no working tree is.
func withoutFiles(ctx context.Context, dir string) bool {
	out, err := git(ctx, dir, gitRevParse, "--is-inside-git-dir", "--is-inside-work-tree")
	return err == nil && strings.HasPrefix(out, "true\nfalse")
}

// head is the commit that is checked out.
func (r *repo) head(ctx context.Context) (string, error) {
	out, err := git(ctx, r.top, gitRevParse, "--verify", "HEAD")
	return strings.TrimSpace(out), err
}

// tag names a commit; a tag that is there already, from before a crash, stays.
func (r *repo) tag(ctx context.Context, name, sha string) error {
	if _, err := git(ctx, r.top, gitRevParse, "--verify", "--quiet", "refs/tags/"+name); err == nil {
		return nil
	}
	_, err := git(ctx, r.top, gitTag, "--no-sign", name, sha)
	return err
}
