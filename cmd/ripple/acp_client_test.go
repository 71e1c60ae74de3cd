//go:build linux

package main

import (
	"bufio"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/internal/scenario"
)

// editor is a client of the Agent Client Protocol that has started ripple acp in a project of its
// own.
type editor struct {
	t       *testing.T
	cmd     *exec.Cmd
	in      io.WriteCloser
	from    chan acpMessage
	mark    string
	project string
	session string
	next    int
	choose  func(acpMessage) string // returns an option's ID; empty: dismissed. nil: no question expected
	asked   []acpMessage
	updates []acpUpdate
	stops   *awaited // its standard error: the loop has received an interrupt
}

type acpMessage struct {
	ID     json.RawMessage
	Method string
	Params struct {
		SessionID string
		RequestID json.RawMessage
		Update    acpUpdate
		ToolCall  acpUpdate
		Options   []struct{ OptionID, Name, Kind string }
	}
	Result json.RawMessage
	Error  *struct {
		Code    int
		Message string
	}
}

type acpUpdate struct {
	SessionUpdate, ToolCallID, Title, Kind, Status string

	Entries   []struct{ Content, Status string }
	Locations []struct{ Path string }

	Content json.RawMessage
	Cost    struct{ Amount float64 }
	Used    int
}

// text returns the text of the update's content.
func (u acpUpdate) text() string {
	var one struct{ Text string }
	if json.Unmarshal(u.Content, &one) == nil {
		return one.Text
	}
	var list []struct{ Content struct{ Text string } }
	var b strings.Builder
	_ = json.Unmarshal(u.Content, &list) // the content may be absent
	for _, c := range list {
		b.WriteString(c.Content.Text)
	}
	return b.String()
}

// acpBound is a generous time limit.
const acpBound = time.Minute

// openEditor starts ripple acp in a new project with the given files.
func openEditor(t *testing.T, play string, files map[string]string, args ...string) *editor {
	t.Helper()
	home := t.TempDir()
	project := filepath.Join(home, "project")
	require.NoError(t, os.MkdirAll(filepath.Join(project, ".ralph"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(home, "scenario.yaml"), []byte(play), 0o600))
	for name, text := range files {
		require.NoError(t, os.WriteFile(filepath.Join(project, name), []byte(text), 0o600))
	}
	mark := "RIPPLE_TEST=acp" + strconv.Itoa(os.Getpid()) + filepath.Base(filepath.Dir(home)) + filepath.Base(home)
	return openEditorIn(t, home, mark, args...)
}

// openEditorIn starts another editor with the project in home.
func openEditorIn(t *testing.T, home, mark string, args ...string) *editor {
	t.Helper()
	e := &editor{t: t, project: filepath.Join(home, "project"), mark: mark}
	path, err := binary()
	require.NoError(t, err)
	e.cmd = exec.Command(path, append([]string{"acp", "--adapter", "rehearsal"}, args...)...)
	e.cmd.Dir, e.cmd.SysProcAttr = home, &syscall.SysProcAttr{Setpgid: true}
	e.cmd.Env = append(os.Environ(), e.mark, "HOME="+home, "TMPDIR="+t.TempDir(), scenario.FileVariable+"="+filepath.Join(home, "scenario.yaml"), "MAX_CALLS_PER_HOUR=100000")
	e.start()
	return e
}

// start starts the command of an editor.
func (e *editor) start() {
	e.t.Helper()
	t := e.t
	var err error
	e.in, err = e.cmd.StdinPipe()
	require.NoError(t, err)
	out, err := e.cmd.StdoutPipe()
	require.NoError(t, err)
	e.stops = &awaited{text: []byte("the loop ends after this turn"), came: make(chan struct{})}
	e.cmd.Stderr = e.stops
	require.NoError(t, e.cmd.Start())
	e.from = make(chan acpMessage, 10_000)
	read := make(chan struct{})
	go func() {
		defer close(read)
		defer close(e.from)
		lines := bufio.NewScanner(out)
		lines.Buffer(nil, 64<<20)
		for lines.Scan() {
			var m acpMessage
			assert.NoError(t, json.Unmarshal(lines.Bytes(), &m), lines.Text())
			e.from <- m
		}
	}()
	t.Cleanup(func() {
		_ = e.in.Close()                                                     // it may be closed already
		end := time.AfterFunc(acpBound, func() { _ = e.cmd.Process.Kill() }) // the remaining processes are reported below
		<-read
		_ = e.cmd.Wait() // it may have been killed
		end.Stop()
		e.nothingLeft()
	})
}

// beginSession returns an editor with a session.
func beginSession(t *testing.T, play string, files map[string]string, args ...string) *editor {
	t.Helper()
	e := openEditor(t, play, files, args...)
	e.call("initialize", map[string]any{"protocolVersion": 1})
	e.session = field(t, e.call("session/new", e.place()).Result, "sessionId").(string)
	return e
}

func (e *editor) place() map[string]any {
	return map[string]any{"cwd": e.project, "mcpServers": []any{}}
}

func field(t *testing.T, data json.RawMessage, name string) any {
	t.Helper()
	var v map[string]any
	require.NoError(t, json.Unmarshal(data, &v), "%s", data)
	return v[name]
}

func (e *editor) write(line string) {
	e.t.Helper()
	_, err := io.WriteString(e.in, line+"\n")
	require.NoError(e.t, err)
}

func (e *editor) send(v map[string]any) {
	e.t.Helper()
	v["jsonrpc"] = "2.0"
	b, err := json.Marshal(v)
	require.NoError(e.t, err)
	e.write(string(b))
}

func (e *editor) begin(method string, params any) (id string) {
	e.t.Helper()
	e.next++
	e.send(map[string]any{"id": e.next, "method": method, "params": params})
	return strconv.Itoa(e.next)
}

func (e *editor) call(method string, params any) acpMessage {
	e.t.Helper()
	return e.answer(e.begin(method, params))
}

// take returns the next message.
func (e *editor) take() acpMessage {
	e.t.Helper()
	select {
	case m, open := <-e.from:
		require.True(e.t, open, "ripple has ended")
		if m.Method == "session/update" {
			e.updates = append(e.updates, m.Params.Update)
		}
		return m
	case <-time.After(acpBound):
		require.FailNow(e.t, "no message comes")
	}
	return acpMessage{}
}

// answer returns the answer to a request, replying to questions in between.
func (e *editor) answer(id string) acpMessage {
	e.t.Helper()
	for {
		m := e.take()
		switch {
		case m.Method == "" && string(m.ID) == id:
			return m
		case m.Method == "session/request_permission":
			e.asked = append(e.asked, m)
			require.NotNil(e.t, e.choose, "it asks")
			e.reply(m, e.choose(m))
		}
	}
}

func (e *editor) reply(m acpMessage, option string) {
	e.t.Helper()
	outcome := map[string]any{"outcome": "cancelled"}
	if option != "" {
		outcome = map[string]any{"outcome": "selected", "optionId": option}
	}
	e.send(map[string]any{"id": m.ID, "result": map[string]any{"outcome": outcome}})
}

func (e *editor) prompt(text string) (id string) {
	e.t.Helper()
	return e.begin("session/prompt", map[string]any{"sessionId": e.session, "prompt": []any{map[string]any{"type": "text", "text": text}}})
}

// stop returns the reason for the end of a prompt.
func (e *editor) stop(m acpMessage) string {
	e.t.Helper()
	require.Nil(e.t, m.Error, "%+v", m.Error)
	return field(e.t, m.Result, "stopReason").(string)
}

// until reads messages up to one that satisfies is.
func (e *editor) until(is func(acpMessage) bool) acpMessage {
	e.t.Helper()
	for {
		if m := e.take(); is(m) {
			return m
		}
	}
}

// said returns the whole text of the answer.
func (e *editor) said() string {
	var b strings.Builder
	for _, u := range e.updates {
		if u.SessionUpdate == "agent_message_chunk" {
			b.WriteString(u.text())
		}
	}
	return b.String()
}

// of returns the updates of a kind.
func (e *editor) of(kind string) (list []acpUpdate) {
	for _, u := range e.updates {
		if u.SessionUpdate == kind {
			list = append(list, u)
		}
	}
	return list
}

func (e *editor) nothingLeft() {
	e.t.Helper()
	r := running{Cmd: e.cmd, mark: e.mark}
	assert.Eventually(e.t, func() bool { return len(r.left()) == 0 }, acpBound, 50*time.Millisecond, "no process is left")
}
