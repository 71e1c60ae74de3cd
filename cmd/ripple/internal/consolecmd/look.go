package consolecmd

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"example.org/ripple/cmd/ripple/internal/ui"
	"example.org/ripple/internal/projectfile"
	"example.org/ripple/internal/quote"
	"example.org/ripple/runtime/console"
)

func newPeek(a *ui.App) *cobra.Command {
	var output, asJSON bool
	var lines int64
	cmd := &cobra.Command{
		Use:   "peek [CONSOLE]",
		Short: "Show a console's screen, or the end of its command's output",
		Long: `Print the screen of a console as plain text, as a user who is attached would see it now, without
waiting and without changing anything. With --output, print instead the last lines that the
latest command has printed; "ripple console read" prints any part of any command's output.

CONSOLE may be omitted if there is only one. The exit code is 0, or 2 if there is no such console.`,
		Example:           "  ripple console peek work\n  ripple console peek work --output --lines 50",
		Args:              atMost(1),
		ValidArgsFunction: completeNames(a),
		RunE: onConsole(a, func(ctx context.Context, c *console.Client) error {
			if output {
				return printLines(a, c, console.ReadRequest{From: -lines}, asJSON)
			}
			text, status, err := c.Screen(ctx)
			switch {
			case err != nil:
				return explain(err)
			case asJSON:
				return a.PrintJSON(struct {
					Status console.Status `json:"status"`
					Screen string         `json:"screen"`
				}{status, text})
			}
			a.Printf("%s", ui.Harmless(text))
			if status.Stopped != nil {
				a.Note("%s", stopped(status))
			}
			return nil
		}),
	}
	cmd.Flags().BoolVar(&output, "output", false, "show the end of the latest command's output")
	cmd.Flags().Int64Var(&lines, "lines", 20, "with --output: number of lines to print")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

func newRead(a *ui.App) *cobra.Command {
	var q console.ReadRequest
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "read [CONSOLE]",
		Short: "Read the output of a command",
		Long: `Print lines of the output of a command of a console, also while it runs, after the
program's end, and after the console's own process was killed.

If a part of these lines is missing, because it is no longer kept or could not be stored, as on a
full disk, a message says so and the exit code is 1. --json prints at most 10,000 lines and 4 MB;
"more" is true if there are more of the requested lines, and the next --from is the number of the
last one plus one.`,
		Example:           "  ripple console read work --command 3 --from -20\n  ripple console read work --grep 'error|warning'",
		Args:              atMost(1),
		ValidArgsFunction: completeNames(a),
		RunE: onConsole(a, func(_ context.Context, c *console.Client) error {
			return printLines(a, c, q, asJSON)
		}),
	}
	flags := cmd.Flags()
	flags.IntVar(&q.Command, "command", 0, "the number of the command (default: the latest)")
	flags.Int64Var(&q.From, "from", 1, "first `LINE`, counted from 1; negative: counted from the end")
	flags.Int64Var(&q.Lines, "lines", 0, "maximum number of lines (0: all)")
	flags.Int64Var(&q.Column, "column", 0, "first `BYTE` of each line to show, counted from 0")
	flags.StringVar(&q.Grep, "grep", "", "only lines that match this `PATTERN` (RE2)")
	flags.BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

// lineReader is a console.Client.
type lineReader interface {
	Read(console.ReadRequest) (console.Lines, error)
	EachLine(console.ReadRequest, func(console.Line) error) (console.Lines, error)
}

// printLines prints the requested lines. It fails if a part of them is missing.
func printLines(a *ui.App, c lineReader, q console.ReadRequest, asJSON bool) error {
	if asJSON {
		found, err := c.Read(q)
		if err == nil {
			err = a.PrintJSON(found)
		}
		if err == nil && found.More {
			a.Note("there are more lines; to continue: --from %d", found.Lines[len(found.Lines)-1].Number+1)
		}
		return incomplete(found, err)
	}
	out, none := bufio.NewWriter(a.Out), true
	found, err := c.EachLine(q, func(l console.Line) error {
		none = false
		_, err := fmt.Fprintf(out, "%s\n", l.Text)
		if l.Cut > 0 && err == nil {
			err = out.Flush()
			a.Note("line %d has %d more bytes; to show them: --column %d", l.Number, l.Cut, l.At+int64(len(l.Text)))
		}
		return err
	})
	if err == nil && none && q.From > max(found.Total, 1) {
		a.Note("no line is printed: the output of command %d has %s", found.Command.ID, ui.Count(int(found.Total), "line"))
	}
	return incomplete(found, errors.Join(err, out.Flush()))
}

// incomplete returns the error of a read.
func incomplete(found console.Lines, err error) error {
	if err != nil {
		return explain(err)
	}
	if found.Missing != "" {
		return ui.FailWith(ui.ExitFailed, errors.New(found.Missing), "")
	}
	return nil
}

func newList(a *ui.App) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the consoles",
		Long: `List the consoles: name, adapter, state, time since the start, the program's directory, and the
number and first line of the latest command. The states are:

  starting            the program has not reached its first prompt
  idle                the console accepts a command
  typing              a user types a line at the prompt
  running             a command runs
  waiting_for_input   the command reads the terminal
  waiting_for_secret  the same, and the terminal does not echo
  fullscreen          the command draws on the whole screen
  stopped             the program or its foreground job is stopped (kill -STOP, suspend)
  exited              the program has ended; its output is kept for ten minutes
  unresponsive        the process that runs the console does not answer,
                      or its socket was removed
  dead                that process was killed; the output is kept for a day

docs/consoles.md says what to do in each of them.`,
		Args: ui.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			all, err := console.List(cmd.Context(), a.Getenv)
			switch {
			case err != nil:
				return explain(err)
			case asJSON:
				return a.PrintJSON(all)
			case len(all) == 0:
				a.Note("no console is running; to start one: ripple console start ADAPTER")
				return nil
			}
			a.Printf("%-14s %-10s %-18s %-8s %s\n", "CONSOLE", "ADAPTER", "STATE", "AGE", "DIRECTORY, LATEST COMMAND")
			for _, s := range all {
				a.Printf("%s\n", listRow(s))
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

// listRow describes a console in one line, whatever the names of its directory and files are.
func listRow(s console.Status) string {
	last := quote.Name(s.Cwd)
	if s.Command != nil {
		last += "  #" + strconv.Itoa(s.Command.ID) + " " + ui.FirstLine(s.Command.Code)
	}
	if s.Stopped != nil {
		last += fmt.Sprintf("  to continue it: kill -CONT %d (%s)", s.Stopped.PID, quote.Name(s.Stopped.Name))
	}
	if s.Agent != nil && s.Agent.Question != "" {
		last += "  asks: " + ui.FirstLine(s.Agent.Question)
	}
	return ui.Harmless(fmt.Sprintf("%-14s %-10s %-18s %-8s %s", s.Name, ui.FirstLine(s.Adapter), ui.FirstLine(string(s.State)), age(s), last))
}

// maxLog is how many bytes of a log are shown at most.
const maxLog = 64 << 20

// endOfLog returns the last lines of a log, at most limit bytes, and how many bytes before them are left out.
func endOfLog(dir projectfile.Dir, name string, limit int64) (log []byte, omitted int64, err error) {
	f, err := dir.Open(name)
	if err != nil {
		return nil, 0, err
	}
	defer f.Close() // only read from
	info, err := f.Stat()
	if err != nil {
		return nil, 0, err
	}
	omitted = max(0, info.Size()-limit)
	log, err = io.ReadAll(io.NewSectionReader(f, omitted, info.Size()-omitted))
	if omitted > 0 {
		begin := bytes.IndexByte(log, '\n') + 1
		log, omitted = log[begin:], omitted+int64(begin)
	}
	return log, omitted, err
}

func newLogs(a *ui.App) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "logs [CONSOLE]",
		Short: "Show the log of a console's host",
		Long: `Print the log of a console's host, the ripple process that runs the program of the console. It
has a line for the beginning and the end, and errors of the host. It does not contain the output of the program:
"ripple console read" prints that. Of a log of more than 64 MB, only the end is printed.`,
		Args:              atMost(1),
		ValidArgsFunction: completeNames(a),
		RunE: onConsole(a, func(_ context.Context, c *console.Client) error {
			log, omitted, err := endOfLog(projectfile.In(filepath.Dir(c.LogFile()), "."), filepath.Base(c.LogFile()), maxLog)
			switch {
			case err != nil && !errors.Is(err, os.ErrNotExist):
				return ui.FailWith(ui.ExitFailed, err, "")
			case asJSON:
				return a.PrintJSON(struct {
					Lines []string `json:"lines"`
				}{append([]string{}, strings.FieldsFunc(string(log), func(r rune) bool { return r == '\n' })...)})
			}
			if omitted > 0 {
				a.Note("the first %d bytes of the log are not shown; all of it: %s", omitted, quote.Name(c.LogFile()))
			}
			_, err = a.Out.Write(log)
			return err
		}),
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print its lines as JSON")
	return cmd
}
