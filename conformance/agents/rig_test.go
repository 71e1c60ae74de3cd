package agents

import (
	"bytes"
	"context"
	"encoding/json"
	"maps"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gopkg.in/yaml.v3"

	"example.org/ripple/internal/standin"
)

// setup is a file of testdata. {base} is replaced by the base URL of the stand-in for a case.
type setup struct {
	Env        map[string]string
	Home       map[string]string  // files of its home directory
	Deny       deny               // how it is kept from running commands that write
	Limit      limit              // how it is restricted to a list of tools
	Retries    retries            // how it is made to retry as it does normally
	Consoles   consoles           // how it is connected to ripple's consoles
	Screen     bool               // the adapter describes its own screen
	Sizes      bool               // it is tested at several terminal sizes
	Nested     string             // the permission mode in which it has a sandbox of its own
	Interrupts []string           // keys that interrupt it there; default: esc
	Asks       map[string]asks    // how it is made to ask before it runs a command, by way
	Differs    map[string]differs // by case
}

// deny is a request for which a tool is refused.
type deny struct {
	Mode     string // the permission mode
	Env      map[string]string
	Behavior string // behavior of the stand-in; default: edit
}

// retries are its environment and files with which it retries after a limit; if empty, it gives up
// immediately or does not report retries.
type retries struct {
	Env  map[string]string
	Home map[string]string
}

// limit is a test of a list of allowed tools.
type limit struct {
	Because string            // reason why it has no list
	Calls   []toolCall        // each writes standin.txt; the first one is allowed by With
	With    string            // a list that allows the first call
	Without string            // a list that allows none
	Allow   map[string]string // files of a project that allows everything
}

// toolCall is a call of the model; without input it is a command that writes.
type toolCall struct {
	Name  string
	Input map[string]any
}

// behavior returns the behavior of the stand-in that makes the call; {work} in the input is the
// agent's working directory.
func (c toolCall) behavior(t *testing.T, work string) string {
	t.Helper()
	b := "edit/name=" + url.PathEscape(c.Name)
	if c.Input != nil {
		input, err := json.Marshal(c.Input)
		require.NoError(t, err)
		b += "/input=" + url.PathEscape(strings.ReplaceAll(string(input), "{work}", work))
	}
	return b
}

// differs is how an agent's answer differs from that of the others.
type differs struct {
	Because string
	Kind    string // of the failure, with ripple's exit code
	Exit    int
	Unseen  bool   // no event reports it
	Tokens  string // "session": tokens of the whole session; "none": not reported
}

// rig is an agent with its own home and stand-in.
type rig struct {
	adapter, ripple string
	setup           setup
	server          *standin.Server
	home, work      string // work: the directory of a case's turns
	box             *box   // for its turns; nil: without a box
}

// differs returns how the agent differs in the case of a test.
func (r rig) differs(t *testing.T) differs {
	return r.setup.Differs[strings.ReplaceAll(filepath.Base(t.Name()), "_", " ")]
}

// bound is a generous time limit.
const bound = 2 * time.Minute

func newRig(t *testing.T, adapter, ripple string) rig {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", adapter+".yaml"))
	require.NoError(t, err)
	r := rig{adapter: adapter, ripple: ripple, home: t.TempDir()}
	d := yaml.NewDecoder(bytes.NewReader(data))
	d.KnownFields(true)
	require.NoError(t, d.Decode(&r.setup))
	for name, what := range r.setup.Differs {
		assert.NotEmpty(t, what.Because, name)
	}
	r.server, err = standin.Listen("127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, r.server.Close()) })
	return r
}

// turn is ripple's output for a turn, with the requests to the model.
type turn struct {
	exit    int
	events  []event
	outcome outcome
	stderr  string
	asked   []standin.Exchange
}

// event is a line of --json.
type event struct {
	Type, ID, Text, Tool, Name, Content, Message, Kind, Raw string

	Input   json.RawMessage // of a tool; a number in usage
	IsError bool            `json:"is_error"`
	line    string
}

type outcome struct {
	Failure *struct {
		Kind, Message string
		ResetsAt      time.Time `json:"resets_at"`
	}
	ExitCode  int    `json:"exit_code"`
	SessionID string `json:"session_id"`
	Text      string
	Tokens    struct{ Input, Output int64 }
	Denials   int
	Unknown   int
	Problems  []string
}

// command returns the command for a turn, not started yet.
func (r rig) command(ctx context.Context, t *testing.T, behavior string, args ...string) *exec.Cmd {
	t.Helper()
	base := r.server.URL(behavior)
	if r.box != nil {
		base = r.box.url(base)
	}
	fill := strings.NewReplacer("{base}", base)
	for path, text := range r.setup.Home {
		path = filepath.Join(r.home, path)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
		require.NoError(t, os.WriteFile(path, []byte(fill.Replace(text)), 0o600))
	}
	argv := append([]string{r.ripple, "agent", "run", "--adapter", r.adapter, "--json", "--timeout", "90s"}, args...)
	if r.box != nil {
		argv = r.box.argv(t, r, argv)
	}
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Dir = r.work
	cmd.Env = []string{
		"HOME=" + r.home, "LANG=C.UTF-8", "TMPDIR=" + t.TempDir(), "RIPPLE_TRUST=always",
		"PATH=" + filepath.Join(os.Getenv(folder), "node_modules", ".bin") + string(os.PathListSeparator) + os.Getenv("PATH"),
	}
	for key, value := range maps.All(r.setup.Env) {
		cmd.Env = append(cmd.Env, key+"="+fill.Replace(value))
	}
	return cmd
}

// turn runs one turn.
func (r rig) turn(t *testing.T, behavior string, args ...string) turn {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), bound)
	defer cancel()
	return r.finish(t, r.command(ctx, t, behavior, args...), nil)
}

// asked returns the requests to the model. A login check before a turn may contact the server, too,
// without asking the model.
func (r rig) asked() []standin.Exchange {
	return slices.DeleteFunc(r.server.Log(), func(e standin.Exchange) bool { return e.Dialect == "" })
}

// finish runs a turn and calls meanwhile during it.
func (r rig) finish(t *testing.T, cmd *exec.Cmd, meanwhile func()) turn {
	t.Helper()
	before := len(r.asked())
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	require.NoError(t, cmd.Start())
	if meanwhile != nil {
		meanwhile()
	}
	_ = cmd.Wait() // the exit code is checked
	assert.Empty(t, leftovers(r.home), "processes that outlived ripple")
	result := turn{exit: cmd.ProcessState.ExitCode(), stderr: stderr.String(), asked: r.asked()[before:]}
	lines := strings.Split(strings.TrimSpace(stdout.String()), "\n")
	for i, line := range lines {
		var e event
		if !assert.NoError(t, json.Unmarshal([]byte(line), &e), line) {
			continue
		}
		e.line = line
		result.events = append(result.events, e)
		if i == len(lines)-1 {
			assert.NoError(t, json.Unmarshal([]byte(line), &result.outcome), line)
		}
	}
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("%s\nexit code %d\n%s\n%s\nthe model was asked %d times", cmd, result.exit, stdout.String(), result.stderr, len(result.asked))
		}
	})
	return result
}

// of returns the events of a type.
func (s turn) of(kind string) []event {
	var list []event
	for _, e := range s.events {
		if e.Type == kind {
			list = append(list, e)
		}
	}
	return list
}
