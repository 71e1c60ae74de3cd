// Package execcmd implements `ripple exec`, which runs code in a session of a program.
package execcmd

import (
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"example.org/ripple/cmd/ripple/internal/ui"
	"example.org/ripple/runtime/session"
)

// execFlags are the flags of `ripple exec`.
type execFlags struct {
	file         string
	lines        bool
	nul          bool
	json         bool
	timeout      time.Duration
	readyTimeout time.Duration
	verbose      bool
	record       string
	steps        []execStep
	session      session.Options
}

// New is ripple exec.
func New(a *ui.App) *cobra.Command {
	var f execFlags
	cmd := &cobra.Command{
		Use:   "exec ADAPTER [--] [CODE | -]",
		Short: "Run commands in a session of a program",
		Long: `Run commands in one session of an adapter's program and print their output
as a terminal shows it. The exit code is that of the last command, if the program reports one.

ADAPTER is a name (see "ripple adapter list") or an adapter file. CODE is one
argument, of one line or several; "-" reads it from standard input. With --lines,
each line of standard input is a separate command in the same session; ripple reads
the next line after the result of the previous one. After a command that times out,
the rest is not run. If the program exits, it is restarted for the next command if
the adapter allows that (lifecycle.restart_on); otherwise the rest is not run either.
A line that is not a complete command is rejected: send blocks with "-", -f or -0.

-e CODE and --op OPERATION are commands too, run in the order given and before any
other code. --op sends the program's own command for an operation of a debugger, such
as step_over or 'print expr=a + b'; to list the operations: ripple adapter show ADAPTER.

Ctrl-C interrupts the command, not the session; a second one ends ripple. A command
that waits for input although nobody can type any is interrupted after 5s. For a
program of another user, such as one started by sudo, ripple knows that only if the
terminal does not echo. A program that is stopped (SIGSTOP) and not continued within
5s is interrupted, too. Typed input that the program has not read is discarded at the
end. Unless --ready-timeout is given, waiting for input before the first prompt fails after 5s.

--json prints one object per command, on one line each, with these fields:

  output            string   output of the command, as UTF-8; other bytes become U+FFFD
  exit_code         integer  exit code; null if the program reports none
  error             boolean  whether the command failed
  duration_ns       integer  duration in nanoseconds
  completed_by      string   evidence of the end: marker, prompt, idle, exit, timeout, or
                             interrupt (also if ripple was asked to end)
  bytes             integer  length of the output in bytes

The other fields are present if they are known or apply:

  cwd               string   working directory at the end
  mode              string   mode of the program at the end, such as a debugger's
  level             integer  how deep debuggers are nested at the end
  captures          object   values that the adapter reads from the prompt, by name
  out_of_band       string   output that arrived before this command's own; without
                             --json it is printed on standard error
  screen            boolean  the program uses the whole screen; the output ends with the
                             content of the screen
  restarted         boolean  the program was restarted for this command
  prompt_elsewhere  boolean  the program waits for the next command, but its prompt is
                             not printed on the terminal, as after "exec 2>FILE" in some
                             shells; the exit code is unknown
  fault             string   ripple panicked while it handled the output; names a file
                             for a bug report
  failure           string   reason why ripple could not complete the command
  stopped           object   the stopped process that kept the command from ending: pid, name`,
		Example: `  ripple exec python -- '1 + 1'
  ripple exec bash --timeout 30s -f build.sh
  printf 'x = 20\nx + 1\n' | ripple exec python --lines --json
  ripple exec gdb --arg ./a.out --op 'breakpoint_set target=main' --op run --op locals`,
		Args: execArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			f.session.Attended = cmd.Flags().Changed("ready-timeout") // it was asked for: it decides alone
			return a.Guarded(func() error { return runIn(cmd.Context(), a, args, f) })
		},
		ValidArgsFunction: ui.FirstOnly(ui.CompleteAdapter(a)),
	}
	f.addTo(cmd.Flags())
	a.Trust.Flag(cmd)
	ui.CompleteFlag(cmd, "op", func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		if len(args) == 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		e, err := a.Look(args[0])
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return e.Adapter.Operations(), cobra.ShellCompDirectiveNoFileComp
	})
	cmd.MarkFlagsMutuallyExclusive("file", "lines")
	cmd.MarkFlagsMutuallyExclusive("file", "null")
	return cmd
}

func (f *execFlags) addTo(flags *pflag.FlagSet) {
	flags.StringVarP(&f.file, "file", "f", "", `run the content of this file ("-": standard input)`)
	flags.VarP(stepFlag{&f.steps, false}, "code", "e", "run this `CODE`; repeatable")
	flags.Var(stepFlag{&f.steps, true}, "op", "run this `OPERATION` of a debugger; repeatable")
	flags.BoolVar(&f.lines, "lines", false, "each line of standard input is a command")
	flags.BoolVarP(&f.nul, "null", "0", false, "commands on standard input are separated by NUL; implies --lines")
	flags.BoolVar(&f.json, "json", false, "print one JSON object per command, one per line")
	flags.DurationVar(&f.timeout, "timeout", 0, "maximum duration of one command (0: no limit)")
	flags.DurationVar(&f.readyTimeout, "ready-timeout", time.Minute, "maximum time until the program's first prompt")
	flags.StringVar(&f.session.Dir, "cwd", "", "directory to start in")
	flags.StringArrayVar(&f.session.Env, "env", nil, "set an environment variable, `KEY=VALUE`; repeatable")
	flags.StringArrayVar(&f.session.Args, "arg", nil, "an `ARGUMENT` of the program, such as the file to debug; repeatable")
	flags.StringVar(&f.session.Executable, "executable", "", "program to start instead of the adapter's")
	flags.IntVar(&f.session.Cols, "cols", 0, "width of the terminal in columns (default: the adapter's)")
	flags.IntVar(&f.session.Rows, "rows", 0, "height of the terminal in rows (default: the adapter's)")
	flags.BoolVarP(&f.verbose, "verbose", "v", false, "log what is sent and read on standard error, with times")
	flags.StringVar(&f.record, "record", "", "record the session as an asciicast in this file")
}

// execArgs: one adapter, and the code in exactly one way.
func execArgs(cmd *cobra.Command, args []string) error {
	env, _ := cmd.Flags().GetStringArray("env") // declared: cannot fail
	for _, kv := range env {
		if name, _, ok := strings.Cut(kv, "="); !ok || name == "" {
			return ui.UsageError("", "--env %q is not KEY=VALUE", kv)
		}
	}
	for _, flag := range []string{"cols", "rows"} {
		n, _ := cmd.Flags().GetInt(flag) // declared: cannot fail
		if cmd.Flags().Changed(flag) && (n < 1 || n > 65535) {
			return ui.UsageError("", "--%s must be 1 to 65535, not %d", flag, n)
		}
	}
	given := max(0, len(args)-1)
	for _, flag := range []string{"file", "lines", "null"} {
		if cmd.Flags().Changed(flag) {
			given++
		}
	}
	steps := cmd.Flags().Changed("code") || cmd.Flags().Changed("op")
	lines := cmd.Flags().Changed("lines") && cmd.Flags().Changed("null")
	switch {
	case len(args) == 0:
		return ui.UsageError("to list the adapters: ripple adapter list; "+ui.SeeHelp(cmd), "no adapter given")
	case given == 0 && steps:
		return nil
	case given == 0:
		return ui.UsageError(`give the code as one argument, with -f FILE, or "-" or --lines for standard input`, "nothing to run")
	case given == 1 || lines && given == 2:
		return nil
	case len(args) > 2:
		return ui.UsageError("quote the code: it must be one argument", "%d arguments after the adapter", len(args)-1)
	}
	return ui.UsageError(ui.SeeHelp(cmd), "the code is given in more than one way")
}
