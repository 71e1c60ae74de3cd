//go:build unix

package mcp_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/internal/testkit"
	"example.org/ripple/runtime/console"
	"example.org/ripple/runtime/mcp"
	"example.org/ripple/runtime/proctree"
	_ "example.org/ripple/schema/validate" // adapters are read from files
)

// The test binary also runs as the consoles' host.
const hostMark = "MCP_TEST_HOST"

func TestMain(m *testing.M) {
	if os.Getenv(hostMark) == "" {
		os.Exit(testkit.Main(m))
	}
	os.Exit(proctree.Guard(func() int {
		if console.Serve(context.Background(), console.HostOptions{Version: "test", Getenv: os.Getenv, In: os.Stdin, Ready: os.Stdout}) != nil {
			return 1
		}
		return 0
	}))
}

// client connects the official client to a ripple server through pipes.
func client(t *testing.T, o mcp.Options) *sdk.ClientSession {
	t.Helper()
	dir, err := os.MkdirTemp("", "mcp") // a short path, because it holds sockets
	require.NoError(t, err)
	for name, value := range map[string]string{"XDG_RUNTIME_DIR": dir, "XDG_STATE_HOME": filepath.Join(dir, "state"), "HOME": dir, hostMark: "1"} {
		t.Setenv(name, value)
	}
	return connect(t, o, dir)
}

// connect is client with the consoles of an existing directory.
func connect(t *testing.T, o mcp.Options, dir string) *sdk.ClientSession {
	t.Helper()
	o.Version, o.Adapter, o.HostCommand, o.Getenv = "test", "bash", []string{os.Args[0]}, os.Getenv
	if o.Dir == "" {
		o.Dir = "/"
	}
	fromClient, toServer := io.Pipe()
	fromServer, toClient := io.Pipe()
	served := make(chan error, 1)
	server := mcp.New(o)
	server.SetProgressEvery(time.Millisecond)
	go func() { served <- server.ServeStdio(context.Background(), fromClient, toClient) }()
	progress := func(_ context.Context, r *sdk.ProgressNotificationClientRequest) {
		if f := seenOutput.Load(); f != nil {
			(*f)(r.Params.Message)
		}
	}
	c := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, &sdk.ClientOptions{ProgressNotificationHandler: progress})
	session, err := c.Connect(t.Context(), &sdk.IOTransport{Reader: fromServer, Writer: toServer}, nil)
	require.NoError(t, err)
	t.Cleanup(func() {
		assert.NoError(t, session.Close())
		assert.NoError(t, <-served)
		all, err := console.List(context.Background(), os.Getenv)
		assert.NoError(t, err)
		for _, s := range all {
			c, err := console.Open(os.Getenv, s.Name)
			if assert.NoError(t, err) {
				assert.NoError(t, c.End(context.Background(), true))
				c.Close()
			}
		}
		assert.NoError(t, os.RemoveAll(dir))
	})
	return session
}

// seenOutput is called with the progress messages that the client receives.
var seenOutput atomic.Pointer[func(string)]

type args = map[string]any

// call returns the text of an answer, which is all that the model sees.
func call(t *testing.T, c *sdk.ClientSession, tool string, a args) string {
	t.Helper()
	r, err := c.CallTool(t.Context(), &sdk.CallToolParams{Name: tool, Arguments: a})
	require.NoError(t, err)
	require.Nil(t, r.StructuredContent, "some clients show nothing else if it is present")
	require.Len(t, r.Content, 1)
	text := r.Content[0].(*sdk.TextContent).Text
	if r.IsError {
		return "error: " + text
	}
	return text
}

// plain replaces the parts of an answer that differ between runs.
func plain(text string) string {
	text = regexp.MustCompile(`----- \w{10}`).ReplaceAllString(text, "-----")
	return regexp.MustCompile(` \d+(\.\d+)?(µs|ms|s)\b`).ReplaceAllString(text, " TIME")
}

func TestTools(t *testing.T) {
	c := client(t, mcp.Options{})
	list, err := c.ListTools(t.Context(), nil)
	require.NoError(t, err)
	var got []string
	for _, tool := range list.Tools {
		h := tool.Annotations
		got = append(got, fmt.Sprintf("%s read-only=%t destructive=%t open=%t", tool.Name, h.ReadOnlyHint, *h.DestructiveHint, *h.OpenWorldHint))
		assert.Nil(t, tool.OutputSchema)
		assert.NotEmpty(t, tool.Description)
	}
	assert.Equal(t, []string{
		"console_close read-only=false destructive=true open=false",
		"console_exec read-only=false destructive=true open=true",
		"console_list read-only=true destructive=false open=false",
		"console_peek read-only=true destructive=false open=false",
		"console_read read-only=true destructive=false open=false",
		"console_send read-only=false destructive=true open=true",
		"console_start read-only=false destructive=false open=true",
		"console_wait read-only=true destructive=false open=false",
	}, got)
}

func TestASessionOfAModel(t *testing.T) {
	c := client(t, mcp.Options{})
	for _, step := range []struct {
		tool string
		args args
		want string
	}{
		{"console_list", args{}, "no console is running; to start one: console_exec"},
		{"console_exec", args{"code": "cd /usr; echo one; (exit 3)"}, "[main #1] done exit=3 cwd=/usr TIME 1 line/4 B\n-----\none\n-----"},
		{"console_exec", args{"code": "x=5"}, "[main #2] done exit=0 cwd=/usr TIME 0 lines/0 B"},
		{"console_exec", args{"code": `printf '\e[31mred\e[m \u202e\n'`}, "[main #3] done exit=0 cwd=/usr TIME 1 line/16 B\n-----\nred \\u{202e}\n-----"},
		{"console_exec", args{"code": "rm x", "expect_cwd": "/tmp"}, "refused: main: the program is in /usr, not in /tmp; nothing was typed\n[main #3] done exit=0 TIME 1 line/16 B"},
		{"console_exec", args{"code": "read -p 'sure? ' a; echo $a$x"}, "[main #4] waiting_for_input cwd=/usr TIME 1 line/6 B, cursor=6\n-----\nsure? \n-----"},
		{"console_exec", args{"code": "echo busy"}, "refused: main: command 4 of test is still running: wait for it, send it input, or interrupt it; nothing was typed\n[main #4] busy(test) waiting_for_input TIME 1 line/6 B"},
		{"console_send", args{"console": "main", "text": "yes", "keys": []string{"enter"}}, "[main #4] done exit=0 cwd=/usr TIME 1 line/11 B, new since byte 6\n-----\nyes5\n-----"},
		{"console_send", args{"console": "main", "text": "more"}, "refused: main: no command is running that could read it: run it as code instead; nothing was typed\n[main #4] done exit=0 TIME 1 line/11 B"},
		{"console_start", args{"adapter": "bash", "name": "other"}, "[other] idle cwd=/"},
		{"console_exec", args{"console": "other", "code": "exit 7"}, "[other #1] exited (the program ended with exit code 7) exit=7 TIME 1 line/5 B\n-----\nexit\n-----"},
		{"console_exec", args{"console": "other", "code": "true"}, "refused: other: the program ended with exit code 7; to read the output of its commands: console_read; to remove it: console_close; nothing was typed\n[other #1] exited (the program ended with exit code 7) exit=7 TIME 1 line/5 B"},
		{"console_start", args{"adapter": "bash", "name": "other"}, "refused: other: the program ended with exit code 7; to read the output of its commands: console_read; to remove it: console_close; nothing was typed\n[other #1] exited (the program ended with exit code 7) exit=7 TIME 1 line/5 B"},
		{"console_exec", args{"console": "main", "code": "true", "adapter": "python"}, "error: main runs bash, not python: name another console"},
		{"console_read", args{"console": "main", "command": 1}, "[main #1] 1 line, shown 1 of them from 1 to 1\n-----\n1: one\n-----"},
		{"console_close", args{"console": "other"}, "[other] closed"},
		{"console_close", args{"console": "other"}, `error: no console is named "other"; running: main`},
	} {
		got := plain(call(t, c, step.tool, step.args))
		assert.Equal(t, step.want, got, "%s %v", step.tool, step.args)
	}
}

// Keys have the same names as for ripple console send; an unknown one is answered with the list, and nothing is typed.
func TestNamesOfKeys(t *testing.T) {
	c := client(t, mcp.Options{})
	for _, tt := range []struct {
		keys []string
		want string // as od prints it
	}{
		{[]string{"S-Tab"}, "1b 5b 5a"},
		{[]string{"shift+tab"}, "1b 5b 5a"},
		{[]string{"BTab"}, "1b 5b 5a"},
		{[]string{"C-Left", "ctrl+left"}, "1b 5b 31 3b 35 44 1b 5b 31 3b 35 44"},
		{[]string{"C-Space", "S-Enter", "M-x"}, "00 0d 1b 78"},
	} {
		code := fmt.Sprintf("stty raw -echo; head -c %d | od -An -tx1; stty sane", (len(tt.want)+1)/3)
		assert.Contains(t, call(t, c, "console_exec", args{"code": code}), "waiting_for_input", tt.keys)
		unknown := call(t, c, "console_send", args{"console": "main", "keys": []string{tt.keys[0], "hyper-x"}})
		assert.Regexp(t, `^error: .*hyper-x.*backtab`, unknown)
		got := call(t, c, "console_send", args{"console": "main", "keys": tt.keys})
		assert.Contains(t, got, "done exit=0", tt.keys)
		assert.Contains(t, got, "\n "+tt.want+"\n", tt.keys)
	}
}

// The output of a console whose host was killed is kept when the next command runs.
func TestAHostThatWasKilled(t *testing.T) {
	c := client(t, mcp.Options{})
	call(t, c, "console_exec", args{"code": "echo one"})
	main, err := console.Open(os.Getenv, "main")
	require.NoError(t, err)
	require.NoError(t, syscall.Kill(main.RecordedStatus.HostPID, syscall.SIGKILL))
	killed := func() bool {
		all, err := console.List(t.Context(), os.Getenv)
		return assert.NoError(t, err) && len(all) == 1 && all[0].State == console.Dead
	}
	require.Eventually(t, killed, testkit.Patience(30*time.Second), 10*time.Millisecond)
	assert.Equal(t, "refused: main: its host was killed; to read the output of its commands: console_read; to remove it: console_close; nothing was typed",
		call(t, c, "console_exec", args{"code": "echo two"}))
	assert.Contains(t, call(t, c, "console_read", args{"console": "main"}), "1: one")
	assert.Equal(t, "[main] closed", call(t, c, "console_close", args{"console": "main"}))
	assert.Contains(t, call(t, c, "console_exec", args{"code": "echo three"}), "[main #1] done exit=0")
}

func TestLongOutputIsShownInPart(t *testing.T) {
	c := client(t, mcp.Options{})
	text := call(t, c, "console_exec", args{"code": "seq 1 5000"})
	assert.Contains(t, text, ", shown 1–40 + last 120; console_read command=1\n")
	assert.Contains(t, text, "\n40\n… 4,840 lines left out …\n4881\n")
	text = call(t, c, "console_exec", args{"code": "seq 1 5000", "head": 2, "tail": 3})
	assert.Contains(t, text, ", shown 1–2 + last 3; console_read command=2\n"+regexp.MustCompile("----- .*").FindString(text)+"\n1\n2\n… 4,995 lines left out …\n4998\n4999\n5000\n-----")
	text = call(t, c, "console_exec", args{"code": `printf 'x%.0s' {1..200000}; echo`})
	assert.Less(t, len(text), 8500)
	assert.Contains(t, text, "bytes left out")
	text = call(t, c, "console_read", args{"console": "main", "command": 1, "grep": "^123$"})
	assert.Contains(t, text, "\n123: 123\n")
}

func TestOneWaitForAnyConsole(t *testing.T) {
	c := client(t, mcp.Options{})
	dir := t.TempDir()
	call(t, c, "console_exec", args{"console": "a", "code": "mkfifo " + dir + "/f; mkfifo " + dir + "/g"})
	assert.Contains(t, call(t, c, "console_exec", args{"console": "a", "code": "cat " + dir + "/f", "wait_s": 0.05}), "running")
	assert.Contains(t, call(t, c, "console_exec", args{"console": "b", "code": "cat " + dir + "/g", "wait_s": 0.05}), "running")
	require.NoError(t, os.WriteFile(dir+"/g", []byte("text\n"), 0))
	assert.Equal(t, "[b #1] done exit=0 cwd=/ TIME 1 line/5 B\n-----\ntext\n-----", plain(call(t, c, "console_wait", args{"console": "any"})))
	require.NoError(t, os.WriteFile(dir+"/f", nil, 0))
	assert.Contains(t, call(t, c, "console_wait", args{"console": "a"}), "[a #2] done exit=0")
}

func TestLimitsOfAServer(t *testing.T) {
	t.Run("look only", func(t *testing.T) {
		c := client(t, mcp.Options{ReadOnly: true})
		list, err := c.ListTools(t.Context(), nil)
		require.NoError(t, err)
		assert.Len(t, list.Tools, 4)
		for _, tool := range list.Tools {
			assert.True(t, tool.Annotations.ReadOnlyHint)
		}
		_, err = c.CallTool(t.Context(), &sdk.CallToolParams{Name: "console_exec", Arguments: args{"code": "true"}})
		assert.Error(t, err)
		assert.Equal(t, "no console is running, and this server cannot start one", call(t, c, "console_list", nil))
	})
	t.Run("some adapters", func(t *testing.T) {
		c := client(t, mcp.Options{Adapters: []string{"python", "node"}})
		assert.Equal(t, "error: this server may only use python, node, not bash", call(t, c, "console_exec", args{"code": "true"}))
		assert.Equal(t, "error: this server may only use python, node, not bash", call(t, c, "console_start", args{"adapter": "bash"}))
	})
	t.Run("one directory", func(t *testing.T) {
		dir := t.TempDir()
		require.NoError(t, os.Symlink("/", filepath.Join(dir, "out")))
		require.NoError(t, os.Mkdir(filepath.Join(dir, "in"), 0o700))
		c := client(t, mcp.Options{Dir: dir, Confined: true})
		for _, outside := range []string{"/", "..", "out", "in/../.."} {
			assert.Contains(t, call(t, c, "console_start", args{"cwd": outside}), "error: this server starts consoles in "+dir+" and below, not in ", outside)
		}
		assert.Contains(t, call(t, c, "console_start", args{"cwd": "in"}), "[bash-1] idle cwd="+dir+"/in")
	})
}

func TestOverHTTP(t *testing.T) {
	handler := mcp.New(mcp.Options{Getenv: os.Getenv}).Handler("secret")
	server := httptest.NewServer(handler)
	defer server.Close()
	for _, tt := range []struct {
		name, host, origin, auth string
		want                     int
	}{
		{"no token", "", "", "", http.StatusUnauthorized},
		{"another token", "", "", "Bearer guess", http.StatusUnauthorized},
		{"a name that resolves to this machine", "evil.example", "", "Bearer secret", http.StatusForbidden},
		{"a page of another origin", "", "https://evil.example", "Bearer secret", http.StatusForbidden},
		{"a page of another program on this machine", "", "http://localhost:3000", "Bearer secret", http.StatusForbidden},
		{"a local file in a browser", "", "file://localhost", "Bearer secret", http.StatusForbidden},
		{"a page without an origin", "", "null", "Bearer secret", http.StatusForbidden},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, server.URL, strings.NewReader("{}"))
			require.NoError(t, err)
			if tt.host != "" {
				r.Host = tt.host
			}
			r.Header.Set("Origin", tt.origin)
			r.Header.Set("Authorization", tt.auth)
			resp, err := http.DefaultClient.Do(r)
			require.NoError(t, err)
			require.NoError(t, resp.Body.Close())
			assert.Equal(t, tt.want, resp.StatusCode)
		})
	}
	transport := &sdk.StreamableClientTransport{Endpoint: server.URL, HTTPClient: &http.Client{Transport: bearer{}}}
	c, err := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), transport, nil)
	require.NoError(t, err)
	list, err := c.ListTools(t.Context(), nil)
	require.NoError(t, err)
	assert.Len(t, list.Tools, 8)
	require.NoError(t, c.Close())

	_, err = mcp.Listen("0.0.0.0:0")
	assert.ErrorContains(t, err, "is not a loopback address")
}

type bearer struct{}

func (bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r.Header.Set("Authorization", "Bearer secret")
	return http.DefaultTransport.RoundTrip(r)
}

// The SDK sees the end of input only after all pending calls have been answered.
func TestTheEndOfInputLosesNoAnswer(t *testing.T) {
	for range 20 {
		in := strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized","params":{}}
{"jsonrpc":"2.0","id":2,"method":"tools/list","params":{}}
`)
		var out strings.Builder
		require.NoError(t, mcp.New(mcp.Options{Getenv: os.Getenv}).ServeStdio(t.Context(), io.NopCloser(in), closer{&out}))
		require.Contains(t, out.String(), `"id":2`)
	}
}

type closer struct{ io.Writer }

func (closer) Close() error { return nil }

// A stopped program is named, with what continues it, and gets no text.
func TestStoppedProgram(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux reports stopped programs")
	}
	c := client(t, mcp.Options{})
	const stopped = `stopped \(process \d+, bash; to continue it: kill -CONT \d+\)`
	assert.Regexp(t, stopped, call(t, c, "console_exec", args{"console": "a", "adapter": "bash", "code": "kill -STOP $$; echo after"}))
	assert.Regexp(t, stopped, call(t, c, "console_list", args{}))
	assert.Regexp(t, stopped, call(t, c, "console_peek", args{"console": "a"}))
	refused := call(t, c, "console_send", args{"console": "a", "text": "hunter2"})
	require.Regexp(t, `^error: a: the program is stopped \(process \d+, bash\); to continue it: kill -CONT \d+`, refused)
	pid, err := strconv.Atoi(regexp.MustCompile(`-CONT (\d+)`).FindStringSubmatch(refused)[1])
	require.NoError(t, err)
	p, err := os.FindProcess(pid)
	require.NoError(t, err)
	require.NoError(t, p.Signal(syscall.SIGCONT))
	assert.Contains(t, call(t, c, "console_wait", args{"console": "a"}), "after")
}
