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
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/cmd/ripple/internal/ui"
	"example.org/ripple/internal/layout"
	"example.org/ripple/internal/scenario"
	"example.org/ripple/internal/testkit"
	"example.org/ripple/runtime/loop/journal"
)

// newSixTurns returns a loop whose turns can be repeated: an interrupted turn leaves any part of its
// work. One turn is denied a tool, one reports an error, and a command verifies the claim of the
// fifth.
func newSixTurns(t *testing.T) *testLoop {
	l := newTestLoop(t, sixTurns())
	require.NoError(t, os.WriteFile(filepath.Join(l.dir, "project/ripple.yml"), []byte("loop: {verify: [test -f a/5.txt]}\n"), 0o600))
	return l
}

func sixTurns() string {
	var b strings.Builder
	b.WriteString("turns:\n")
	for n := 1; n <= 6; n++ {
		claim := "{STATUS: IN_PROGRESS}"
		if n >= 5 {
			claim = "{STATUS: COMPLETE, EXIT_SIGNAL: true}"
		}
		report := map[int]string{3: "      - deny: {tool: Bash}\n", 4: "      - error: {message: \"Error: flaky\"}\n"}[n]
		fmt.Fprintf(&b, `  - steps:
      - text: I am at it.
      - write: {path: a/%[1]d.txt, content: "draft\nof %[1]d\n"}
      - edit: {path: a/%[1]d.txt, old: draft, new: text}
      - write: {path: shared.txt, content: "%[1]d\n"}
      - run: cat a/%[1]d.txt; echo "$RIPPLE_TURN" > turn
%[3]s      - status: %[2]s
    usage: {input: 10, output: %[1]d, cost_usd: 0.01}
`, n, claim, report)
	}
	return b.String()
}

// testLoop is a loop in a directory of its own.
type testLoop struct {
	t     *testing.T
	dir   string
	mark  string
	stops bool // it receives SIGTERM instead of being killed
}

func newTestLoop(t *testing.T, scenario string) *testLoop {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "scenario.yaml"), []byte(scenario), 0o600))
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "project/.ralph"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "project/.ralph/PROMPT.md"), []byte("Do it.\n"), 0o600))
	return &testLoop{t: t, dir: dir, mark: "RIPPLE_TEST=" + filepath.Base(filepath.Dir(dir)) + strconv.Itoa(os.Getpid())}
}

func (l *testLoop) command(args ...string) *exec.Cmd {
	path, err := binary()
	require.NoError(l.t, err)
	cmd := exec.Command(path, append([]string{"run", "--adapter", "rehearsal"}, args...)...)
	cmd.Dir = filepath.Join(l.dir, "project")
	cmd.Env = append(os.Environ(), l.mark, "HOME="+l.dir, scenario.FileVariable+"="+filepath.Join(l.dir, "scenario.yaml"), "MAX_CALLS_PER_HOUR=100000",
		"PLAN="+filepath.Join(l.dir, "project/.ralph/@fix_plan.md"))
	return cmd
}

// inner returns the ID of the inner process, a descendant of the started process and its
// supervisor; 0 if there is none.
func inner(outer int) (pid int) { return firstChild(firstChild(outer)) }

// firstChild returns the first child of any thread, 0 if there is none.
func firstChild(of int) (pid int) {
	threads, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", of)) // the pattern is valid
	for _, path := range threads {
		data, _ := os.ReadFile(path) // it may have ended
		for child := range strings.FieldsSeq(string(data)) {
			if n, err := strconv.Atoi(child); err == nil && (pid == 0 || n < pid) {
				pid = n
			}
		}
	}
	return pid
}

// runKilled runs the loop and kills one of its two processes after a time, unless it has ended
// before; then it reports that.
func (l *testLoop) runKilled(after time.Duration, outer bool, args ...string) (ended bool) {
	l.t.Helper()
	var out bytes.Buffer
	cmd := l.command(args...)
	cmd.Stdout, cmd.Stderr = &out, &out
	require.NoError(l.t, cmd.Start())
	killer := time.AfterFunc(after, func() {
		pid := inner(cmd.Process.Pid) // never 0, which is the process group of these tests
		if l.stops {
			if pid > 0 {
				_ = syscall.Kill(pid, syscall.SIGTERM) // it may have ended
			} else {
				_ = cmd.Process.Signal(syscall.SIGTERM) // see above
			}
			return
		}
		if pid > 0 && !outer {
			_ = syscall.Kill(pid, syscall.SIGKILL) // it may have ended
			return
		}
		_ = cmd.Process.Kill() // see above
	})
	err := cmd.Wait()
	killer.Stop()
	r := running{Cmd: cmd, mark: l.mark}
	require.Eventually(l.t, func() bool { return len(r.left()) == 0 }, testkit.Patience(5*time.Second), 10*time.Millisecond, "no process is left")
	if err != nil && (!l.stops || cmd.ProcessState.ExitCode() != ui.ExitInterrupted) {
		require.Equal(l.t, -1, cmd.ProcessState.ExitCode(), "killed, or done: %s", &out)
	}
	return err == nil
}

// resumeArgs returns the arguments that continue the loop: a loop that was killed before its run was
// recorded is started again.
func (l *testLoop) resumeArgs() []string {
	if _, err := journal.ReadBegan(filepath.Join(l.dir, "project")); err != nil {
		return nil
	}
	return []string{"--resume"}
}

// checkFiles checks that no file is truncated, except the last line of events.jsonl.
func (l *testLoop) checkFiles() {
	l.t.Helper()
	for _, name := range []string{"status.json", ".circuit_breaker_state", ".ralph_session", ".ralph_session_history", ".calls", ".turn_snapshot"} {
		data, err := os.ReadFile(filepath.Join(l.dir, "project/.ralph", name))
		if err == nil {
			assert.Truef(l.t, json.Valid(data), "%s: %s", name, data)
		}
	}
	l.events()
}

// events returns the events of the agent and of the loop, without data that differs between runs and
// without interrupted attempts, and the numbers of the completed turns.
func (l *testLoop) events() (all []string, turns []int) {
	l.t.Helper()
	data, err := os.ReadFile(filepath.Join(l.dir, "project/.ralph/events.jsonl"))
	if os.IsNotExist(err) {
		return nil, nil
	}
	require.NoError(l.t, err)
	seq, begun := 0.0, 0
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
		case "turn_started":
			begun = len(all)
		case "turn_cut":
			all = all[:begun]
			continue
		case "run_started", "settings_changed":
			continue
		}
		// Interrupted attempts count as calls, and what they used counts. IDs of answers that were taken are kept
		// until their files are gone, which a kill delays.
		without(e, "seq", "session_id", "calls", "tag")
		without(e["summary"], "elapsed_ns", "cost_usd", "tokens")
		without(e["state"], "run", "elapsed_ms", "session", "moves", "start", "cost_usd", "tokens", "heard")
		if e["type"] == "session" {
			delete(e, "id")
		}
		text, err := json.Marshal(e)
		require.NoError(l.t, err)
		all = append(all, someID.ReplaceAllString(someTime.ReplaceAllString(string(text), ""), `$1""`))
	}
	return all, turns
}

// someTime is a key whose value is a time.
var someTime = regexp.MustCompile(`"\w+":"\d{4}-\d\d-\d\dT[^"]*",?`)

// someID is the ID of a session, which is different in each run.
var someID = regexp.MustCompile(`("session_id":)"[^"]+"`)

// without removes keys of an object, if it is one.
func without(object any, keys ...string) {
	if m, is := object.(map[string]any); is {
		for _, key := range keys {
			delete(m, key)
		}
	}
}

// tree returns the files that the agent created.
func (l *testLoop) tree() map[string]string {
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
func TestKilledLoopContinues(t *testing.T) {
	t.Parallel()
	moments := testkit.Times(t, 3, 200)
	calm := killAtAnyMoment(t, moments, func() *testLoop { return newSixTurns(t) }, func(l *testLoop) any { return l.result() })
	require.Equal(t, []int{1, 2, 3, 4, 5, 6}, calm.result().turns)
	require.Equal(t, "{6 project_complete completed}", calm.result().status)
}

// The same with turns that first tick their box, with and without commits, for loops that are
// terminated and loops that are killed: the ticked plan alone does not end the loop before the work
// is done.
func TestInterruptedLoopThatTicksFirst(t *testing.T) {
	t.Parallel()
	type way struct {
		name, settings string
		stops          bool
	}
	for _, w := range testkit.Sample(t, 3, []way{
		{"plain", "{verify: [test -f work]}", false},
		{"plain", "{verify: [test -f work]}", true},
		{"commit", "{commit: true, verify: [test -f work]}", false},
		{"commit", "{commit: true, verify: [test -f work]}", true},
		{"worktree", "{commit: true, worktree: side, verify: [test -f work]}", false},
		{"worktree", "{commit: true, worktree: side, verify: [test -f work]}", true},
	}) {
		t.Run(fmt.Sprintf("%s, stops=%v", w.name, w.stops), func(t *testing.T) {
			t.Parallel()
			moments := testkit.Times(t, 1, 200)
			begin := func() *testLoop {
				l := newCommitted(t)
				l.stops = w.stops
				for name, text := range map[string]string{
					"scenario.yaml":               ticksFirst,
					"project/ripple.yml":          "loop: " + w.settings + "\n",
					"project/.ralph/@fix_plan.md": "- [ ] task 1\n- [ ] task 2\n",
				} {
					require.NoError(t, os.WriteFile(filepath.Join(l.dir, name), []byte(text), 0o600))
				}
				l.sh("git add ripple.yml; git commit -qm settings -- ripple.yml")
				return l
			}
			type all struct {
				result
				plan, repository string
			}
			calm := killAtAnyMoment(t, moments, begin, func(l *testLoop) any {
				top := "."
				if w.name == "worktree" {
					top = ".ralph/side-worktree"
				}
				r := l.result()
				r.events = nil // they contain commit hashes and times
				return all{r, l.sh("cat .ralph/@fix_plan.md"), l.repository(top)}
			})
			require.Equal(t, []int{1, 2}, calm.result().turns)
		})
	}
}

// ticksFirst is a scenario of two turns that tick a box of the plan and then do the work.
const ticksFirst = `turns:
  - steps:
      - run: sed -i "s/- \\[ \\] task $RIPPLE_TURN$/- [x] task $RIPPLE_TURN/" "$PLAN"
      - text: It is ticked.
      - run: echo $RIPPLE_TURN > work; echo x > new.$RIPPLE_TURN
      - status: {STATUS: IN_PROGRESS}
`

// killAtAnyMoment checks that loops that are killed repeatedly, and resumed, have the same result
// as an undisturbed one, which it returns.
func killAtAnyMoment(t *testing.T, moments int, begin func() *testLoop, left func(*testLoop) any) (calm *testLoop) {
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
		for args := []string(nil); ; args = l.resumeArgs() {
			// A loop that is resumed runs longer each time: git's lock that a killed git left is removed after a second only.
			after, outer := time.Duration(random.Int64N(int64(whole)*int64(2+len(at))/2)), random.IntN(2) == 0
			started := time.Now()
			ended := l.runKilled(after, outer, args...)
			at = append(at, fmt.Sprintf("%v outer=%v", after, outer))
			l.checkFiles()
			if ended && args == nil {
				whole = time.Since(started) // a slower machine
			}
			if ended {
				break
			}
			kills++
		}
		require.Equal(t, want, left(l), "killed at %v", at)
		temporary, err := filepath.Glob(filepath.Join(l.dir, "project", layout.Dir, layout.TempMark+"*"))
		require.NoError(t, err)
		require.Empty(t, temporary)
	}
	return calm
}

// result is the result of a run, without data that differs between runs.
type result struct {
	tree   map[string]string
	events []string
	turns  []int
	status string
}

func (l *testLoop) result() result {
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
