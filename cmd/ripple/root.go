package main

import (
	"cmp"
	"context"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"example.org/ripple/cmd/ripple/internal/acpcmd"
	"example.org/ripple/cmd/ripple/internal/adaptercmd"
	"example.org/ripple/cmd/ripple/internal/agentcmd"
	"example.org/ripple/cmd/ripple/internal/boxcmd"
	"example.org/ripple/cmd/ripple/internal/consolecmd"
	"example.org/ripple/cmd/ripple/internal/execcmd"
	"example.org/ripple/cmd/ripple/internal/loopcmd"
	"example.org/ripple/cmd/ripple/internal/mcpcmd"
	"example.org/ripple/cmd/ripple/internal/notice"
	"example.org/ripple/cmd/ripple/internal/trustcmd"
	"example.org/ripple/cmd/ripple/internal/ui"
	"example.org/ripple/internal/owner"
	"example.org/ripple/internal/projectfile"
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

// releaseFeed is the URL from which a build gets the latest version; a build without it never asks.
var releaseFeed string

// newNotice returns the notice about a newer version on the user's terminal.
func newNotice(a *ui.App) notice.Notice {
	if releaseFeed == "" || len(projectfile.Homes(a.Getenv, ".")) > 0 { // it has a file in the home directory
		return notice.Notice{}
	}
	n := notice.Notice{Feed: releaseFeed, Version: thisBuild().Version, Terminal: a.ErrTerminal, Getenv: a.Getenv, Now: time.Now, After: 2 * time.Second}
	if cache, err := os.UserCacheDir(); err == nil && owner.Ours(filepath.Join(cache, "ripple")) {
		n.Dir = filepath.Join(cache, "ripple")
	}
	return n
}

// addManual returns the command that writes man pages, in builds that include it.
var addManual func(*ui.App) *cobra.Command

func newRoot(a *ui.App) *cobra.Command {
	root := ui.Group(&cobra.Command{
		Use:   "ripple",
		Short: "Drive any interactive program from one YAML file",
		Long: "ripple drives interactive programs: shells, REPLs, debuggers and coding\n" +
			"agents. One YAML file, the adapter, describes a program. ripple runs commands\n" +
			"in sessions of the program, tests the adapter against it, and runs coding\n" +
			"agents turn after turn until their work is done.",
		Example: "  ripple adapter test bash\n  ripple exec python -- '1 + 1'\n  ripple agent run \"what does this project do?\"",
	})
	showVersion(a, root)
	root.SilenceErrors, root.SilenceUsage = true, true
	root.SetFlagErrorFunc(ui.FlagError)
	root.PersistentPreRunE = func(cmd *cobra.Command, args []string) error {
		return cmp.Or(ui.CheckDurations(cmd, args), a.Trust.CheckHomeOf(cmd))
	}
	root.SetHelpCommand(ui.WithoutHome(newHelp(root)))
	help := root.HelpFunc()
	root.SetHelpFunc(func(cmd *cobra.Command, args []string) {
		ui.Placeholders(cmd)
		help(cmd, args)
	})
	for _, group := range commandGroups(a) {
		root.AddGroup(&cobra.Group{ID: group.title, Title: group.title + ":"})
		for _, cmd := range group.commands {
			cmd.GroupID = group.title
			root.AddCommand(cmd)
		}
	}
	root.AddCommand(ui.WithoutHome(newVersion(a)), newExitCodes(), ui.WithoutHome(boxcmd.NewInside()), ui.WithoutHome(boxcmd.NewEnter()))
	if addManual != nil {
		root.AddCommand(addManual(a))
	}
	ui.CompleteDirectories(root, "cwd", "expect-cwd")
	ui.AcceptDays(root)
	return root
}

// commandGroup is a group of commands in ripple's help, with its title.
type commandGroup struct {
	title    string
	commands []*cobra.Command
}

// commandGroups returns all commands of ripple except those about ripple itself, in the order of
// its help. The commands of a loop occur twice: below the noun, `ripple loop status`, and short,
// `ripple status`.
func commandGroups(a *ui.App) []commandGroup {
	return []commandGroup{
		{"Programs", []*cobra.Command{execcmd.New(a), boxcmd.New(a)}},
		{"Consoles", []*cobra.Command{consolecmd.New(a, version())}},
		{"Loops", append([]*cobra.Command{loopcmd.New(a)}, loopcmd.Commands(a)...)},
		{"Agents", []*cobra.Command{agentcmd.New(a, consolecmd.Detached(a), adaptercmd.NewAgentMatrix(a)), agentcmd.NewDoctor(a), agentcmd.NewRehearse(a)}},
		{"Adapters", []*cobra.Command{adaptercmd.New(a), newSchema(a), trustcmd.New(a)}},
		{"Integration", []*cobra.Command{mcpcmd.New(a, version()), acpcmd.New(a, version())}},
	}
}

// showVersion implements ripple --version. Cobra's own version flag needs a template, and Go's
// templates make the binary a seventh larger.
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
