package contract

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"example.org/ripple/internal/standin"
	"example.org/ripple/runtime/event"
	"example.org/ripple/runtime/launch"
	"example.org/ripple/schema"
)

// TurnRequest is a turn to run with the real program.
type TurnRequest struct {
	Prompt, Dir string
	Executable  string   // empty: found by the adapter's rules
	Env         []string // KEY=value
	Timeout     time.Duration
	Emit        func(event.Event)
	Output      *bytes.Buffer // receives a copy of the program's output
}

// TurnResult is the result of a TurnRequest.
type TurnResult struct {
	Text     string // the answer
	Failure  *event.Failure
	ExitCode int // as for a turn that a user starts with ripple
}

// scriptedTurn is the model's behavior, and the result that any agent must produce.
type scriptedTurn struct {
	name, title string
	behavior    string // of package standin
	fails       bool
	printed     string // printed by a tool
}

// answer is the model's text; the scenario of a scripted agent has the same.
const answer = "STANDIN-OK: Žluťoučký kůň, 日本語."

var scriptedTurns = []scriptedTurn{
	{schema.TurnAnswer, "an answer", "text/text=" + url.PathEscape(answer), false, ""},
	{schema.TurnTool, "a tool and its result", "tool/run=echo%20standin-tool-ran/text=" + url.PathEscape(answer), false, "standin-tool-ran"},
	{schema.TurnFailingTool, "a tool that fails", "failtool/text=" + url.PathEscape(answer), false, "standin-tool-failed"},
	{schema.TurnError, "a server error", "503", true, ""},
}

// trialLimit bounds a turn; on a busy machine an agent may take a minute to start.
const trialLimit = 3 * time.Minute

// transportCases returns the scripted turns of a test of an agent's transports.
func transportCases(o Options, test schema.Test) []testCase {
	var cases []testCase
	for i, turn := range scriptedTurns {
		cases = append(cases, testCase{
			name: test.Name + ": " + turn.title, kind: KindDeclared, level: 1, at: test.Pos, bare: true, timeout: 3 * trialLimit,
			run: func(ctx context.Context, t *testRun) error {
				if o.Agent == nil {
					return unsound{errNoAgent}
				}
				return (&transportComparison{t, o, test.Transports, turn, strconv.Itoa(i + 1)}).perform(ctx)
			},
		})
	}
	return cases
}

// transportComparison runs one turn over each transport of an agent, and compares the results.
type transportComparison struct {
	*testRun
	o      Options
	test   *schema.AgentTransports
	turn   scriptedTurn
	number string
}

func (c *transportComparison) perform(ctx context.Context) error {
	server, err := standin.Listen("127.0.0.1:0")
	if err != nil {
		return unsound{err}
	}
	defer server.Close() // its requests have been answered
	for _, name := range c.adapter.Agent.Transports() {
		p, err := c.play(ctx, name, server.URL(c.turn.behavior))
		if err != nil {
			return err
		}
		c.played = append(c.played, p)
	}
	return c.judge()
}

// play runs the turn over a transport, in its own directories.
func (c *transportComparison) play(ctx context.Context, name, base string) (TransportResult, error) {
	p := TransportResult{Transport: name}
	a, err := c.adapter.WithTransport(name)
	if err != nil {
		return p, unsound{err}
	}
	trial := TurnRequest{Prompt: "Do what the test says.", Timeout: trialLimit, Output: &bytes.Buffer{}}
	own := a.Process.Executable != c.adapter.Process.Executable
	if !own {
		trial.Executable, p.Version = c.o.Executable, c.run.report.InterpreterVersion
	}
	path, err := launch.Locate(a, launch.OSHost(), trial.Executable)
	if err != nil {
		p.Missing = err.Error()
		return p, nil
	}
	if trial.Dir, trial.Env, err = c.prepare(a, base); err != nil {
		return p, unsound{err}
	}
	if own {
		p.Version = launch.Version(ctx, a, path, trial.Dir, append(os.Environ(), trial.Env...))
	}
	log := &toolLog{}
	trial.Emit = log.take
	c.begin(name, trial.Prompt)
	taken, err := c.o.Agent.RunTurn(ctx, a, trial)
	if err != nil {
		return p, fmt.Errorf("over %s: %w", name, err)
	}
	p.Text, p.Tools, p.End, p.ExitCode = words(taken.Text), log.tools, "done", taken.ExitCode
	if taken.Failure != nil {
		p.End, p.message = string(taken.Failure.Kind), taken.Failure.Message
	}
	if name == schema.TransportACP {
		var told string
		p.Capabilities, told = offers(trial.Output.Bytes())
		p.Version = cmp.Or(p.Version, told)
	}
	return p, nil
}

// prepare creates the agent's working and home directories, and returns its environment.
func (c *transportComparison) prepare(a *schema.Adapter, base string) (dir string, env []string, err error) {
	home, err := c.run.around.newHome()
	if err != nil {
		return "", nil, err
	}
	dir = filepath.Join(home, "work")
	if err := os.Mkdir(dir, 0o700); err != nil {
		return "", nil, err
	}
	fill := strings.NewReplacer("{base}", base, "{home}", home, "{turn}", c.number)
	for path, text := range c.test.Home {
		path = filepath.Join(home, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return "", nil, err
		}
		if err := os.WriteFile(path, []byte(fill.Replace(text)), 0o600); err != nil {
			return "", nil, err
		}
	}
	env = append(c.run.around.env(a, home), "NO_PROXY=127.0.0.1", "no_proxy=127.0.0.1")
	for key, value := range c.test.Env {
		env = append(env, key+"="+fill.Replace(value))
	}
	slices.Sort(env[len(env)-len(c.test.Env):])
	return dir, env, nil
}

var errNoAgent = errors.New("family agent cannot be tested: contract.Options.Agent is not set")
