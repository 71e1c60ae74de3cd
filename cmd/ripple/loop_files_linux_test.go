//go:build linux

package main

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/internal/layout"
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

// inProjectOfAnother makes the project that of another user, who called sudo for the commands that follow.
func (h *hostile) inProjectOfAnother() {
	h.t.Helper()
	const uid = 12345
	require.NoError(h.t, filepath.WalkDir(h.dir, func(path string, _ fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return os.Lchown(path, uid, uid)
	}))
	h.environ = append(h.environ, fmt.Sprint("SUDO_UID=", uid))
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
	t.Parallel()
	changes := map[string]bool{
		"init": true, "answer x": true, "answer q1 x": true, "guide x": true, "emit a.b x": true, "reset circuit": true, "reset session": true,
		"run --adapter rehearsal --max-turns 1": true, // it plays a script
	}
	asWhom(t, func(t *testing.T, h *hostile, sudo bool) {
		lines := []string{"answer q1 x", "status --json", "watch --json", "replay --json", "reset session", "run --resume --adapter helper"}
		for _, l := range harmlessLines {
			lines = append(lines, l.line)
		}
		before := loopFiles(t, h.dir)
		h.environ = append(h.environ, journal.ProjectVariable+"="+h.dir, journal.TokenVariable+"=x")
		for _, line := range lines {
			out, _ := h.run(strings.Fields(line)...)
			after := loopFiles(t, h.dir)
			if sudo || !changes[line] {
				assert.Equal(t, before, after, "ripple %s: %s", line, out)
			}
			before = after
		}
	})
}
