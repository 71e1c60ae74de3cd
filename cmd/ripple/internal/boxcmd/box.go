// Package boxcmd implements `ripple box`, which runs a command in a box (see package box).
package boxcmd

import (
	"context"
	"fmt"
	"math"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"example.org/ripple/cmd/ripple/internal/ui"
	"example.org/ripple/runtime/box"
	"example.org/ripple/runtime/loop"
)

type flags struct {
	write, read, net, env []string
	memory, fileSize      string
	processes             int64
	nest, explain         bool
}

// New returns the command.
func New(a *ui.App) *cobra.Command {
	var f flags
	cmd := &cobra.Command{
		Use:   "box [flags] -- PROGRAM [ARGUMENT]...",
		Short: "Run a program in a box, with one writable directory and chosen hosts",
		Long: `Run a program and its child processes in separate namespaces (Linux, bubblewrap).

The program may write to the working tree of the current directory, but not to git's settings and
hooks in it. It also gets an empty home directory and an empty /tmp, which are removed when it
exits. It can read the system's programs and libraries, but no other files, and it sees no other
processes. From the environment it gets the search path, the home directory, the locale, the
terminal, and the variables given with --env.

Its only network is a proxy for HTTP and TLS to the hosts given with --net; the usual variables
(HTTPS_PROXY and so on) point to it. --net takes HOST (ports 80 and 443), HOST:PORT,
HOST:PORT=ADDRESS:PORT (connections to HOST:PORT go to ADDRESS:PORT), or any, which is every
public host. A SIZE has the suffix K, M or G, or is a number of bytes.

Each refused connection is reported once. The exit code is the program's, or 128 plus the number
of the signal that ended it. If this machine cannot run a box, nothing is run and the exit code
is 3. docs/box.md describes what a box does not protect against.`,
		Example: "  ripple box -- make test\n  ripple box --net example.com --env API_KEY -- ./agent\n  ripple box --explain",
		Args:    cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			policy, foreign, err := f.policy()
			if err != nil {
				return ui.FailWith(ui.ExitUsage, err, "")
			}
			a.ReportTree(policy.Dir, foreign)
			if f.explain {
				return explain(a, policy)
			}
			if len(args) == 0 {
				return ui.UsageError("for example: ripple box -- make test", "no program given")
			}
			return run(cmd.Context(), a, policy, args)
		},
	}
	flags := cmd.Flags()
	flags.SetInterspersed(false)
	flags.StringArrayVar(&f.write, "write", nil, "also allow writing `PATH`, a file or a directory (repeatable)")
	flags.StringArrayVar(&f.read, "read", nil, "also allow reading `PATH`, a file or a directory (repeatable)")
	flags.StringArrayVar(&f.net, "net", nil, "allow connections to `HOST`, HOST:PORT, or any (repeatable)")
	flags.StringArrayVar(&f.env, "env", nil, "pass the environment variable `NAME` (repeatable)")
	flags.StringVar(&f.memory, "memory", "", "limit the data memory of each process to `SIZE` bytes: 512M, 2G")
	flags.StringVar(&f.fileSize, "file-size", "", "limit each written file to `SIZE` bytes: 512M, 2G")
	flags.Int64Var(&f.processes, "processes", 0, "limit processes and threads to `N` (0: no limit; not for root)")
	flags.BoolVar(&f.nest, "nest", false, "allow namespaces, for programs with their own sandbox (not for root)")
	flags.BoolVar(&f.explain, "explain", false, "print what a box allows, denies and does not cover, and run nothing")
	return cmd
}

// NewInside returns the hidden command that is the first process in a box.
func NewInside() *cobra.Command {
	return &cobra.Command{
		Use:                ui.BoxInside,
		Hidden:             true,
		DisableFlagParsing: true,
		RunE: func(_ *cobra.Command, args []string) error {
			code, err := box.Inside(args, os.Stdin, os.Stdout, os.Stderr)
			if err != nil {
				return ui.FailWith(code, err, "")
			}
			return ui.ExitWith(code)
		},
	}
}

// NewEnter returns the hidden command that starts a program in a box.
func NewEnter() *cobra.Command {
	return &cobra.Command{
		Use:                ui.BoxEnter,
		Hidden:             true,
		DisableFlagParsing: true,
		RunE: func(_ *cobra.Command, args []string) error {
			return ui.FailWith(ui.ExitMissing, box.Enter(args), "")
		},
	}
}

func run(ctx context.Context, a *ui.App, policy box.Policy, argv []string) error {
	ctx, _, stop := ui.UntilSignal(ctx, false)
	defer stop()
	// The signals of a terminal's keys are for the program in the box; its parents ignore them.
	signal.Ignore(os.Interrupt, syscall.SIGQUIT)
	had := box.HasRepository(policy.Dir)
	said := reportRepository(a, policy.Dir, false)
	_, risks, unexamined := loop.GitRisks(ctx, policy.Dir)
	code, err := box.Run(ctx, box.Command{
		Policy: policy, Argv: argv, Inside: []string{ui.BoxInside}, Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr,
		Denied: func(d box.Denial) { a.Note("the box denied a connection to %s", d) },
	})
	if !said && !reportRepository(a, policy.Dir, had) && unexamined == nil {
		reportRisks(context.WithoutCancel(ctx), a, policy.Dir, risks)
	}
	switch {
	case err != nil:
		return ui.BoxError(err)
	case ctx.Err() != nil:
		return ui.ExitWith(ui.ExitInterrupted)
	}
	return ui.ExitWith(code)
}

// reportRepository reports that git does not take the directory .git of a working tree for a repository, if it did so
// before, or takes the working tree itself for one. A program in an earlier box may have caused that.
func reportRepository(a *ui.App, tree string, before bool) bool {
	git := filepath.Join(tree, ".git")
	if info, err := os.Lstat(git); err != nil || !info.IsDir() || box.HasRepository(tree) {
		return false
	}
	var found []string
	for _, name := range []string{"HEAD", "objects", "refs", "config"} {
		if _, err := os.Lstat(filepath.Join(tree, name)); err == nil {
			found = append(found, name)
		}
	}
	if whole := len(found) >= 3 && found[2] == "refs"; !before && !whole {
		return false
	}
	remove := ""
	if len(found) > 0 {
		remove = "; remove these from the working tree if they are not yours: " + strings.Join(found, ", ")
	}
	a.Note("%s is not a repository for git, which may take the working tree for one and run programs that its settings name: "+
		"before you run git there, restore HEAD, objects and refs in .git%s", git, remove)
	return true
}

// reportRisks reports what makes git run programs, or use files outside of the repository, that is not in before.
func reportRisks(ctx context.Context, a *ui.App, tree string, before []string) {
	_, risks, err := loop.GitRisks(ctx, tree)
	if err != nil {
		a.Note("check the repository before you run git there: %v", err)
		return
	}
	risks = slices.DeleteFunc(risks, func(risk string) bool { return slices.Contains(before, risk) })
	if more := len(risks) - maxRisks; more > 0 {
		risks = append(risks[:maxRisks], fmt.Sprintf("and %d more", more))
	}
	if len(risks) > 0 {
		a.Note("git now would use links in its directory or files outside of the repository, or run programs: check these before you run git there: %s", strings.Join(risks, ", "))
	}
}

// maxRisks limits a list for the user.
const maxRisks = 10

// policy returns the policy for the flags and the current directory. foreign is that of box.Tree.
func (f *flags) policy() (p box.Policy, foreign string, err error) {
	if p.Home, err = box.Home(); err != nil {
		return p, foreign, err
	}
	if p.Cwd, err = os.Getwd(); err != nil {
		return p, foreign, err
	}
	if p.Cwd, err = filepath.EvalSymlinks(p.Cwd); err != nil {
		return p, foreign, err
	}
	p.Dir, foreign = box.Tree(p.Cwd, p.Home)
	if err := p.Allow(p.Cwd, f.write, f.read, f.net); err != nil {
		return p, foreign, err
	}
	if p.Limits.Memory, err = size(f.memory); err != nil {
		return p, foreign, err
	}
	if p.Limits.FileSize, err = size(f.fileSize); err != nil {
		return p, foreign, err
	}
	if f.processes < 0 {
		return p, foreign, fmt.Errorf("--processes must be at least 0, not %d", f.processes)
	}
	p.Limits.Processes, p.Nest = f.processes, f.nest
	p.Env = append(box.Environment(os.Environ(), f.env), "HOME="+p.Home)
	return p, foreign, nil
}

// size parses a number of bytes; "" is 0.
func size(text string) (int64, error) {
	if text == "" {
		return 0, nil
	}
	digits, unit := strings.TrimRight(text, "KMG"), int64(1)
	switch text[len(digits):] {
	case "K":
		unit = 1 << 10
	case "M":
		unit = 1 << 20
	case "G":
		unit = 1 << 30
	}
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil || n <= 0 || n > math.MaxInt64/unit || len(text)-len(digits) > 1 {
		return 0, fmt.Errorf("invalid size %q: use a number of bytes, or a number with K, M or G", text)
	}
	return n * unit, nil
}
