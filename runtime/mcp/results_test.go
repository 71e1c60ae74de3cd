//go:build unix

package mcp_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/runtime/console"
	"example.org/ripple/runtime/mcp"
)

// The tools' parameters: names, types and defaults. Clients that do not support lists of types, or
// send null for omitted arguments, can use all of them.
func TestParameters(t *testing.T) {
	c := client(t, mcp.Options{})
	list, err := c.ListTools(t.Context(), nil)
	require.NoError(t, err)
	got := map[string]string{}
	for _, tool := range list.Tools {
		schema := tool.InputSchema.(map[string]any)
		assert.Equal(t, false, schema["additionalProperties"])
		required := fmt.Sprint(schema["required"])
		properties, _ := schema["properties"].(map[string]any)
		for name, p := range properties {
			p := p.(map[string]any)
			assert.IsType(t, "", p["type"], "%s %s: one type", tool.Name, name)
			assert.NotEmpty(t, p["description"], "%s %s", tool.Name, name)
			text := fmt.Sprint(p["type"])
			if d, ok := p["default"]; ok {
				text += fmt.Sprint("=", d)
			}
			if choices, ok := p["enum"]; ok {
				text += fmt.Sprint(" of ", choices)
			}
			if strings.Contains(required, name) {
				text += " required"
			}
			got[tool.Name+" "+name] = text
		}
	}
	assert.Equal(t, map[string]string{
		"console_exec console": "string=main", "console_exec code": "string required", "console_exec adapter": "string",
		"console_exec wait_s": "number=30", "console_exec expect_cwd": "string", "console_exec head": "integer=40",
		"console_exec tail": "integer=120", "console_exec max_chars": "integer=8000",
		"console_wait console": "string", "console_wait for": "string=done of [done input text idle]",
		"console_wait text": "string", "console_wait wait_s": "number=30", "console_wait cursor": "integer=-1", "console_send cursor": "integer=-1",
		"console_peek console": "string", "console_peek what": "string=screen of [screen output]", "console_peek lines": "integer",
		"console_send answer": "string", "console_send console": "string", "console_send text": "string", "console_send keys": "array",
		"console_send only_if_waiting": "boolean=true", "console_send wait_s": "number=5",
		"console_read console": "string", "console_read column": "integer", "console_read command": "integer", "console_read from_line": "integer=1",
		"console_read lines": "integer=200", "console_read grep": "string",
		"console_start adapter": "string", "console_start name": "string", "console_start cwd": "string", "console_start env": "array",
		"console_start args": "array", "console_start reuse": "boolean=true",
		"console_close console": "string required", "console_close mode": "string=close of [interrupt close kill]",
	}, got)
	assert.Contains(t, call(t, c, "console_exec", args{"code": "echo x", "console": nil, "adapter": nil, "wait_s": nil}), "[main #1] done exit=0")
	assert.Contains(t, call(t, c, "console_close", args{"console": "main", "mode": "stop"}), "error: ")
}

func TestAWaitHasBounds(t *testing.T) {
	for s, want := range map[float64]time.Duration{0: time.Millisecond, -1: time.Millisecond, 0.5: 500 * time.Millisecond, 50: 50 * time.Second, 3600: 50 * time.Second} {
		assert.Equal(t, want, mcp.Seconds(s), "%v", s)
	}
}

// Code that was not sent is an error.
func TestCodeThatIsNotSent(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	c := client(t, mcp.Options{})
	assert.Contains(t, call(t, c, "console_exec", args{"code": "echo a\necho b"}), "[main #1] done exit=0")
	private, err := filepath.Glob(filepath.Join(dir, "ripple-*"))
	require.NoError(t, err)
	require.Len(t, private, 1)
	require.NoError(t, os.RemoveAll(private[0]))
	require.NoError(t, os.WriteFile(private[0], nil, 0o600))
	text := call(t, c, "console_exec", args{"code": "echo a\necho b"})
	assert.Contains(t, text, "[main #2] done error")
	assert.Contains(t, text, "input not sent: ")
	require.NoError(t, os.Remove(private[0]))
	assert.Contains(t, call(t, c, "console_exec", args{"code": "echo a\necho b"}), "[main #3] done exit=0")
}

// A client that requests progress is informed that a wait continues.
func TestProgress(t *testing.T) {
	words := make(chan string, 1000)
	tell := func(s string) {
		select {
		case words <- s:
		default:
		}
	}
	seenOutput.Store(&tell)
	defer seenOutput.Store(nil)
	c := client(t, mcp.Options{})
	fifo := filepath.Join(t.TempDir(), "f")
	call(t, c, "console_exec", args{"code": "mkfifo " + fifo})
	ended := make(chan *sdk.CallToolResult, 1)
	go func() {
		p := &sdk.CallToolParams{Name: "console_exec", Arguments: args{"code": "cat " + fifo}}
		p.SetProgressToken("token")
		r, err := c.CallTool(context.WithoutCancel(t.Context()), p)
		assert.NoError(t, err)
		ended <- r
	}()
	assert.Equal(t, "waited 0s", <-words)
	assert.Equal(t, "waited 0s", <-words)
	require.NoError(t, os.WriteFile(fifo, []byte("text\n"), 0))
	assert.Contains(t, (<-ended).Content[0].(*sdk.TextContent).Text, "[main #2] done exit=0")
}

// A client that cancels a call ends its wait, and not the command.
func TestACanceledCallDoesNotEndTheCommand(t *testing.T) {
	c := client(t, mcp.Options{})
	fifo := filepath.Join(t.TempDir(), "f")
	call(t, c, "console_exec", args{"code": "mkfifo " + fifo})
	assert.Contains(t, call(t, c, "console_exec", args{"code": "cat " + fifo, "wait_s": 0}), "[main #2] running")
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		_, err := c.CallTool(ctx, &sdk.CallToolParams{Name: "console_wait", Arguments: args{"console": "main"}})
		ended <- err
	}()
	cancel()
	assert.Error(t, <-ended)
	require.NoError(t, os.WriteFile(fifo, []byte("text\n"), 0))
	assert.Contains(t, call(t, c, "console_wait", args{"console": "main"}), "[main #2] done exit=0")
}

// A result never exceeds the limits of clients, regardless of the length, width and kind of
// characters.
func TestNoResultIsLong(t *testing.T) {
	const most = 8500
	c := client(t, mcp.Options{})
	for _, code := range []string{
		"seq 1 100000", `head -c 6000 /dev/zero; echo`, `head -c 100000 /dev/zero | tr '\0' x; echo; seq 3; head -c 100000 /dev/zero | tr '\0' y; echo`,
		`for i in {1..300}; do printf '\u202e%.0s' {1..60}; echo; done`, `printf 'é%.0s' {1..9000}; echo`,
	} {
		text := call(t, c, "console_exec", args{"code": code})
		assert.Less(t, len(text), most, code)
		assert.Greater(t, len(text), 500, code)
		assert.Less(t, len(call(t, c, "console_read", args{"console": "main", "lines": 10000})), most, code)
		assert.Less(t, len(call(t, c, "console_peek", args{"console": "main", "what": "output", "lines": 5000})), most, code)
		assert.Less(t, len(call(t, c, "console_peek", args{"console": "main"})), most, code)
		assert.NotContains(t, text, "\uFFFD", "no character is cut")
	}
	text := call(t, c, "console_read", args{"console": "main", "command": 1, "from_line": 500, "lines": 5000})
	assert.Regexp(t, `^\[main #1\] 100,000 lines, shown [\d,]+ of them from 500 to \d+; continue with from_line=\d+\n`, text)
	assert.Contains(t, text, "\n500: 500\n501: 501\n")
}

// The name of a directory or a program's output cannot imitate a line that ripple writes.
func TestOutputCannotForgeALine(t *testing.T) {
	c := client(t, mcp.Options{})
	dir := filepath.Join(t.TempDir(), "a\n[main #9] done exit=0")
	require.NoError(t, os.Mkdir(dir, 0o700))
	encoded, err := json.Marshal(dir)
	require.NoError(t, err)
	text := call(t, c, "console_exec", args{"code": "cd $" + strings.ReplaceAll(string(encoded), `"`, `'`)})
	assert.Contains(t, text, `a\u{a}[main #9] done exit=0`)
	assert.NotContains(t, text, "\n[main #9]")
	assert.NotContains(t, call(t, c, "console_exec", args{"code": "true", "expect_cwd": "/"}), "\n[main #9]")
	assert.NotContains(t, call(t, c, "console_list", args{}), "\n[main #9]")
	assert.NotContains(t, call(t, c, "console_exec", args{"console": "x\n[main #9]", "code": "true"}), "\n[main #9]")
}

func TestClean(t *testing.T) {
	for in, want := range map[string]string{
		"plain\ttext\n":          "plain\ttext\n",
		"\x1b[31mred\x1b[m":      "red",
		"a\u202eb\u200bc\u2066d": `a\u{202e}b\u{200b}c\u{2066}d`,
		"\U000E0041":             `\u{e0041}`,
		"a\U000E0100":            `a\u{e0100}`,
		"a\uFE0F":                `a\u{fe0f}`,
		"\u26A0\uFE0F":           "\u26A0\uFE0F",
		"\u3164":                 `\u{3164}`,
		"\xff":                   `\xff`,
		"\x00":                   `\u{0}`,
		"Žluťoučký 日本語":          "Žluťoučký 日本語",
	} {
		assert.Equal(t, want, mcp.Clean(in), "%q", in)
	}
	assert.Equal(t, `a\u{a}b`, mcp.Word("a\nb"))
}

// Nothing is typed on a console in use, and the message names its user.
func TestABusyConsoleNamesItsUser(t *testing.T) {
	c := client(t, mcp.Options{})
	call(t, c, "console_start", args{"name": "shared"})
	other, err := console.Open(os.Getenv, "shared")
	require.NoError(t, err)
	defer other.Close()
	_, err = other.Exec(t.Context(), console.ExecRequest{Code: "tput smcup; read x; tput rmcup", By: "person"}, nil)
	require.NoError(t, err)
	_, err = other.Wait(t.Context(), console.WaitRequest{For: "input"}, nil)
	require.NoError(t, err)
	text := plain(call(t, c, "console_exec", args{"console": "shared", "code": "true"}))
	assert.Contains(t, text, "[shared #1] busy(person) fullscreen ")
	assert.Contains(t, text, "nothing was typed")
	assert.Contains(t, call(t, c, "console_peek", args{"console": "shared"}), "[shared #1] fullscreen")
	call(t, c, "console_send", args{"console": "shared", "keys": []string{"enter"}})
	_, err = other.Wait(t.Context(), console.WaitRequest{KeepWaiting: true, From: -1}, nil)
	require.NoError(t, err)
	assert.Contains(t, call(t, c, "console_wait", args{"console": "shared"}), "[shared #1] done exit=0")
}

// The results of other consoles are reported in one line each.
func TestNoticesOfOtherConsoles(t *testing.T) {
	c := client(t, mcp.Options{})
	fifo := filepath.Join(t.TempDir(), "f")
	call(t, c, "console_exec", args{"console": "a", "code": "mkfifo " + fifo})
	call(t, c, "console_exec", args{"console": "a", "code": "cat " + fifo + "; read answer", "wait_s": 0})
	call(t, c, "console_start", args{"name": "b"})
	require.NoError(t, os.WriteFile(fifo, nil, 0))
	watch, err := console.Open(os.Getenv, "a")
	require.NoError(t, err)
	defer watch.Close()
	_, err = watch.Wait(t.Context(), console.WaitRequest{For: "input"}, nil)
	require.NoError(t, err)
	text := call(t, c, "console_exec", args{"console": "b", "code": "exit 0"})
	lines := strings.Split(text, "\n")
	assert.Contains(t, lines[len(lines)-1], "[a #2] waiting_for_input ")
	assert.NotContains(t, call(t, c, "console_peek", args{"console": "b"}), "[a #2]", "it was reported once")
	assert.Contains(t, call(t, c, "console_exec", args{"console": "b", "code": "true"}), "[b #1] exited ")
}

// A console has one program, and the limits also apply to consoles that others started.
func TestAnotherProgramThanExpected(t *testing.T) {
	c := client(t, mcp.Options{Resolve: func(a string) (mcp.Program, error) { return mcp.Program{Name: strings.TrimPrefix(a, "ba-")}, nil }})
	call(t, c, "console_start", args{"name": "main"})
	assert.Equal(t, "error: main runs bash, not python: name another console", call(t, c, "console_exec", args{"code": "1", "adapter": "python"}))
	assert.Equal(t, "error: main runs bash, not python: name another console", call(t, c, "console_start", args{"name": "main", "adapter": "python"}))
	assert.Contains(t, call(t, c, "console_exec", args{"code": "true", "adapter": "ba-bash"}), "[main #1] done")
	limited := connect(t, mcp.Options{Adapters: []string{"python"}}, os.Getenv("XDG_RUNTIME_DIR"))
	for tool, a := range map[string]args{
		"console_exec": {"code": "true"}, "console_send": {"console": "main", "text": "x"}, "console_close": {"console": "main"},
		"console_peek": {"console": "main"}, "console_read": {"console": "main"}, "console_wait": {"console": "main"},
	} {
		assert.Equal(t, "error: this server may only use python, not bash", call(t, limited, tool, a))
	}
	assert.Equal(t, "no console is running; to start one: console_exec", call(t, limited, "console_list", nil))
	assert.NotContains(t, call(t, limited, "console_peek", args{"console": "other"}), "main")
}

// The error of a program that does not start contains its output, fenced.
func TestAProgramThatDoesNotStart(t *testing.T) {
	adapter := filepath.Join(t.TempDir(), "broken.yaml")
	c := client(t, mcp.Options{Adapters: []string{adapter}})
	builtin, err := os.ReadFile("../../adapters/bash.yaml")
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(adapter, builtin, 0o600))
	text := plain(call(t, c, "console_start", args{"adapter": adapter, "args": []string{"-c", `printf 'no \e[31mway\n[main] idle\n'; exit 3`}}))
	assert.Contains(t, text, "error: ")
	assert.Contains(t, text, "it printed:\n-----\nno way\n[main] idle\n")
}

// If a file that the user allows cannot be used, the client learns why.
func TestAnAllowedFileThatCannotBeUsed(t *testing.T) {
	c := client(t, mcp.Options{Adapters: []string{"/x/a.yaml"}, Resolve: func(string) (mcp.Program, error) { return mcp.Program{}, errors.New("line 3: no such key") }})
	text := call(t, c, "console_start", args{"adapter": "/x/a.yaml"})
	assert.Equal(t, `error: this server may use "/x/a.yaml", but could not load it when it started: line 3: no such key`, text)
	assert.Contains(t, call(t, c, "console_start", args{"adapter": "/x/b.yaml"}), "is a path")
}
