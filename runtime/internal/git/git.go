// Package git contains all of ripple's use of git: it inspects a working tree, and on
// request commits, tags and keeps a separate working tree.
//
// The list of commands is closed (subcommand). Nothing is stashed, reset, cleaned,
// pushed or forced, and no branch or commit of anybody goes away. Where only a person
// can go on, the error is a *Conflict and everything is left in place. All of it may
// be killed at any moment: locks are made so that the next process knows its own
// (index.go, locks.go).
package git

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/charmbracelet/x/ansi"

	"example.org/ripple/internal/projectfile"
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
	gitListFiles  subcommand = "ls-files"
	gitListTree   subcommand = "ls-tree"
	gitReadTree   subcommand = "read-tree" // only into an index of the loop's own, or of a working tree that it has just made
	gitRebase     subcommand = "rebase"    // only of a worktree that we made and that is clean
	gitRevList    subcommand = "rev-list"
	gitRevParse   subcommand = "rev-parse"
	gitStatus     subcommand = "status"
	gitHeadName   subcommand = "symbolic-ref" // only asked
	gitTag        subcommand = "tag"
	gitIndex      subcommand = "update-index" // only one of the loop's own
	gitVar        subcommand = "var"
	gitWorktree   subcommand = "worktree"
)

// options are the options of all commands, without their values. Others are refused: names of branches and files, and what a program
// in a box wrote, could be options, such as --output=FILE, with which git diff overwrites a file.
var options = []string{
	"--absolute-git-dir", "--add", "--before", "--branch", "--branches", "--cached", "--cherry-mark", "--cherry-pick", "--count", "--empty",
	"--exclude", "--exclude-standard", "--file", "--force-remove", "--format", "--full-tree", "--get", "--get-all", "--get-regexp",
	"--git-common-dir", "--git-dir", "--git-path", "--ignore-missing", "--ignore-submodules", "--ignored", "--is-ancestor",
	"--is-inside-git-dir", "--is-inside-work-tree", "--left-only", "--list", "--max-count", "--merges", "--name-only", "--no-ahead-behind",
	"--no-autostash", "--no-checkout", "--no-renames", "--no-sign", "--no-walk", "--not", "--null", "--others", "--parents", "--porcelain",
	"--quiet", "--remotes", "--replace", "--right-only", "--shortstat", "--show-origin", "--show-prefix", "--show-scope", "--show-toplevel",
	"--since", "--stage", "--stdin", "--symbolic", "--symbolic-full-name", "--tags", "--type", "--untracked-files", "--verify",
	"--walk-reflogs", "-S", "-b", "-i", "-m", "-q", "-r", "-t", "-u", "-v", "-z",
}

// checkOptions returns an *Error, as that of git for an unknown option, if one before "--" is not one of options.
func checkOptions(sub subcommand, args []string) error {
	for _, arg := range args {
		name, _, _ := strings.Cut(arg, "=")
		switch {
		case arg == "--":
			return nil
		case strings.HasPrefix(arg, "-") && arg != "-" && !slices.Contains(options, name): // "-" is standard input
			return &Error{string(sub), fmt.Sprintf("%q is not an option that ripple uses", arg), 129}
		}
	}
	return nil
}

// Time limits of a command: nothing that it reads, no filter, hook or prompt, may hold the loop.
const (
	lookTimeout  = 30 * time.Second // reads some files of git's own
	treeTimeout  = 2 * time.Minute  // reads the working tree, or the history
	writeTimeout = 10 * time.Minute // writes files; runs filters, hooks and programs that sign
)

// timeout returns the time limit of a command.
func (sub subcommand) timeout() time.Duration {
	switch sub {
	case gitCommit, gitCommitTree, gitIndex, gitReadTree, gitRebase, gitTag, gitWorktree:
		return writeTimeout
	case gitBase, gitDiff, gitIgnored, gitListFiles, gitListTree, gitRevList, gitStatus:
		return treeTimeout
	}
	return lookTimeout
}

// TimeoutError is a command of git that did not end in its time, and was ended.
type TimeoutError struct {
	Command string // without git
	Dir     string
	After   time.Duration
}

func (e *TimeoutError) Error() string {
	return fmt.Sprintf("git %s did not end within %v in %s: git, or a hook or filter of the repository, hangs or waits for input", e.Command, e.After, e.Dir)
}

// Error is a command of git that failed.
type Error struct {
	Command string // without git
	Said    string // what git and its hooks said, shortened
	Code    int    // exit code; below zero when a signal ended it
}

func (e *Error) Error() string {
	if e.Said == "" {
		return fmt.Sprintf("git %s failed (exit code %d, without a message)", e.Command, e.Code)
	}
	return fmt.Sprintf("git %s failed (exit code %d): %s", e.Command, e.Code, e.Said)
}

// RefusedCommit says that a hook, or the state of the tree, keeps git from making a
// commit: who changed the tree can put that right.
func (e *Error) RefusedCommit() bool {
	return e.Command == string(gitCommit) && !OfSystem(e) && (e.Code == 1 || strings.Contains(e.Said, "aborted by hook"))
}

// Ended reports whether err comes from a git that ended with an exit code.
func Ended(err error) bool {
	e, is := errors.AsType[*Error](err)
	return is && e.Code >= 0
}

// call is what a command of git gets beside its arguments.
type call struct {
	env   []string
	input string              // on standard input
	began func(pid int) error // called before git gets the input; an error ends it
	limit time.Duration       // 0: that of the subcommand

	examined []setting // what examine returned, if no program of the repository has run since

	noHooks bool // of a commit; nothing else runs hooks
	search  bool // the repository may be one of a directory above
}

// search runs a command in a directory that may be anywhere in a repository, and returns what it printed.
func search(ctx context.Context, dir string, sub subcommand, args ...string) (string, error) {
	return (&Repo{Top: dir}).run(ctx, call{search: true}, sub, args...)
}

// command runs one in dir and returns what it printed.
func command(ctx context.Context, dir string, sub subcommand, args ...string) (string, error) {
	return (&Repo{Top: dir}).run(ctx, call{}, sub, args...)
}

// noMaintenance keeps git from tidying up after a commit: killed at it, it would leave
// a lock that keeps the user's git from doing so ever after.
const noMaintenance = "maintenance.auto=false"

// words are the arguments of git. The configuration of a project names programs: none of
// them is run by what only looks, and hooks only by a commit, which somebody asked for.
// A bare repository in a directory of the project is not taken for the project's own.
func words(sub subcommand, hooks bool, args []string) []string {
	list := []string{
		"-c", noMaintenance, "-c", "core.fsmonitor=false", "-c", "safe.bareRepository=explicit", "-c", "submodule.recurse=false",
		"-c", "core.commitGraph=false", // it may name another tree than a commit does, and hide changes
		"-c", "checkout.workers=1", // a repository may ask for a process for each file
		"-c", "i18n.logOutputEncoding=UTF-8", // in another encoding, a character may become a line end, and more commands of a rebase
	}
	if !hooks {
		list = append(list, "-c", "core.hooksPath="+os.DevNull)
	}
	if sub == gitCommit { // MERGE_RR may name any file
		list = append(list, "-c", "rerere.enabled=false")
	}
	if sub == gitRebase { // the other backend starts many programs, each of which reads the settings again
		list = append(list, "-c", "rebase.backend=merge", "-c", "rebase.updateRefs=false", "-c", "rebase.instructionFormat=%s")
	}
	list = append(list, string(sub))
	if sub == gitDiff {
		list = append(list, "--no-ext-diff", "--no-textconv")
	}
	list = append(list, args...)
	if sub == gitDiff || sub == gitRevList {
		list = append(list, "--") // a file may have the name of a revision, such as HEAD
	}
	return list
}

// run runs one command at the top of the working tree.
func (r *Repo) run(ctx context.Context, c call, sub subcommand, args ...string) (string, error) {
	if err := checkOptions(sub, args); err != nil {
		return "", err
	}
	limit, outer := cmp.Or(c.limit, sub.timeout()), ctx
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	program, tops, err := r.program(ctx)
	if err != nil {
		return "", err
	}
	if err := r.checkAround(ctx, c); err != nil {
		return "", err
	}
	settings := c.examined
	if settings == nil && (sub.mayRunPrograms() || sub.shows()) {
		if settings, err = r.examine(ctx, c.env, sub.mayRunPrograms()); err != nil && ctx.Err() == nil { // git is not started with a ctx that ended
			return "", err
		}
	}
	hooks := sub == gitCommit && !c.noHooks
	all := words(sub, hooks, args)
	if !hooks && sub.writes() { // others run no hooks
		all = append(hooksOff(settings), all...)
	}
	var before time.Time
	if hooks {
		before = time.Now().Add(-clockTick)
	}
	go waiting(ctx, r.Top, before, stop)
	inBox := r.boxed(sub, settings)
	if r.Box != nil && sub.mayRunPrograms() {
		all = append(filterArgs(settings, sub, args, inBox), all...)
	}
	env := r.environ(c, sub, settings, tops, inBox)
	argv := append([]string{program}, all...)
	if inBox {
		if argv, err = r.wrap(argv, env, settings); err != nil {
			return "", fmt.Errorf("git %s cannot run in the box: %w", sub, err)
		}
	}
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Dir, cmd.Env, cmd.WaitDelay = r.Top, env, time.Second
	cmd.Cancel = func() error { // git takes its locks away when it is asked to end
		if inBox {
			return r.Box.Terminate(cmd.Process.Pid)
		}
		return cmd.Process.Signal(syscall.SIGTERM)
	}
	out, said := limited{left: maxTable}, limited{left: maxSaidBytes}
	cmd.Stdout, cmd.Stderr = &out, &said
	err = c.give(cmd)
	if err == nil || errors.Is(err, exec.ErrWaitDelay) { // a hook may leave a process that keeps git's output open
		return out.String(), nil
	}
	if refused, is := errors.AsType[*projectfile.RefusedError](context.Cause(ctx)); is {
		return "", refused
	}
	if ctx.Err() != nil && outer.Err() == nil {
		return "", &TimeoutError{string(sub), r.Top, limit}
	}
	if ctx.Err() != nil {
		return "", fmt.Errorf("git %s: %w", sub, ctx.Err())
	}
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		code := exit.ExitCode()
		if inBox && code > 129 { // a signal ended git in the box; by itself, it uses no such code
			code = -1
		}
		words := gitWords(said.String() + out.String())
		if r.Box != nil && !inBox && strings.Contains(words, "filter") {
			words += " (it is switched off, because git cannot do this in the box)"
		}
		return "", &Error{string(sub), words, code}
	}
	return out.String(), err
}

// program returns the path of git, after a look at the files that it would read here, and the directories of topsOf.
func (r *Repo) program(ctx context.Context) (path string, tops []string, err error) {
	dirs, top, err := gitDirs(r.Top)
	if err != nil {
		return "", nil, err
	}
	tops = topsOf(r.Top, dirs, top)
	if path, err = programOf(tops); err == nil {
		err = checkFiles(ctx, path, dirs)
	}
	return path, tops, err
}

// environ returns the environment of a command. tops are those of topsOf.
func (r *Repo) environ(c call, sub subcommand, settings []setting, tops []string, inBox bool) []string {
	env := projectfile.Libraries(os.Environ())
	if inBox {
		env = r.boxEnviron(settings)
	}
	// Looking must not write to the repository, nobody is there to be asked, and a replaced commit could hide changes.
	env = append(env, "GIT_OPTIONAL_LOCKS=0", "GIT_NO_REPLACE_OBJECTS=1", "GIT_TERMINAL_PROMPT=0", "GIT_EDITOR=true", "LC_ALL=C",
		offVariable+"=false", onVariable+"=true", emptyVariable+"=")
	if !sub.writes() || !r.mayFetch(settings) { // missing objects are fetched only by commands that write, and only if that was approved
		env = append(env, "GIT_NO_LAZY_FETCH=1")
	}
	if r.Box != nil { // Git LFS downloads nothing: a file .lfsconfig, also of a commit, may name the server
		env = append(env, "GIT_LFS_SKIP_SMUDGE=1")
	}
	switch { // git takes programs, such as those of the user's filters and signatures, from PATH
	case inBox:
	case r.Box != nil:
		env = append(env, "PATH="+pathOutside(tops))
	default:
		env = append(env, "PATH="+pathOutside(nil))
	}
	if !c.search { // if the repository is gone, git would use one around it
		env = append(env, "GIT_CEILING_DIRECTORIES="+filepath.Dir(r.Top))
	}
	for _, v := range []string{"GIT_TRACE2", "GIT_TRACE2_PERF", "GIT_TRACE2_EVENT"} {
		if os.Getenv(v) == "" { // by trace2.* of a home directory in the project, git would append to any file, before it reads its arguments
			env = append(env, v+"=0")
		}
	}
	return append(env, c.env...)
}

// checkAround returns an error if git would use a repository around r.Top. Where possible, GIT_CEILING_DIRECTORIES prevents that;
// it is a list, which cannot have a path with its separator.
func (r *Repo) checkAround(ctx context.Context, c call) error {
	named := func(variable string) bool { return strings.HasPrefix(variable, "GIT_DIR=") }
	if c.search || !strings.ContainsRune(filepath.Dir(r.Top), filepath.ListSeparator) || slices.ContainsFunc(append(os.Environ(), c.env...), named) {
		return nil
	}
	top, err := search(ctx, r.Top, gitRevParse, "--show-toplevel")
	if err != nil {
		return err
	}
	used, err := search(ctx, r.Top, gitRevParse, "--absolute-git-dir")
	if err != nil {
		return err
	}
	dirs, at, err := gitDirs(r.Top)
	if err != nil {
		return err
	}
	if at != "" && samePath(r.Top, strings.TrimSuffix(top, "\n")) && samePath(dirs[0], strings.TrimSuffix(used, "\n")) {
		return nil
	}
	return &Error{string(gitRevParse), "not a git repository: " + r.Top, 128}
}

// settings has git, whose path is program, list the settings of a text as "key\nvalue\x00", up to the first mistake. It follows no
// include and, because GIT_DIR names no repository, opens none of a repository's files.
func settings(ctx context.Context, program string, text []byte) string {
	cmd := exec.CommandContext(ctx, program, string(gitConfig), "--file", "-", "--no-includes", "--null", "--list")
	cmd.Env = append(projectfile.Libraries(os.Environ()), "GIT_DIR="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL="+os.DevNull)
	cmd.WaitDelay = time.Second
	cmd.Stdin = bytes.NewReader(text)
	out, _ := cmd.Output() // git reports mistakes when it reads the file
	return string(out)
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

const (
	maxSaid      = 400     // columns of a message
	maxSaidBytes = 1 << 20 // bytes of what git prints on standard error
)

// limited keeps what a program prints, up to a number of bytes; with more, it returns an error, and the program ends.
type limited struct {
	bytes.Buffer
	left int
}

func (l *limited) Write(p []byte) (int, error) {
	if l.left -= len(p); l.left < 0 {
		return 0, errTooMuch
	}
	return l.Buffer.Write(p)
}

var errTooMuch = errors.New("git printed more than ripple reads")

// gitWords is what git said, short enough for a message.
func gitWords(said string) string {
	var lines []string
	for line := range strings.Lines(said) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "hint:") {
			lines = append(lines, line)
		}
	}
	return ansi.Truncate(strings.Join(lines, "; "), maxSaid, "…")
}

// Repo is a project's place in a git repository.
type Repo struct {
	Top    string // of the working tree
	Prefix string // from there to the project, with slashes; "" or "a/b/"

	// Accepted are the risks of the repository that a user has approved, as [Risks] returns them. With others, commands
	// that compare or write files fail with a *Conflict.
	Accepted []string

	// Box, if not nil, runs the commands that run filters and merge drivers. Beside it, where git cannot use the repository
	// in the box, git runs no filter and no merge driver. Git LFS downloads nothing: the files that git writes have its
	// pointers. Programs for signatures are not taken from directories of PATH in the working tree. Changes in submodules count even if
	// .gitmodules says that git ignores them.
	Box Box

	// NoFilters makes commands that compare or write files fail with a *Conflict if the settings of the repository, of a submodule
	// or of the user have a filter, which git would run in the working tree.
	NoFilters bool
}

// ErrNoRepository reports a directory whose changes git does not see: it is in no working
// tree, the repository ignores it, or git is not installed.
var ErrNoRepository = errors.New("not in a git repository")

// Open returns the repository that a directory is in. Errors: ErrNoRepository,
// *projectfile.RefusedError, *TimeoutError, that of ctx.
func Open(ctx context.Context, dir string) (*Repo, error) {
	top, prefix, err := topOf(ctx, dir)
	if hangs(err) {
		return nil, err
	}
	if err != nil {
		return nil, cmp.Or(ctx.Err(), ErrNoRepository) // also for a bare repository
	}
	if prefix != "" {
		_, err := command(ctx, top, gitIgnored, "-q", "--", strings.TrimSuffix(prefix, "/"))
		if hangs(err) {
			return nil, err
		}
		if err == nil {
			return nil, ErrNoRepository
		}
	}
	return &Repo{Top: filepath.FromSlash(top), Prefix: prefix}, ctx.Err()
}

// topOf returns the top of the working tree that a directory is in, and the directory's place there.
func topOf(ctx context.Context, dir string) (top, prefix string, err error) {
	flags := []string{"--show-toplevel", "--show-prefix", "--absolute-git-dir"}
	out, err := search(ctx, dir, gitRevParse, flags...)
	if err != nil {
		return "", "", err
	}
	answers := strings.Split(strings.TrimSuffix(out, "\n"), "\n")
	if len(answers) != len(flags) { // a name has a line end: the part before it may be another directory
		answers = nil
		for _, flag := range flags {
			if out, err = search(ctx, dir, gitRevParse, flag); err != nil {
				return "", "", err
			}
			answers = append(answers, strings.TrimSuffix(out, "\n"))
		}
	}
	return answers[0], answers[1], inPlace(dir, answers[0], answers[2])
}

// inPlace returns the error of checkTop for the repository that a directory is in, or a *projectfile.RefusedError if git uses another
// one than gitDirs has found, whose files have not been examined. top and used are git's answers.
func inPlace(dir, top, used string) error {
	dirs, at, err := gitDirs(dir)
	if err != nil {
		return err
	}
	if at == "" || !samePath(dirs[0], used) {
		do := "make a new clone"
		if at != "" {
			do = "git passes over " + dirs[0] + ", for example because it is damaged: repair or remove that, or make a new clone"
		}
		return &projectfile.RefusedError{Path: used, Why: "is the repository that git uses in " + dir + ", where ripple expects another one, whose files it has examined", Do: do}
	}
	return checkTop(dirs[0], at, top)
}

// samePath reports whether two paths lead to the same directory; the second one was printed by git. On some systems, names that
// differ in case or form are the same.
func samePath(path, used string) bool {
	one, err := os.Stat(path)
	other, otherErr := os.Stat(filepath.FromSlash(used))
	return err == nil && otherErr == nil && os.SameFile(one, other)
}

// hangs reports whether git cannot end where it was started, or did not.
func hangs(err error) bool {
	_, refused := errors.AsType[*projectfile.RefusedError](err)
	_, late := errors.AsType[*TimeoutError](err)
	return refused || late
}

// Bare reports whether a directory is inside a repository directory without a
// working tree.
func Bare(ctx context.Context, dir string) bool {
	out, err := search(ctx, dir, gitRevParse, "--is-inside-git-dir", "--is-inside-work-tree")
	if e, failed := errors.AsType[*Error](err); failed {
		return strings.Contains(e.Said, "safe.bareRepository") // git does not use it, and says by which setting
	}
	return err == nil && strings.HasPrefix(out, "true\nfalse")
}

// Foreign reports whether git does not use the repository of a directory because another user owns
// it.
func Foreign(ctx context.Context, dir string) bool {
	_, err := search(ctx, dir, gitRevParse, "--show-toplevel")
	e, failed := errors.AsType[*Error](err)
	return failed && strings.Contains(e.Said, "safe.directory") // git says by which setting it would
}

// Head is the commit that is checked out.
func (r *Repo) Head(ctx context.Context) (string, error) {
	out, err := command(ctx, r.Top, gitRevParse, "--verify", "HEAD")
	return strings.TrimSpace(out), err
}

// Tag names a commit; a tag that is there already, from before a crash, stays.
func (r *Repo) Tag(ctx context.Context, name, sha string) error {
	if _, err := command(ctx, r.Top, gitRevParse, "--verify", "--quiet", "refs/tags/"+name); err == nil {
		return nil
	}
	_, err := r.run(ctx, call{}, gitTag, "--no-sign", name, sha)
	return err
}
