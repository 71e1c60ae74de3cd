package acppeer

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/coder/acp-go-sdk"
)

// face is a client built with the SDK, which has started ripple acp.
type face struct {
	acp.Client // unsupported; ripple does not use it
	*acp.ClientSideConnection
	dir     string
	session acp.SessionId
	choose  acp.PermissionOptionKind // empty: it dismisses the question

	mu      sync.Mutex
	updates []acp.SessionUpdate
	asked   []acp.RequestPermissionRequest
	began   chan struct{} // closed with the first update that has the text "I begin."
	once    sync.Once
}

func (f *face) SessionUpdate(_ context.Context, n acp.SessionNotification) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.updates = append(f.updates, n.Update)
	if c := n.Update.AgentMessageChunk; c != nil && strings.Contains(c.Content.Text.Text, "I begin.") {
		f.once.Do(func() { close(f.began) })
	}
	return nil
}

func (f *face) RequestPermission(_ context.Context, r acp.RequestPermissionRequest) (acp.RequestPermissionResponse, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.asked = append(f.asked, r)
	for _, o := range r.Options {
		if o.Kind == f.choose {
			return acp.RequestPermissionResponse{Outcome: acp.NewRequestPermissionOutcomeSelected(o.OptionId)}, nil
		}
	}
	return acp.RequestPermissionResponse{Outcome: acp.NewRequestPermissionOutcomeCancelled()}, nil
}

// open starts ripple acp in a new project that the user trusts, and begins a session.
func open(t *testing.T, play string, args ...string) *face {
	t.Helper()
	home := t.TempDir()
	f := &face{dir: filepath.Join(home, "project"), began: make(chan struct{})}
	must(t, os.MkdirAll(filepath.Join(f.dir, ".ralph"), 0o700))
	must(t, os.WriteFile(filepath.Join(f.dir, ".ralph/@fix_plan.md"), []byte("- [ ] greet\n"), 0o600))
	scenario := filepath.Join(home, "scenario.yaml")
	must(t, os.WriteFile(scenario, []byte(play), 0o600))
	cmd := exec.Command(ripple(t), append([]string{"acp", "--adapter", "rehearsal", "--trust"}, args...)...)
	cmd.Dir, cmd.Env = f.dir, append(os.Environ(), "HOME="+home, "RIPPLE_SCENARIO="+scenario)
	in, err := cmd.StdinPipe()
	must(t, err)
	out, err := cmd.StdoutPipe()
	must(t, err)
	must(t, cmd.Start())
	read := make(chan struct{})
	f.ClientSideConnection = acp.NewClientSideConnection(f, in, out)
	f.SetLogger(slog.New(slog.NewTextHandler(logged{t}, &slog.HandlerOptions{Level: slog.LevelError})))
	go func() { <-f.Done(); close(read) }()
	t.Cleanup(func() {
		must(t, in.Close())
		<-read
		must(t, cmd.Wait())
	})
	i, err := f.Initialize(t.Context(), acp.InitializeRequest{ProtocolVersion: acp.ProtocolVersionNumber})
	must(t, err)
	equal(t, acp.ProtocolVersionNumber, int(i.ProtocolVersion))
	equal(t, len(args) == 0 || args[0] != "--turn", i.AgentCapabilities.LoadSession)
	s, err := f.NewSession(t.Context(), acp.NewSessionRequest{Cwd: f.dir, McpServers: []acp.McpServer{}})
	must(t, err)
	f.session = s.SessionId
	return f
}

// logged fails a test if the SDK logs a problem with a message from ripple.
type logged struct{ *testing.T }

func (l logged) Write(b []byte) (int, error) {
	l.Errorf("%s", b)
	return len(b), nil
}

var _ io.Writer = logged{}

func (f *face) prompt(t *testing.T, text string) (acp.PromptResponse, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), bound)
	defer cancel()
	return f.Prompt(ctx, acp.PromptRequest{SessionId: f.session, Prompt: []acp.ContentBlock{acp.TextBlock(text)}})
}

// kinds counts the updates by kind.
func (f *face) kinds() (n struct{ said, calls, ends, plans, costs, others int }) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, u := range f.updates {
		switch {
		case u.AgentMessageChunk != nil, u.AgentThoughtChunk != nil:
			n.said++
		case u.ToolCall != nil:
			n.calls++
		case u.ToolCallUpdate != nil:
			n.ends++
		case u.Plan != nil:
			n.plans++
		case u.UsageUpdate != nil:
			n.costs++
		default:
			n.others++
		}
	}
	return n
}

// code returns the code of a protocol error.
func code(err error) int {
	if e, is := errors.AsType[*acp.RequestError](err); is {
		return e.Code
	}
	return 0
}

const (
	asks = `turns:
  - steps:
      - text: I begin.
      - status: {STATUS: BLOCKED, RECOMMENDATION: "Hello or hi?"}
  - steps:
      - write: {path: greet.sh, content: "echo hi\n"}
      - edit: {path: .ralph/@fix_plan.md, old: "- [ ] greet", new: "- [x] greet"}
    usage: {input: 10, output: 1, cost_usd: 0.01}
`
	stalls = "turns: [{steps: [{text: I begin.}, {stall: true}]}]"
)

// A client built with the SDK drives ripple, and decodes every message of ripple as its own type.
func TestClientOfTheSDK(t *testing.T) {
	t.Run("a loop that asks", func(t *testing.T) {
		f := open(t, asks, "--", "--verify", "test -e greet.sh")
		f.choose = acp.PermissionOptionKindAllowOnce
		r, err := f.prompt(t, "Greet.")
		must(t, err)
		equal(t, acp.StopReasonEndTurn, r.StopReason)
		equal(t, 1, len(f.asked))
		equal(t, "Hello or hi?", *f.asked[0].ToolCall.Title)
		n := f.kinds()
		equal(t, 0, n.others)
		equal(t, n.calls, n.ends)
		equal(t, true, n.said > 0 && n.calls >= 4 && n.plans >= 2 && n.costs > 0)

		f.updates = nil
		_, err = f.LoadSession(t.Context(), acp.LoadSessionRequest{SessionId: f.session, Cwd: f.dir, McpServers: []acp.McpServer{}})
		must(t, err)
		again := f.kinds()
		equal(t, n.calls, again.calls)
		equal(t, n.ends, again.ends)
		_, err = f.LoadSession(t.Context(), acp.LoadSessionRequest{SessionId: "gone", Cwd: f.dir, McpServers: []acp.McpServer{}})
		equal(t, -32002, code(err))
	})
	t.Run("a question that is closed, and answered by the next prompt", func(t *testing.T) {
		f := open(t, asks)
		r, err := f.prompt(t, "Greet.")
		must(t, err)
		equal(t, acp.StopReasonRefusal, r.StopReason)
		r, err = f.prompt(t, "hi")
		must(t, err)
		equal(t, acp.StopReasonEndTurn, r.StopReason)
	})
	t.Run("a turn that is cancelled", func(t *testing.T) {
		f := open(t, stalls, "--turn", "--transport", "stdio")
		go func() {
			<-f.began
			for range 2 {
				if err := f.Cancel(t.Context(), acp.CancelNotification{SessionId: f.session}); err != nil {
					t.Error(err)
				}
			}
		}()
		r, err := f.prompt(t, "Go.")
		must(t, err)
		equal(t, acp.StopReasonCancelled, r.StopReason)
	})
	t.Run("a prompt while one is open, and a session that is closed", func(t *testing.T) {
		f := open(t, stalls, "--turn", "--transport", "stdio")
		ended := make(chan acp.StopReason, 1)
		go func() {
			r, _ := f.prompt(t, "Go.")
			ended <- r.StopReason
		}()
		<-f.began
		_, err := f.prompt(t, "And this.")
		equal(t, -32600, code(err))
		_, err = f.CloseSession(t.Context(), acp.CloseSessionRequest{SessionId: f.session})
		must(t, err)
		equal(t, acp.StopReasonCancelled, <-ended)
		_, err = f.prompt(t, "Too late.")
		equal(t, -32002, code(err))
	})
	t.Run("missing and overlong values", func(t *testing.T) {
		f := open(t, asks)
		_, err := f.CallExtension(t.Context(), "_peer/own", map[string]any{})
		equal(t, -32601, code(err))
		_, err = f.prompt(t, strings.Repeat("x", 9<<20))
		equal(t, -32600, code(err))
		list, err := f.ListSessions(t.Context(), acp.ListSessionsRequest{})
		must(t, err)
		equal(t, 1, len(list.Sessions))
	})
}
