//go:build unix

package loop

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.com/ripple/internal/testkit"
	"example.com/ripple/runtime/event"
	"example.com/ripple/runtime/loop/config"
	"example.com/ripple/runtime/loop/journal"
	"example.com/ripple/runtime/loop/layout"
)

// crashScript is the workload of the crash test: eight turns of all kinds, deterministic when a
// turn is repeated.
func crashScript(d *doing) {
	turn := d.r.Turn
	d.event(event.Event{Type: event.Session, ID: "s-1"})
	for i := range 20 {
		d.says(fmt.Sprintf("turn %d, piece %d: %s", turn, i, strings.Repeat("words ", i)))
		if i == 10 && turn%5 != 0 {
			d.writes(fmt.Sprintf("dir/f%d.txt", turn%4), fmt.Sprintf("content of turn %d\n", turn))
		}
	}
	switch {
	case turn == 6:
		d.writes("tests/t_test.txt", fmt.Sprint(turn))
		d.event(event.Event{Type: event.PermissionDenied, Name: "Bash"})
	case turn == 7:
		d.event(event.Event{Type: event.Error, Message: "Error: flaky"})
	}
	if turn >= 7 {
		d.says(complete)
	}
	d.out.SessionID = "s-1"
	d.out.CostUSD = 0.25
}

// TestCrashChild is the process that the crash test kills.
func TestCrashChild(t *testing.T) {
	dir := os.Getenv("RIPPLE_CRASH_DIR")
	if dir == "" {
		t.Skip("only as a child of the crash test")
	}
	c, _, err := config.Load(dir, map[string]string{"commit": "true", "tag": "true", "verify": "test -f dir/f3.txt", "calls": "100000"}, func(string) string { return "" })
	require.NoError(t, err)
	agent := &crashAgent{dir}
	_, err = journal.ReadBegan(dir)
	stop := New(Options{Project: dir, Config: c, Agent: agent, Resume: err == nil}).Run(t.Context())
	fmt.Printf("stopped: %s %s\n", stop.Reason, stop.Why)
}

type crashAgent struct{ dir string }

func (a *crashAgent) Turn(ctx context.Context, r Request, emit func(event.Event)) (Outcome, error) {
	d := &doing{ctx: ctx, dir: r.Dir, n: r.Turn, r: r, emit: emit}
	crashScript(d)
	return d.out, d.err
}

func crashProject(t *testing.T) *project {
	p := newRepo(t)
	p.write(".ralph/PROMPT.md", "Do it.\n")
	p.write("mine.txt", "not committed")
	p.git("config", "commit.gpgsign", "false")
	return p
}

// child runs the loop in another process and kills it after a delay, if that is not 0. stopped is
// its final output, or "" if it was killed before.
func (p *project) child(after time.Duration) (stopped string) {
	p.t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^TestCrashChild$", "-test.v")
	cmd.Env = append(os.Environ(), "RIPPLE_CRASH_DIR="+p.dir)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	require.NoError(p.t, cmd.Start())
	if after > 0 {
		kill := time.AfterFunc(after, func() { _ = cmd.Process.Kill() })
		defer kill.Stop()
	}
	err := cmd.Wait()
	for line := range strings.Lines(out.String()) {
		if strings.HasPrefix(line, "stopped: ") {
			stopped = line
		}
	}
	var exit *exec.ExitError
	if killed := errors.As(err, &exit) && exit.ExitCode() < 0; !killed {
		require.NoError(p.t, err, out.String())
		require.NotEmpty(p.t, stopped, out.String())
	}
	return stopped
}

// whenAsked is the time of a question.
var whenAsked = regexp.MustCompile(`"asked":"[^"]*",`)

// events returns the lines of events.jsonl without values that differ between runs, and without
// attempts at a turn that were killed.
func (p *project) events() []string {
	p.t.Helper()
	var list []string
	begun := 0 // index of the last turn's start
	for l := range strings.Lines(p.read(".ralph/events.jsonl")) {
		v := map[string]any{}
		require.NoError(p.t, json.Unmarshal([]byte(l), &v), "a torn line: %s", l)
		for _, key := range []string{"time", "seq", "sha", "tag", "calls"} { // attempts count, even if killed
			delete(v, key)
		}
		if s, ok := v["summary"].(map[string]any); ok {
			delete(s, "elapsed_ns")
		}
		if s, ok := v["state"].(map[string]any); ok {
			for _, key := range []string{"run", "elapsed_ms", "session", "moves", "not_before", "proven", "start"} {
				delete(s, key)
			}
			if s["breaker"] != nil {
				delete(s["breaker"].(map[string]any), "opened_at")
			}
		}
		switch v["type"] {
		case "turn_started":
			begun = len(list)
		case "turn_cut":
			list = list[:begun]
			continue
		}
		data, err := json.Marshal(v)
		require.NoError(p.t, err)
		list = append(list, whenAsked.ReplaceAllString(string(data), ""))
	}
	return list
}

// whole checks that no file of the loop is torn.
func (p *project) whole() {
	p.t.Helper()
	for _, name := range []string{layout.StatusFile, layout.BreakerFile, layout.SessionFile, layout.HistoryFile, layout.CallsFile, layout.SnapshotFile} {
		data, err := os.ReadFile(filepath.Join(p.dir, layout.Dir, name))
		if !errors.Is(err, os.ErrNotExist) {
			require.True(p.t, json.Valid(data), "%s is torn: %q", name, data)
		}
	}
}

// kill -9 at random moments, then --resume: the same tree, commits, number of turns and events as
// an uninterrupted run.
func TestKilledAtAnyMoment(t *testing.T) {
	t.Parallel()
	kills := testkit.Times(t, 5, 200)
	want := crashProject(t)
	started := time.Now()
	stopped := want.child(0)
	whole := time.Since(started)
	assert.Contains(t, stopped, "project_complete")
	wantEvents, wantStatus := want.events(), want.json(".ralph/status.json")
	wantTree, wantLog := want.git("status", "--porcelain"), want.git("log", "--format=%s", "--name-status")

	for killed := 0; killed < kills; {
		p := crashProject(t)
		stopped := ""
		for stopped == "" {
			after := time.Duration(rand.Int64N(int64(whole)))
			if stopped = p.child(1 + after); stopped == "" {
				killed++
			}
			p.whole()
			require.NotContains(t, stopped, " locked ", "by nobody")
		}
		events := p.events()
		for i := range min(len(wantEvents), len(events)) {
			require.Equal(t, wantEvents[i], events[i], "line %d", i+1)
		}
		require.Equal(t, len(wantEvents), len(events), "the last: %s; it said: %s", events[len(events)-1], stopped)
		require.Equal(t, wantTree, p.git("status", "--porcelain"))
		require.Equal(t, wantLog, p.git("log", "--format=%s", "--name-status"))
		status := p.json(".ralph/status.json")
		require.Equal(t, wantStatus["loop_count"], status["loop_count"])
		require.Equal(t, wantStatus["exit_reason"], status["exit_reason"])
		require.Equal(t, len(strings.Fields(want.git("tag"))), len(strings.Fields(p.git("tag"))))
		left, err := filepath.Glob(filepath.Join(p.dir, layout.Dir, layout.TempMark+"*"))
		require.NoError(t, err)
		require.Empty(t, left)
	}
}
