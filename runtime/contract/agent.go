package contract

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"path"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"example.org/ripple/runtime/event"
	"example.org/ripple/schema"
)

// Agent is the part of runtime/agent, a peer of this package, that the tests of family agent need.
type Agent interface {
	// Command returns the command line of a turn without the program's name, and its standard
	// input; {path} is replaced by the file of a prompt.
	Command(a *schema.Adapter, t schema.AgentTurn) (args []string, stdin string, err error)
	// Replay evaluates a recorded turn; a nil failure is a success.
	Replay(a *schema.Adapter, output, stderr io.Reader, exitCode int) ([]event.Event, *event.Failure, error)
	// RunTurn runs a turn of the program over the transport that the adapter describes. A failed turn
	// does not return an error.
	RunTurn(ctx context.Context, a *schema.Adapter, t TurnRequest) (TurnResult, error)
}

// agentCases returns the cases of a declared test of family agent. Except for tests of its
// transports, they start no program.
func agentCases(a *schema.Adapter, o Options, test schema.Test) []testCase {
	if test.Transports != nil {
		return transportCases(o, test)
	}
	return []testCase{{
		name: test.Name, kind: KindDeclared, level: 1, at: test.Pos, bare: true,
		run: func(_ context.Context, t *testRun) error {
			switch {
			case o.Agent == nil:
				return unsound{errNoAgent}
			case test.Turn != nil:
				return commandLine(t, o.Agent, a, test)
			}
			return transcript(t, o, a, test)
		},
	}}
}

// noAgentLevel is the reason why the report of an agent has no level.
const noAgentLevel = noLevel + "levels apply to programs with a prompt; an agent has tests of its transcripts, command lines and transports"

func transcript(t *testRun, o Options, a *schema.Adapter, test schema.Test) error {
	t.begin("transcript", test.Transcript)
	output, stderr, err := openTranscript(o.Files, test.Transcript)
	if err != nil {
		return unsound{err}
	}
	defer output.Close() // only read from
	if stderr != nil {
		defer stderr.Close()
	}
	events, failure, err := o.Agent.Replay(a, output, stderr, test.ExitCode)
	if err != nil {
		return unsound{err}
	}
	t.result.Output = shownEvents(events)
	if err := compareFailure(test.ExpectFailure, failure); err != nil {
		return err
	}
	return compareEvents(test.ExpectEvents, events)
}

// openTranscript opens a transcript and the recorded standard error, if that exists.
func openTranscript(files fs.FS, name string) (output, stderr fs.File, err error) {
	if files == nil {
		return nil, nil, fmt.Errorf("the transcript %s cannot be found: contract.Options.Files is not set", name)
	}
	name = path.Clean(filepath.ToSlash(name))
	if output, err = files.Open(name); err != nil {
		return nil, nil, fmt.Errorf("the transcript cannot be read: %w", err)
	}
	stderr, err = files.Open(name + ".stderr")
	if errors.Is(err, fs.ErrNotExist) {
		return output, nil, nil
	}
	if err != nil {
		_ = output.Close() // only read from
	}
	return output, stderr, err
}

func shownEvents(events []event.Event) string {
	var b strings.Builder
	for _, e := range events {
		line, err := json.Marshal(e)
		if err != nil {
			line = []byte(err.Error())
		}
		b.Write(append(line, '\n'))
	}
	return b.String()
}

func compareFailure(want *schema.AgentExpectFailure, got *event.Failure) error {
	switch {
	case want == nil && got != nil:
		return failf("the turn should have succeeded, but failed: %s", got)
	case want != nil && got == nil:
		return failf("the turn should have failed with %s, but succeeded", want.Kind)
	case want == nil:
		return nil
	case string(got.Kind) != want.Kind:
		return failf("the turn should have failed with %s, but failed with %s", want.Kind, got)
	}
	if want.Message == "" {
		return nil
	}
	_, err := matches("expect_failure.message", &want.Message, got.Message, "the failure's message")
	return err
}

// compareEvents compares all events of the types that the test names, in order.
func compareEvents(want []map[string]any, events []event.Event) error {
	named := map[string]bool{}
	for _, w := range want {
		named[fmt.Sprint(w["type"])] = true
	}
	var got []event.Event
	for _, e := range events {
		if named[string(e.Type)] {
			got = append(got, e)
		}
	}
	for i, w := range want {
		if i >= len(got) {
			return failf("expect_events[%d]: want %s, but there are only %d events of the named types", i, compact(w), len(got))
		}
		if key, differs := firstDifference(w, got[i]); differs {
			return failf("expect_events[%d]: %s differs: want %s, got %s", i, key, compact(w), compact(got[i]))
		}
	}
	if len(got) > len(want) {
		return failf("expect_events: one unexpected event after the last expected one: %s", compact(got[len(want)]))
	}
	return nil
}

// firstDifference returns the first key of an expectation that differs in the event.
func firstDifference(want map[string]any, e event.Event) (key string, differs bool) {
	w, _ := plainJSON(want).(map[string]any)
	g, _ := plainJSON(e).(map[string]any)
	for _, k := range slices.Sorted(maps.Keys(w)) {
		if !within(g[k], w[k]) {
			return k, true
		}
	}
	return "", false
}

// within reports whether got equals want; of an object only the wanted keys are compared. An absent
// key has the zero value.
func within(got, want any) bool {
	w, isObject := want.(map[string]any)
	if !isObject {
		return reflect.DeepEqual(got, want) || got == nil && want != nil && reflect.ValueOf(want).IsZero()
	}
	g, _ := got.(map[string]any)
	for k, v := range w {
		if !within(g[k], v) {
			return false
		}
	}
	return true
}

// plainJSON converts a value to its generic JSON form.
func plainJSON(v any) any {
	b, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	var out any
	if err := json.Unmarshal(b, &out); err != nil {
		return err.Error()
	}
	return out
}

func compact(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return cut(string(b), shownCode)
}

func commandLine(t *testRun, agent Agent, a *schema.Adapter, test schema.Test) error {
	turn := *test.Turn
	if n := turn.PromptBytes; n > 0 && turn.Prompt != "" {
		turn.Prompt = strings.Repeat(turn.Prompt, n/len(turn.Prompt)+1)[:n]
	}
	t.begin("turn", test.Turn.Prompt)
	args, stdin, err := agent.Command(a, turn)
	if test.ExpectUsage != "" {
		if err == nil {
			return failf("the turn should have been refused (expect_usage), but its command line is %q", args)
		}
		_, err = matches("expect_usage", &test.ExpectUsage, err.Error(), "the refusal")
		return err
	}
	if err != nil {
		return failf("the turn was refused: %w", err)
	}
	want := withPrompt(test.ExpectArgv, turn.Prompt)
	got := append([]string{programName(a)}, args...)
	if !slices.Equal(want, got) {
		return failf("expect_argv: want %s, got %s", shownArgs(want), shownArgs(got))
	}
	wantStdin := ""
	if test.ExpectStdin != nil {
		wantStdin = strings.ReplaceAll(*test.ExpectStdin, "{prompt}", turn.Prompt)
	}
	if wantStdin != stdin {
		return failf("expect_stdin: want %s, got %s", shownArg(wantStdin), shownArg(stdin))
	}
	return nil
}

func withPrompt(args []string, prompt string) []string {
	out := make([]string, len(args))
	for i, a := range args {
		out[i] = strings.ReplaceAll(a, "{prompt}", prompt)
	}
	return out
}

// programName returns the first word of the command line as users write it.
func programName(a *schema.Adapter) string {
	switch a.Process.Executable {
	case "":
		return a.Name
	case "{self}":
		return "ripple"
	}
	return filepath.Base(a.Process.Executable)
}

func shownArgs(args []string) string {
	shown := make([]string, len(args))
	for i, a := range args {
		shown[i] = shownArg(a)
	}
	return "[" + strings.Join(shown, " ") + "]"
}

func shownArg(s string) string {
	if len(s) > 200 {
		return fmt.Sprintf("%q… (%d bytes)", s[:60], len(s))
	}
	return fmt.Sprintf("%q", s)
}
