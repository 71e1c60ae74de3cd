//go:build linux

package main

import (
	"context"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/internal/layout"
	"example.org/ripple/internal/testkit"
	"example.org/ripple/runtime/loop/journal"
)

// loopFiles returns the files of a loop in a project, with their owners and contents.
func loopFiles(t *testing.T, project string) map[string]string {
	t.Helper()
	all := map[string]string{}
	require.NoError(t, filepath.WalkDir(filepath.Join(project, layout.Dir), func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		text := ""
		if !d.IsDir() {
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			text = string(data)
		}
		all[strings.TrimPrefix(path, project)] = fmt.Sprint(info.Sys().(*syscall.Stat_t).Uid, " ", info.Mode(), " ", text)
		return nil
	}))
	return all
}

// broughtLoop are the files of a loop that has asked a question, as a project brings them. Another session of an editor gave the task,
// and an answer waits, whose lock is missing.
var broughtLoop = map[string]string{
	".ralph/PROMPT.md":     "x",
	".ralph/@fix_plan.md":  "- [ ] x\n",
	".ralph/.acp_task.md":  "the task of the other session\n",
	".ralph/.acp_session":  `{"session":"OTHER","run":"EARLIER","exit_code":8}` + "\n",
	".ralph/.answers":      "torn\n",
	".ralph/status.json":   `{"status":"halted"}`,
	".ralph/events.jsonl":  `{"type":"run_started","time":"2026-01-02T03:04:05Z","turn":0,"state":{"run":"RUN","questions":[{"id":"q1","kind":"text","text":"which?","asked":"2026-01-02T03:04:05Z","holds":true}]}}` + "\n",
	".ralph/logs/turn.log": "x\n",
}

// anotherUID is the ID of the user who owns the project of a test.
const anotherUID = 12345

// inProjectOfAnother makes the project that of another user, who called sudo for the commands that follow.
func (h *hostile) inProjectOfAnother() {
	h.t.Helper()
	h.giveAway(h.dir)
	h.environ = append(h.environ, fmt.Sprint("SUDO_UID=", anotherUID))
}

// giveAway makes a directory that of another user.
func (h *hostile) giveAway(dir string) {
	h.t.Helper()
	require.NoError(h.t, filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return os.Lchown(path, anotherUID, anotherUID)
	}))
}

// asWhom runs a test in a project that nobody has approved, and in that of another user as root through sudo.
func asWhom(t *testing.T, test func(t *testing.T, h *hostile, sudo bool)) {
	for name, sudo := range map[string]bool{"not approved": false, "through sudo": true} {
		t.Run(name, func(t *testing.T) {
			if sudo && os.Getuid() != 0 {
				t.Skip("only root can give a project to another user")
			}
			h := newHostile(t, broughtLoop)
			if sudo {
				h.inProjectOfAnother()
			}
			test(t, h, sudo)
		})
	}
}

// Only commands with which the user changes a loop change files of one that is not approved, and none does so as root
// in a project of another user.
func TestWhichCommandsChangeALoopsFiles(t *testing.T) {
	lines := map[string]bool{ // each has the loop that the project brings; true: it changes the loop's files
		"init": true, "answer x": true, "answer q1 x": true, "emit a.b x": true, "reset circuit": true, "reset session": true,
		"run --adapter rehearsal --max-turns 1": true, // it plays a script
		"run":                                   false, "run --dry-run": false, "run --resume": false, "run --resume --adapter helper": false, "hats": false,
		"status": false, "status --json": false, "events": false, "watch": false, "watch --json": false, "replay": false, "replay --json": false,
		"stop": false, "guide x": false, "trust --show": false, "trust --list": false, "doctor": false, "agent run hi --adapter helper": false,
		"acp": false, "acp --turn --adapter helper": false, "exec bash true": false, "box -- true": false,
	}
	_, all := tree(t)
	for _, cmd := range all {
		if cmd.HasParent() && cmd.Parent().CommandPath() == "ripple loop" {
			called := func(line string) bool { return testkit.FirstWord(line) == cmd.Name() }
			assert.True(t, slices.ContainsFunc(slices.Collect(maps.Keys(lines)), called), "no line calls %s", cmd.CommandPath())
		}
	}
	asWhom(t, func(t *testing.T, h *hostile, sudo bool) {
		h.environ = append(h.environ, journal.ProjectVariable+"="+h.dir, journal.TokenVariable+"=x")
		h.here()
		loop := filepath.Join(h.dir, layout.Dir)
		for line, changes := range lines {
			require.NoError(t, os.RemoveAll(loop)) // an earlier line may have created what this one should not
			for name, text := range broughtLoop {
				h.write(name, text)
			}
			if sudo {
				h.giveAway(loop)
			}
			before := loopFiles(t, h.dir)
			run := h.said
			if slices.Contains([]string{"run", "agent", "exec", "acp", "box"}, testkit.FirstWord(line)) && line != "run --dry-run" {
				run = h.run // it could start other programs
			}
			out, _ := run(strings.Fields(line)...)
			after := loopFiles(t, h.dir)
			if changes && !sudo {
				assert.NotEqual(t, before, after, "ripple %s: %s", line, out)
			} else {
				assert.Equal(t, before, after, "ripple %s: %s", line, out)
			}
		}
	})
}

// openEditorOf starts an editor with a real agent.
func openEditorOf(h *hostile) *editor {
	h.t.Helper()
	top := filepath.Dir(h.dir)
	path, err := binary()
	require.NoError(h.t, err)
	adapter := filepath.Join(top, "mine.yaml")
	require.NoError(h.t, os.WriteFile(adapter, []byte(strings.NewReplacer("EVIL", "true", "helper", "mine").Replace(agentAdapter)), 0o600))
	e := &editor{t: h.t, project: h.dir, mark: "RIPPLE_TEST=acp" + strings.ReplaceAll(top, "/", "-"), cmd: exec.Command(path, "acp", "--adapter", adapter)}
	e.cmd.Dir, e.cmd.SysProcAttr = top, &syscall.SysProcAttr{Setpgid: true}
	e.cmd.Env = append(slices.Clone(h.environ), e.mark)
	e.start()
	return e
}

// A message of an editor changes no file of a loop before the checks that a prompt makes, and a prompt that they refuse changes none.
func TestWhichMessagesOfAnEditorChangeALoopsFiles(t *testing.T) {
	t.Parallel()
	asWhom(t, func(t *testing.T, h *hostile, sudo bool) {
		before := loopFiles(t, h.dir)
		e := openEditorOf(h)
		e.call("initialize", map[string]any{"protocolVersion": 1})
		e.session = field(t, e.call("session/new", e.place()).Result, "sessionId").(string)
		with := func(more ...string) map[string]any {
			p := e.place()
			for i := 0; i < len(more); i += 2 {
				p[more[i]] = more[i+1]
			}
			return p
		}
		text := []any{map[string]any{"type": "text", "text": "Do it."}}
		for _, c := range []struct {
			method string
			params map[string]any
			fails  string
		}{
			{"session/new", with(), ""},
			{"session/list", with(), ""},
			{"session/list", map[string]any{}, ""},
			{"session/load", with("sessionId", "RUN"), ""},
			{"session/resume", with("sessionId", "RUN"), ""},
			{"session/load", with("sessionId", "OTHER"), "no longer exists"},
			{"session/set_mode", with("sessionId", "RUN", "modeId", "allow"), "unknown mode"},
			{"session/set_model", with("sessionId", "RUN", "modelId", "x"), "unknown method"},
			{"session/cancel", with("sessionId", "RUN"), ""},
			{"session/prompt", map[string]any{"sessionId": "RUN", "prompt": text}, "?"},
			{"session/prompt", map[string]any{"sessionId": e.session, "prompt": text}, "?"},
			{"session/close", with("sessionId", "RUN"), ""},
			{"session/close", with("sessionId", e.session), ""},
		} {
			if c.fails == "?" {
				c.fails = map[bool]string{false: "approve", true: "belongs to"}[sudo]
			}
			m := e.call(c.method, c.params)
			if c.fails == "" {
				assert.Nil(t, m.Error, "%s: %+v", c.method, m.Error)
			} else if assert.NotNil(t, m.Error, c.method) {
				assert.Contains(t, m.Error.Message, c.fails, c.method)
			}
			after := loopFiles(t, h.dir)
			assert.Equal(t, before, after, c.method)
			before = after
		}
	})
}

// No tool of an AI client changes a loop's files.
func TestWhichToolsChangeALoopsFiles(t *testing.T) {
	t.Parallel()
	asWhom(t, func(t *testing.T, h *hostile, _ bool) {
		path, err := binary()
		require.NoError(t, err)
		ctx, cancel := context.WithTimeout(t.Context(), testkit.Patience(time.Minute))
		defer cancel()
		cmd := exec.Command(path, "mcp", "--adapters", "bash")
		cmd.Dir, cmd.Env = h.dir, h.environ
		c, err := mcp.NewClient(&mcp.Implementation{Name: "t", Version: "1"}, nil).Connect(ctx, &mcp.CommandTransport{Command: cmd}, nil)
		require.NoError(t, err)
		defer func() { assert.NoError(t, c.Close()) }()
		tools, err := c.ListTools(ctx, nil)
		require.NoError(t, err)
		left := map[string]bool{}
		for _, tool := range tools.Tools {
			left[tool.Name] = true
		}
		before := loopFiles(t, h.dir)
		for _, call := range []struct {
			tool string
			args map[string]any
		}{
			{"console_start", map[string]any{"name": "c", "adapter": "bash", "cwd": h.dir}},
			{"console_list", map[string]any{}},
			{"console_exec", map[string]any{"console": "c", "code": "read -r x"}},
			{"console_peek", map[string]any{"console": "c"}},
			{"console_send", map[string]any{"console": "c", "text": "x", "keys": []string{"enter"}}},
			{"console_wait", map[string]any{"console": "c"}},
			{"console_read", map[string]any{"console": "c"}},
			{"console_close", map[string]any{"console": "c"}},
		} {
			r, err := c.CallTool(ctx, &mcp.CallToolParams{Name: call.tool, Arguments: call.args})
			require.NoError(t, err, call.tool)
			assert.False(t, r.IsError, "%s: %v", call.tool, r.Content[0])
			assert.Equal(t, before, loopFiles(t, h.dir), call.tool)
			delete(left, call.tool)
		}
		assert.Empty(t, left, "each tool is called")
	})
}
