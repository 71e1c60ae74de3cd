//go:build linux

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"math/rand/v2"
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

	"ripple/runtime/scenario"
)

// thorough is set for the long forms of tests: 100 kills, 200 moments, 1,000 turns.
var thorough = os.Getenv("RIPPLE_THOROUGH") != ""

// sixTurns is a scenario whose turns can be taken twice: a turn that was cut off
// leaves any part of its work behind.
func sixTurns() string {
	var b strings.Builder
	b.WriteString("turns:\n")
	for n := 1; n <= 6; n++ {
		claim := "{STATUS: IN_PROGRESS}"
		if n >= 5 {
			claim = "{STATUS: COMPLETE, EXIT_SIGNAL: true}"
		}
		fmt.Fprintf(&b, `  - steps:
      - text: I am at it.
      - write: {path: a/%[1]d.txt, content: "draft\nof %[1]d\n"}
      - edit: {path: a/%[1]d.txt, old: draft, new: text}
      - write: {path: shared.txt, content: "%[1]d\n"}
      - run: cat a/%[1]d.txt; echo "$RIPPLE_TURN" > turn
      - status: %[2]s
    usage: {input: 10, output: %[1]d, cost_usd: 0.01}
`, n, claim)
	}
	return b.String()
}

// looped is a loop in a directory of its own.
type looped struct {
	t    *testing.T
	dir  string
	mark string
}

func newLooped(t *testing.T, scenario string) *looped {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "scenario.yaml"), []byte(scenario), 0o600))
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "project/.ralph"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "project/.ralph/PROMPT.md"), []byte("Do it.\n"), 0o600))
	return &looped{t: t, dir: dir, mark: "RIPPLE_TEST=" + filepath.Base(filepath.Dir(dir)) + strconv.Itoa(os.Getpid())}
}

func (l *looped) command(args ...string) *exec.Cmd {
	path, err := binary()
	require.NoError(l.t, err)
	cmd := exec.Command(path, append([]string{"run", "--adapter", "rehearsal"}, args...)...)
	cmd.Dir = filepath.Join(l.dir, "project")
	cmd.Env = append(os.Environ(), l.mark, "HOME="+l.dir, scenario.FileVariable+"="+filepath.Join(l.dir, "scenario.yaml"), "MAX_CALLS_PER_HOUR=100000")
	return cmd
}

// inner is the half of ripple that works, below the one that was started and its
// undertaker; 0 while there is none.
func inner(outer int) (pid int) { return firstChild(firstChild(outer)) }

// firstChild is that of any thread, 0 for none.
func firstChild(of int) (pid int) {
	threads, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", of)) // the pattern is valid
	for _, path := range threads {
		data, _ := os.ReadFile(path) // it may be gone
		for child := range strings.FieldsSeq(string(data)) {
			if n, err := strconv.Atoi(child); err == nil && (pid == 0 || n < pid) {
				pid = n
			}
		}
	}
	return pid
}

// runKilled runs the loop and kills one half of ripple after a time, unless it
// ended before; then it says how.
func (l *looped) runKilled(after time.Duration, outer bool, args ...string) (ended bool) {
	l.t.Helper()
	var out bytes.Buffer
	cmd := l.command(args...)
	cmd.Stdout, cmd.Stderr = &out, &out
	require.NoError(l.t, cmd.Start())
	killer := time.AfterFunc(after, func() {
		if pid := inner(cmd.Process.Pid); pid > 0 && !outer {
			_ = syscall.Kill(pid, syscall.SIGKILL) // it may be gone
			return
		}
		_ = cmd.Process.Kill() // see above
	})
	err := cmd.Wait()
	killer.Stop()
	r := running{Cmd: cmd, mark: l.mark}
	require.Eventually(l.t, func() bool { return len(r.left()) == 0 }, 5*time.Second, 10*time.Millisecond, "no process is left")
	if err != nil {
		require.Equal(l.t, -1, cmd.ProcessState.ExitCode(), "killed, or done: %s", &out)
	}
	return err == nil
}

// whole says that no file is torn; the last line of events.jsonl may be.
func (l *looped) whole() {
	l.t.Helper()
	for _, name := range []string{"status.json", ".circuit_breaker_state", ".ralph_session", ".ralph_session_history", ".calls", ".turn_snapshot"} {
		data, err := os.ReadFile(filepath.Join(l.dir, "project/.ralph", name))
		if err == nil {
			assert.Truef(l.t, json.Valid(data), "%s: %s", name, data)
		}
	}
	l.events()
}

// events are those of the agent without what differs from run to run, and the
// numbers of the turns that ended.
func (l *looped) events() (agent []string, turns []int) {
	l.t.Helper()
	data, err := os.ReadFile(filepath.Join(l.dir, "project/.ralph/events.jsonl"))
	if os.IsNotExist(err) {
		return nil, nil
	}
	require.NoError(l.t, err)
	seq := 0.0
	for _, line := range bytes.SplitAfter(data, []byte("\n")) {
		if !bytes.HasSuffix(line, []byte("\n")) {
			break
		}
		var e map[string]any
		require.NoErrorf(l.t, json.Unmarshal(line, &e), "%s", line)
		assert.Equal(l.t, seq+1, e["seq"], "numbers without a gap")
		seq = e["seq"].(float64)
		switch e["type"] {
		case "turn_ended":
			turns = append(turns, int(e["turn"].(float64)))
		case "run_started", "turn_started", "stopped", "asked", "answered":
		default:
			delete(e, "seq")
			delete(e, "time")
			if e["type"] == "session" {
				delete(e, "id")
			}
			text, err := json.Marshal(e)
			require.NoError(l.t, err)
			agent = append(agent, string(text))
		}
	}
	return agent, turns
}

// tree is what the agent made.
func (l *looped) tree() map[string]string {
	files := map[string]string{}
	root := filepath.Join(l.dir, "project")
	require.NoError(l.t, filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			if d != nil && (d.Name() == ".ralph" || d.Name() == ".git") {
				return fs.SkipDir
			}
			return err
		}
		data, err := os.ReadFile(path)
		files[strings.TrimPrefix(path, root)] = string(data)
		return err
	}))
	return files
}

// kill -9 at any moment, and --resume: the same tree, turns and events as without.
func TestKilledLoopGoesOn(t *testing.T) {
	t.Parallel()
	moments := 15
	if thorough {
		moments = 200
	}
	calm := killAtAnyMoment(t, moments, func() *looped { return newLooped(t, sixTurns()) }, func(l *looped) any { return l.result() })
	require.Equal(t, []int{1, 2, 3, 4, 5, 6}, calm.result().turns)
}

// killAtAnyMoment requires loops that are killed so often, and resumed, to leave what
// the one that it returns leaves, which nobody killed.
func killAtAnyMoment(t *testing.T, moments int, begin func() *looped, left func(*looped) any) (calm *looped) {
	t.Helper()
	seed := uint64(time.Now().UnixNano())
	random := rand.New(rand.NewPCG(seed, 0))
	t.Logf("seed %d", seed)

	calm = begin()
	started := time.Now()
	require.True(t, calm.runKilled(time.Minute, true))
	whole := time.Since(started)
	want := left(calm)

	for kills := 0; kills < moments; {
		l := begin()
		var at []string
		for args := []string(nil); ; args = []string{"--resume"} {
			after, outer := time.Duration(random.Int64N(int64(whole))), random.IntN(2) == 0
			started := time.Now()
			ended := l.runKilled(after, outer, args...)
			at = append(at, fmt.Sprintf("%v outer=%v", after, outer))
			l.whole()
			if ended && args == nil {
				whole = time.Since(started) // a machine has its moods
			}
			if ended {
				break
			}
			kills++
		}
		require.Equal(t, want, left(l), "killed at %v", at)
	}
	return calm
}

// result is what a run leaves, without what differs from run to run.
type result struct {
	tree   map[string]string
	events []string
	turns  []int
	status string
}

func (l *looped) result() result {
	r := result{tree: l.tree()}
	r.events, r.turns = l.events()
	var status struct {
		Turns  int    `json:"loop_count"`
		Reason string `json:"exit_reason"`
		Status string `json:"status"`
	}
	data, err := os.ReadFile(filepath.Join(l.dir, "project/.ralph/status.json"))
	require.NoError(l.t, err)
	require.NoError(l.t, json.Unmarshal(data, &status))
	r.status = fmt.Sprint(status)
	return r
}
