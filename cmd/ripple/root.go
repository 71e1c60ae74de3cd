package main

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"ripple/cmd/ripple/internal/acpcmd"
	"ripple/cmd/ripple/internal/adaptercmd"
	"ripple/cmd/ripple/internal/agentcmd"
	"ripple/cmd/ripple/internal/consolecmd"
	"ripple/cmd/ripple/internal/execcmd"
	"ripple/cmd/ripple/internal/loopcmd"
	"ripple/cmd/ripple/internal/mcpcmd"
	"ripple/cmd/ripple/internal/notice"
	"ripple/cmd/ripple/internal/ui"
)

// Main runs one command line and returns its exit code.
func Main(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	a := ui.NewApp(stdin, stdout, stderr, cancel)
	root := newRoot(a)
	root.SetArgs(args)
	root.SetIn(stdin)
	root.SetOut(a.Out)
	root.SetErr(a.Err)
	addCompletion(root)
	over := newNotice(a).Begin()
	cmd, err := root.ExecuteContextC(ctx)
	code := a.End(cmd, err)
	if words := over(); words != "" {
		a.Note("%s", words)
	}
	return code
}

// releaseFeed is where a build asks for the latest version; one without it never asks.
var releaseFeed string

// newNotice tells of a newer version on the person's terminal.
func newNotice(a *ui.App) notice.Notice {
	if releaseFeed == "" {
		return notice.Notice{}
	}
	n := notice.Notice{Feed: releaseFeed, Version: thisBuild().Version, Terminal: a.ErrTerminal, Getenv: a.Getenv, Now: time.Now, After: 2 * time.Second}
	if cache, err := os.UserCacheDir(); err == nil {
		n.Dir = filepath.Join(cache, "ripple")
	}
	return n
}

// addManual makes the command that writes man pages, in a build that has it.
var addManual func(*ui.App) *cobra.Command

func newRoot(a *ui.App) *cobra.Command {
	root := ui.Group(&cobra.Command{
		Use:   "ripple",
		Short: "Drive any interactive program from one YAML file",
		Long: "ripple drives interactive programs: shells, REPLs, debuggers and coding\n" +
			"agents. Each program is described by one YAML file, its adapter; ripple tests\n" +
			"adapters against the real program, runs commands in sessions of it and lets\n" +
			"agents take turns.",
		Example: "  ripple adapter test bash\n  ripple exec python -- '1 + 1'\n  ripple agent run \"what does this project do?\"",
	})
	showVersion(a, root)
	root.SilenceErrors, root.SilenceUsage = true, true
	root.SetFlagErrorFunc(ui.FlagError)
	root.SetHelpCommand(newHelp(root))
	root.AddCommand(
		adaptercmd.New(a), agentcmd.New(a, consolecmd.Detached(a), adaptercmd.NewAgentMatrix(a)), agentcmd.NewDoctor(a), agentcmd.NewRehearse(a),
		consolecmd.New(a, version()), mcpcmd.New(a, version()), acpcmd.New(a, version()),
		execcmd.New(a),
		loopcmd.NewRun(a), loopcmd.NewInit(a), loopcmd.NewStatus(a), loopcmd.NewWatch(a), loopcmd.NewReplay(a), loopcmd.NewHats(a), loopcmd.NewEvents(a), loopcmd.NewEmit(a), loopcmd.NewAnswer(a), loopcmd.NewGuide(a), loopcmd.NewReset(a), loopcmd.NewStop(a),
		newSchema(a), newVersion(a), newExitCodes(),
	)
	if addManual != nil {
		root.AddCommand(addManual(a))
	}
	ui.CompleteDirectories(root, "cwd", "expect-cwd")
	return root
}

// showVersion is ripple --version. Cobra's own would need a template, and Go's templates
// make the binary larger by a seventh.
func showVersion(a *ui.App, root *cobra.Command) {
	var asked bool
	root.Flags().BoolVarP(&asked, "version", "v", false, "print the version")
	help := root.RunE
	root.RunE = func(cmd *cobra.Command, args []string) error {
		if !asked {
			return help(cmd, args)
		}
		a.Printf("ripple %s\n", version())
		return nil
	}
}
