//go:build linux

package consoles

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/internal/testkit"
)

var given = flag.String("binary", "", "the program under test; empty: ripple, built from this module")

// rounds is how often RIPPLE_THOROUGH repeats a test that races or kills; by default it runs once.
const rounds = 100

// timeout is a generous time limit.
const timeout = time.Minute

func TestMain(m *testing.M) {
	os.Exit(testkit.Main(m, "python3"))
}

// ripple returns the path of the program under test.
var ripple = sync.OnceValues(func() (string, error) {
	if *given != "" {
		return filepath.Abs(*given)
	}
	return testkit.Binary()
})

// place is a user's home with consoles of its own.
type place struct {
	*testing.T
	dir  string
	env  []string
	mark string // in the environment of all processes started in it
}

var places atomic.Int64

func newPlace(t *testing.T) *place {
	t.Helper()
	dir, err := os.MkdirTemp("", "c") // a short path, because it holds sockets
	require.NoError(t, err)
	p := &place{T: t, dir: dir, mark: fmt.Sprintf("CONSOLES_TEST=%d-%d;", os.Getpid(), places.Add(1))}
	for _, name := range []string{"run", "home", "work"} {
		require.NoError(t, os.Mkdir(p.path(name), 0o700))
	}
	p.env = []string{
		p.mark, "PATH=" + os.Getenv("PATH"), "HOME=" + p.path("home"), "XDG_RUNTIME_DIR=" + p.path("run"), "TMPDIR=" + p.dir,
		"LANG=C.UTF-8", "GORACE=atexit_sleep_ms=20",
	}
	t.Cleanup(func() {
		p.closeAll()
		require.NoError(t, os.RemoveAll(dir))
	})
	return p
}

func (p *place) path(name string) string { return filepath.Join(p.dir, name) }

// closeAll ends every console and reports leftovers.
func (p *place) closeAll() {
	p.Helper()
	for _, pid := range p.left() {
		_ = syscall.Kill(pid, syscall.SIGCONT) // a failed test may have left it stopped
	}
	r := p.run("", "console", "close", "--all", "--kill")
	assert.Zero(p, r.code, "%s", r.err)
	p.requireNothingLeft()
}

// requireNothingLeft checks that no process, socket, lock or result exists.
func (p *place) requireNothingLeft() {
	p.Helper()
	p.eventually(func() bool { return len(p.left()) == 0 }, func() string { return "remaining processes: " + describe(p.left()) })
	p.eventually(func() bool { return len(p.files()) == 0 }, func() string { return fmt.Sprintf("remaining files: %q", p.files()) })
}

// files returns the files of consoles: sockets, locks, records, private directories.
func (p *place) files() []string {
	var found []string
	const withoutHome = "run/ripple/state" // directory of results without a home
	for _, dir := range []string{"run/ripple", withoutHome + "/consoles", "home/.local/state/ripple/consoles"} {
		entries, _ := os.ReadDir(p.path(dir)) // it may not exist
		for _, e := range entries {
			if file := filepath.Join(dir, e.Name()); file != withoutHome {
				found = append(found, p.path(file))
			}
		}
	}
	private, _ := filepath.Glob(p.path("ripple-*")) // the pattern is valid
	return append(found, private...)
}

// left returns the processes that were started in this place.
func (p *place) left() []int { return testkit.ProcessesWith(p.mark) }

// describe returns the command lines of processes.
func describe(pids []int) string {
	var all []string
	for _, pid := range pids {
		cmdline, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid)) // it may have ended
		all = append(all, fmt.Sprintf("%d %q", pid, bytes.ReplaceAll(cmdline, []byte{0}, []byte(" "))))
	}
	return strings.Join(all, ", ")
}

// eventually waits until a condition holds.
func (p *place) eventually(come func() bool, otherwise func() string) {
	p.Helper()
	end := time.Now().Add(timeout)
	for pause := 5 * time.Millisecond; !come(); pause = min(2*pause, 40*time.Millisecond) { // many conditions cost a process
		if time.Now().After(end) {
			require.FailNow(p, otherwise())
		}
		<-time.After(pause)
	}
}

// result is the result of a command.
type result struct {
	out, err string
	code     int
}

// command returns a command that runs ripple in this place.
func (p *place) command(args ...string) *exec.Cmd {
	p.Helper()
	path, err := ripple()
	require.NoError(p, err)
	cmd := exec.Command(path, args...)
	cmd.Dir, cmd.Env = p.path("work"), p.env
	return cmd
}

// run runs ripple to its end. Output goes to files: a pipe would wait for all processes that hold
// it open.
func (p *place) run(in string, args ...string) result {
	p.Helper()
	r, err := p.try(in, args...)
	require.NoError(p, err)
	return r
}

// try is run for goroutines, which must not end a test.
func (p *place) try(in string, args ...string) (result, error) {
	cmd := p.command(args...)
	cmd.Stdin = strings.NewReader(in)
	var files [2]*os.File
	for i := range files {
		f, err := os.CreateTemp(p.dir, "out")
		if err != nil {
			return result{}, err
		}
		defer func() { _ = f.Close(); _ = os.Remove(f.Name()) }()
		files[i] = f
	}
	cmd.Stdout, cmd.Stderr = files[0], files[1]
	if err := cmd.Start(); err != nil {
		return result{}, err
	}
	killer := time.AfterFunc(5*timeout, func() { _ = cmd.Process.Kill() }) // reported through its exit code
	defer killer.Stop()
	_ = cmd.Wait() // the state contains the exit code
	var text [2]string
	for i, f := range files {
		b, err := os.ReadFile(f.Name())
		if err != nil {
			return result{}, err
		}
		text[i] = string(b)
	}
	return result{text[0], text[1], cmd.ProcessState.ExitCode()}, nil
}

// ok runs ripple, which has to exit with 0, and returns its output.
func (p *place) ok(args ...string) string {
	p.Helper()
	r := p.run("", args...)
	require.Zero(p, r.code, "ripple %q: %s", args, r.err)
	return r.out
}

// start starts a console.
func (p *place) start(name string, args ...string) {
	p.Helper()
	// If the test is killed, the console ends by itself.
	require.Equal(p, name+"\n", p.ok(append([]string{"console", "start", "--name", name, "--idle-end", "30m"}, args...)...))
}

// exec runs code in a console.
func (p *place) exec(name, code string, flags ...string) result {
	p.Helper()
	return p.run("", append(append([]string{"console", "exec"}, flags...), name, "--", code)...)
}

// status is an entry of the list of consoles.
type status struct {
	Name, State, Cwd, Exit, Notice string
	Host                           int `json:"host_pid"`
	PID, Cols, Rows, Held          int
	Command                        *struct {
		ID       int
		ExitCode *int `json:"exit_code"`
		Bytes    int64
	}
}

func (p *place) list() []status {
	p.Helper()
	var all []status
	text := p.ok("console", "list", "--json")
	require.NoError(p, json.Unmarshal([]byte(text), &all), "%s", text)
	return all
}

// status returns a console's entry of the list.
func (p *place) status(name string) status {
	p.Helper()
	all := p.list()
	i := slices.IndexFunc(all, func(s status) bool { return s.Name == name })
	require.GreaterOrEqual(p, i, 0, "no console %s in %v", name, all)
	return all[i]
}

// until waits until a console has a state.
func (p *place) until(name, state string) status {
	p.Helper()
	var s status
	p.eventually(func() bool { s = p.status(name); return s.State == state }, func() string { return fmt.Sprintf("%s is not %s: %+v", name, state, s) })
	return s
}

// printed waits until the output of the latest command is exactly text.
func (p *place) printed(name, text string) {
	p.Helper()
	var r result
	p.eventually(func() bool { r = p.run("", "console", "read", name); return r.out == text }, func() string { return fmt.Sprintf("%+v", r) })
}

// server is a running `ripple mcp` and its client.
type server struct {
	*place
	cmd     *exec.Cmd
	session *sdk.ClientSession
}

func (p *place) server(args ...string) *server {
	p.Helper()
	s := &server{place: p, cmd: p.command(append([]string{"mcp"}, args...)...)}
	c := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil)
	var err error
	s.session, err = c.Connect(context.Background(), &sdk.CommandTransport{Command: s.cmd}, nil)
	require.NoError(p, err)
	p.Cleanup(func() { _ = s.session.Close() }) // a test may have killed it
	return s
}

type args = map[string]any

// call returns the text shown to a model.
func (s *server) call(tool string, a args) string {
	s.Helper()
	text, err := s.try(tool, a)
	require.NoError(s, err)
	return text
}

// try is call for goroutines.
func (s *server) try(tool string, a args) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 5*timeout)
	defer cancel()
	r, err := s.session.CallTool(ctx, &sdk.CallToolParams{Name: tool, Arguments: a})
	if err != nil {
		return "", err
	}
	text := r.Content[0].(*sdk.TextContent).Text
	if r.IsError {
		text = "error: " + text
	}
	return text, nil
}

// kill kills the server without warning.
func (s *server) kill() {
	s.Helper()
	require.NoError(s, s.cmd.Process.Kill())
}
