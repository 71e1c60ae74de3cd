package agentcmd

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"example.org/ripple/cmd/ripple/internal/ui"
	"example.org/ripple/runtime/agent"
	"example.org/ripple/runtime/event"
)

// mapFlags are the flags of `ripple agent map`.
type mapFlags struct {
	adapter  string
	stderr   string
	exitCode int
	strict   bool
}

func newAgentMap(a *app) *cobra.Command {
	var f mapFlags
	cmd := &cobra.Command{
		Use:   "map --adapter NAME < TRANSCRIPT",
		Short: "Translate an agent's recorded output into events",
		Long: `Read an agent's output from standard input and print the events into which its adapter
translates it, one JSON object per line, and finally the outcome of the turn. Lines that no
rule of the adapter matches are reported on standard error with their numbers. This is for
authors of adapters: "ripple agent run --transcript FILE" records such output.`,
		Example: "  ripple agent map --adapter ./my-agent.yaml < turn.ndjson\n" +
			"  ripple agent map --adapter claude --exit-code 1 --stderr turn.ndjson.stderr < turn.ndjson",
		Args: ui.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return a.mapTranscript(cmd.Context(), f) },
	}
	flags := cmd.Flags()
	flags.StringVar(&f.adapter, "adapter", "", "the agent's `NAME` or adapter file")
	ui.CompleteFlag(cmd, "adapter", ui.CompleteAgent(a.App))
	flags.StringVar(&f.stderr, "stderr", "", "the agent's standard error output, in this `FILE`")
	flags.IntVar(&f.exitCode, "exit-code", 0, "the agent's exit code")
	flags.BoolVar(&f.strict, "strict", false, "exit with 1 if no rule matches a line")
	_ = cmd.MarkFlagRequired("adapter") // the flag exists
	return cmd
}

func (a *app) mapTranscript(ctx context.Context, f mapFlags) error {
	e, err := a.AgentAdapter(ctx, f.adapter)
	if err != nil {
		return err
	}
	rec := agent.Recording{ExitCode: f.exitCode}
	if f.stderr != "" {
		file, err := os.Open(f.stderr)
		if err != nil {
			return ui.FailWith(ui.ExitUsage, fmt.Errorf("--stderr: %w", err), "")
		}
		defer file.Close() // only read from
		rec.Stderr = file
	}
	count := &lineCount{r: a.In}
	rec.Output = count
	unknown := 0
	encode := json.NewEncoder(a.Out)
	encode.SetEscapeHTML(false)
	out, err := agent.Replay(e.Adapter, rec, func(ev event.Event) {
		if ev.Type == event.Unknown {
			unknown++
			a.Note("%s matches nothing in agent.output.events: %.200s", count.name(ev.Raw), ev.Raw)
		}
		_ = encode.Encode(ev) // a.out remembers its error
	})
	if err != nil {
		return ui.FailWith(ui.ExitFailed, err, "")
	}
	for _, p := range out.Problems {
		a.Note("%s", p)
	}
	_ = encode.Encode(ui.NewTurnOutcome(out)) // a.out remembers its error
	if f.strict && unknown > 0 {
		return ui.FailWith(ui.ExitFailed, errors.New("the adapter has no rule for some lines of the transcript"), "add rules to agent.output.events; for lines without meaning: {type: \"ignored\"}")
	}
	return nil
}

// lineCount remembers where lines began, so that an unknown one can be named.
type lineCount struct {
	r    io.Reader
	line int
	rest []byte
	seen []numbered
}

type numbered struct {
	number int
	text   []byte
}

// recentLines are enough to find a line that was just mapped again.
const recentLines = 4096

func (l *lineCount) Read(b []byte) (int, error) {
	n, err := l.r.Read(b)
	l.rest = append(l.rest, b[:n]...)
	for {
		line, rest, found := bytes.Cut(l.rest, []byte("\n"))
		if !found {
			break
		}
		l.add(line)
		l.rest = rest
	}
	if err == io.EOF && len(l.rest) > 0 {
		l.add(l.rest)
		l.rest = nil
	}
	return n, err
}

func (l *lineCount) add(line []byte) {
	l.line++
	l.seen = append(l.seen, numbered{l.line, bytes.Clone(bytes.TrimSpace(line))})
	if len(l.seen) > 2*recentLines {
		l.seen = append(l.seen[:0], l.seen[recentLines:]...)
	}
}

// name says which line it was; a value over several lines, or one that was cut,
// reads like none of them.
func (l *lineCount) name(text string) string {
	if number := l.lineOf([]byte(text)); number > 0 {
		return fmt.Sprintf("line %d", number)
	}
	return "a value"
}

// lineOf is the line that reads so, 0 if there is none.
func (l *lineCount) lineOf(text []byte) int {
	text = bytes.TrimSpace(text)
	for i, s := range l.seen {
		if bytes.Equal(s.text, text) {
			l.seen = l.seen[i+1:]
			return s.number
		}
	}
	return 0
}
