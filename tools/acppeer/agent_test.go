package acppeer

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/acp-go-sdk"
)

// peer is an agent built with the SDK. Its prompt tells it what to do.
type peer struct {
	acp.Agent // unsupported; ripple does not use it
	conn      *acp.AgentSideConnection
	mu        sync.Mutex
	cancel    context.CancelFunc
}

// playAgent serves on the standard streams.
func playAgent() {
	p := &peer{}
	p.conn = acp.NewAgentSideConnection(p, os.Stdout, os.Stdin)
	<-p.conn.Done()
}

func (p *peer) Initialize(context.Context, acp.InitializeRequest) (acp.InitializeResponse, error) {
	return acp.InitializeResponse{
		ProtocolVersion:   acp.ProtocolVersionNumber,
		AgentCapabilities: acp.AgentCapabilities{LoadSession: true},
	}, nil
}

func (p *peer) NewSession(_ context.Context, r acp.NewSessionRequest) (acp.NewSessionResponse, error) {
	return acp.NewSessionResponse{SessionId: acp.SessionId("at " + r.Cwd)}, nil
}

// LoadSession knows one earlier session, and sends its history.
func (p *peer) LoadSession(ctx context.Context, r acp.LoadSessionRequest) (acp.LoadSessionResponse, error) {
	if r.SessionId != "old" {
		return acp.LoadSessionResponse{}, &acp.RequestError{Code: -32002, Message: "Resource not found"}
	}
	return acp.LoadSessionResponse{}, p.tell(ctx, r.SessionId, acp.UpdateAgentMessageText("of the past"))
}

func (p *peer) Cancel(context.Context, acp.CancelNotification) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.cancel()
	return nil
}

func (p *peer) tell(ctx context.Context, id acp.SessionId, u acp.SessionUpdate) error {
	return p.conn.SessionUpdate(ctx, acp.SessionNotification{SessionId: id, Update: u})
}

func (p *peer) Prompt(_ context.Context, r acp.PromptRequest) (acp.PromptResponse, error) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	p.mu.Lock()
	p.cancel = cancel
	p.mu.Unlock()
	switch text := r.Prompt[0].Text.Text; text {
	case "use":
		return p.use(ctx, r.SessionId)
	case "ask":
		return p.ask(ctx, r.SessionId)
	case "work":
		return p.work(ctx, r.SessionId)
	case "wait":
		err := p.tell(ctx, r.SessionId, acp.StartToolCall("1", "I wait", acp.WithStartStatus(acp.ToolCallStatusInProgress)))
		<-ctx.Done()
		return acp.PromptResponse{StopReason: acp.StopReasonCancelled}, err
	case "refuse":
		return acp.PromptResponse{StopReason: acp.StopReasonRefusal}, nil
	case "fail":
		return acp.PromptResponse{}, acp.NewAuthRequired(map[string]any{"details": "no key is set"})
	default:
		return acp.PromptResponse{StopReason: acp.StopReasonEndTurn}, p.tell(ctx, r.SessionId, acp.UpdateAgentMessageText(fmt.Sprintf("%d bytes", len(text))))
	}
}

// use uses a tool, and reports everything that the protocol defines for it.
func (p *peer) use(ctx context.Context, id acp.SessionId) (acp.PromptResponse, error) {
	var failed error
	for _, u := range []acp.SessionUpdate{
		acp.UpdateAgentThoughtText("hm"),
		acp.UpdatePlan(acp.PlanEntry{Content: "one", Priority: acp.PlanEntryPriorityHigh, Status: acp.PlanEntryStatusPending}),
		{AvailableCommandsUpdate: &acp.SessionAvailableCommandsUpdate{AvailableCommands: []acp.AvailableCommand{{Name: "review", Description: "looks"}}}},
		acp.StartToolCall("1", "make", acp.WithStartKind(acp.ToolKindExecute), acp.WithStartStatus(acp.ToolCallStatusPending), acp.WithStartRawInput(map[string]any{"command": "make"})),
		acp.UpdateToolCall("1", acp.WithUpdateStatus(acp.ToolCallStatusInProgress)),
		acp.UpdateToolCall("1", acp.WithUpdateStatus(acp.ToolCallStatusCompleted), acp.WithUpdateContent([]acp.ToolCallContent{acp.ToolContent(acp.TextBlock("made")), acp.ToolDiffContent("/w/a", "new", "old")})),
		acp.UpdateAgentMessageText("It is "),
		acp.UpdateAgentMessageText("made."),
		{UsageUpdate: &acp.SessionUsageUpdate{Used: 12, Size: 100, Cost: &acp.Cost{Amount: 0.25, Currency: "USD"}}},
	} {
		failed = errors.Join(failed, p.tell(ctx, id, u))
	}
	return acp.PromptResponse{StopReason: acp.StopReasonEndTurn, Usage: &acp.Usage{InputTokens: 10, OutputTokens: 2, TotalTokens: 12}}, failed
}

// ask asks for permission, and reports the answer.
func (p *peer) ask(ctx context.Context, id acp.SessionId) (acp.PromptResponse, error) {
	for _, command := range []string{"make", "rm -r ."} {
		r, err := p.conn.RequestPermission(ctx, acp.RequestPermissionRequest{
			SessionId: id,
			ToolCall: acp.ToolCallUpdate{
				ToolCallId: acp.ToolCallId(command), Title: acp.Ptr(command), Kind: acp.Ptr(acp.ToolKindExecute), RawInput: map[string]any{"command": command},
			},
			Options: []acp.PermissionOption{
				{Kind: acp.PermissionOptionKindAllowOnce, Name: "Yes", OptionId: "yes"}, {Kind: acp.PermissionOptionKindRejectOnce, Name: "No", OptionId: "no"},
			},
		})
		if err != nil {
			return acp.PromptResponse{}, err
		}
		chosen := "nothing"
		if r.Outcome.Selected != nil {
			chosen = string(r.Outcome.Selected.OptionId)
		}
		if err := p.tell(ctx, id, acp.UpdateAgentMessageText(command+": "+chosen+"\n")); err != nil {
			return acp.PromptResponse{}, err
		}
	}
	return acp.PromptResponse{StopReason: acp.StopReasonEndTurn}, nil
}

// work lets the client write a file, read it and run a command.
func (p *peer) work(ctx context.Context, id acp.SessionId) (acp.PromptResponse, error) {
	path := filepath.Join(strings.TrimPrefix(string(id), "at "), "a.txt")
	_, err := p.conn.WriteTextFile(ctx, acp.WriteTextFileRequest{SessionId: id, Path: path, Content: "one\ntwo\n"})
	if err != nil {
		return acp.PromptResponse{}, err
	}
	read, err := p.conn.ReadTextFile(ctx, acp.ReadTextFileRequest{SessionId: id, Path: path, Line: acp.Ptr(2)})
	if err != nil {
		return acp.PromptResponse{}, err
	}
	_, outside := p.conn.ReadTextFile(ctx, acp.ReadTextFileRequest{SessionId: id, Path: "/etc/passwd"})
	made, err := p.conn.CreateTerminal(ctx, acp.CreateTerminalRequest{SessionId: id, Command: "sh", Args: []string{"-c", "cat a.txt; exit 3"}})
	if err != nil {
		return acp.PromptResponse{}, err
	}
	end, err := p.conn.WaitForTerminalExit(ctx, acp.WaitForTerminalExitRequest{SessionId: id, TerminalId: made.TerminalId})
	if err != nil {
		return acp.PromptResponse{}, err
	}
	out, err := p.conn.TerminalOutput(ctx, acp.TerminalOutputRequest{SessionId: id, TerminalId: made.TerminalId})
	if err != nil {
		return acp.PromptResponse{}, err
	}
	_, own := p.conn.CallExtension(ctx, "_peer/own", map[string]any{})
	return acp.PromptResponse{StopReason: acp.StopReasonEndTurn}, p.tell(ctx, id, acp.UpdateAgentMessageText(
		fmt.Sprintf("read %q, refused %t, ran %q with %d, own refused %t", read.Content, outside != nil, out.Output, *end.ExitCode, own != nil)))
}

const peerAdapter = `schema: 1
name: peer
version: 1.0.0
description: An agent made with the SDK for Go
family: agent
process: {executable: %q, env: {%s: agent}}
agent:
  transport: acp
  acp: {permission: {allow: ["bash(make)"], else: deny}, client: {fs: true, terminal: true}}
`

// outcome is ripple's report of a turn.
type outcome struct {
	Type      string
	ExitCode  int    `json:"exit_code"`
	SessionID string `json:"session_id"`
	Text      string
	Tokens    struct {
		Input, Output int
		CostUSD       float64 `json:"cost_usd"`
	}
	Denials  int
	Unknown  int
	Problems []string
	Failure  *struct{ Kind, Message string }

	exit  int
	lines []string
}

// turn lets ripple take a turn of the peer; seen gets each line as it arrives.
func turn(t *testing.T, seen func(cmd *exec.Cmd, line string), args ...string) (o outcome) {
	t.Helper()
	self, err := os.Executable()
	must(t, err)
	dir := t.TempDir()
	adapter := filepath.Join(dir, "peer.yaml")
	must(t, os.WriteFile(adapter, fmt.Appendf(nil, peerAdapter, self, playsVariable), 0o600))
	ctx, cancel := context.WithTimeout(t.Context(), bound)
	defer cancel()
	cmd := exec.CommandContext(ctx, ripple(t), append([]string{"agent", "run", "--adapter", adapter, "--json"}, args...)...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "HOME="+dir)
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.StdoutPipe()
	must(t, err)
	must(t, cmd.Start())
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		o.lines = append(o.lines, lines.Text())
		if seen != nil {
			seen(cmd, lines.Text())
		}
	}
	_ = cmd.Wait() // the exit code says how it ended
	o.exit = cmd.ProcessState.ExitCode()
	if len(o.lines) == 0 {
		t.Fatalf("it says nothing: %s", &said)
	}
	must(t, json.Unmarshal([]byte(o.lines[len(o.lines)-1]), &o))
	return o
}

// has returns the number of lines that contain a text.
func (o outcome) has(text string) (n int) {
	for _, line := range o.lines[:len(o.lines)-1] {
		if strings.Contains(line, text) {
			n++
		}
	}
	return n
}

// ripple drives an agent that is built with the SDK.
func TestAgentOfTheSDK(t *testing.T) {
	t.Run("it uses a tool", func(t *testing.T) {
		o := turn(t, nil, "use")
		equal(t, 0, o.exit)
		equal(t, "It is made.", o.Text)
		equal(t, 0, o.Unknown, o.lines...)
		equal(t, 10, o.Tokens.Input)
		equal(t, 0.25, o.Tokens.CostUSD)
		equal(t, 1, o.has(`"type":"tool_use","id":"1","tool":"bash","name":"execute","input":{"command":"make"}`), o.lines...)
		equal(t, 1, o.has(`"type":"tool_result","id":"1","content":"made\n[changed /w/a]"`), o.lines...)
		equal(t, 1, o.has(`"type":"reasoning","text":"hm"`), o.lines...)
	})
	t.Run("it asks", func(t *testing.T) {
		o := turn(t, nil, "ask")
		equal(t, 1, o.has(`"text":"make: yes\n"`), o.lines...)
		equal(t, "rm -r .: no\n", o.Text)
		equal(t, 1, o.Denials)
		equal(t, 2, o.has(`"type":"tool_use"`), o.lines...)
	})
	t.Run("it has its client work", func(t *testing.T) {
		o := turn(t, nil, "work")
		equal(t, `read "two\n", refused true, ran "one\ntwo\n" with 3, own refused true`, o.Text)
		equal(t, 0, o.Unknown, o.lines...)
	})
	t.Run("it is cancelled", func(t *testing.T) {
		var since time.Time
		o := turn(t, func(cmd *exec.Cmd, line string) {
			if strings.Contains(line, "I wait") {
				since = time.Now()
				must(t, cmd.Process.Signal(os.Interrupt))
			}
		}, "wait")
		equal(t, 130, o.exit)
		equal(t, "interrupted", o.Failure.Kind)
		if took := time.Since(since); took > 10*time.Second {
			t.Errorf("it took %s", took)
		}
	})
	t.Run("a session of before", func(t *testing.T) {
		o := turn(t, nil, "--resume", "old", "five!")
		equal(t, "old", o.SessionID)
		equal(t, "5 bytes", o.Text)
	})
	t.Run("a session that is not there", func(t *testing.T) {
		o := turn(t, nil, "--resume", "gone", "five!")
		equal(t, "session_unknown", o.Failure.Kind)
	})
	t.Run("it refuses", func(t *testing.T) { equal(t, "model_error", turn(t, nil, "refuse").Failure.Kind) })
	t.Run("nobody is logged in", func(t *testing.T) { equal(t, "auth", turn(t, nil, "fail").Failure.Kind) })
	t.Run("a long prompt", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "prompt")
		must(t, os.WriteFile(path, bytes.Repeat([]byte("x"), 5<<20), 0o600))
		equal(t, "5242880 bytes", turn(t, nil, "--prompt-file", path).Text)
	})
}
