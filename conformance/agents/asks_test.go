package agents

import (
	"bytes"
	"context"
	"encoding/json"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// asks is how an agent is made to ask, over one of its ways, before it runs a command.
type asks struct {
	Because   string            // reason why it never asks
	Mode      string            // the permission mode
	Args      []string          // arguments of its own interface, as a console, with the same effect
	Env, Home map[string]string // in addition to its own
	Call      toolCall          // the call for which it asks; by default a shell command
}

// has reports whether turns can be run here over a way: an adapter may not have it, or it may need
// a program of its own.
func (r rig) has(t *testing.T, way string) bool {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), bound)
	defer cancel()
	cmd := r.command(ctx, t, "text")
	cmd.Args = []string{r.ripple, "doctor", r.adapter, "--json"}
	out, _ := cmd.Output() // its exit code is about other missing parts
	var found []struct{ Ways []string }
	require.NoError(t, json.Unmarshal(out, &found), "%s", out)
	require.Len(t, found, 1)
	return slices.Contains(found[0].Ways, way)
}

// asking is a loop whose agent asks, over a way, for permission to run a command that creates a
// file.
type asking struct {
	rig
	way, mode, behavior string
}

func newAsking(t *testing.T, r rig, way string) asking {
	t.Helper()
	how, known := r.setup.Asks[way]
	switch {
	case how.Because != "":
		t.Skip(how.Because)
	case !known, !r.has(t, way):
		t.Skip("it cannot be asked here over " + way)
	}
	r.setup.Env, r.setup.Home = merged(r.setup.Env, how.Env), merged(r.setup.Home, how.Home)
	behavior := "tool/run=touch%20made.txt"
	if how.Call.Name != "" {
		behavior = how.Call.behavior(t, "")
	}
	return asking{r, way, how.Mode, behavior}
}

// at runs ripple in the directory of the loop.
func (a asking) at(t *testing.T, args ...string) (exit int, said string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), bound)
	defer cancel()
	cmd := a.command(ctx, t, a.behavior)
	cmd.Args = append([]string{a.ripple}, args...)
	out, _ := cmd.CombinedOutput() // the exit code is returned
	assert.Empty(t, leftovers(a.home), "processes that outlived ripple")
	return cmd.ProcessState.ExitCode(), string(out)
}

// loop runs one turn.
func (a asking) loop(t *testing.T, args ...string) (exit int, said string) {
	t.Helper()
	with := []string{"run", "--adapter", a.adapter, "--json", "--prompt", "Make it.", "--max-turns", "1", "--transport", a.way}
	if a.mode != "" {
		with = append(with, "--permission-mode", a.mode)
	}
	return a.at(t, append(with, args...)...)
}

// record counts the questions in the loop's record, and their answers.
func (a asking) record(t *testing.T) (asked, answered int) {
	t.Helper()
	lines, err := os.ReadFile(filepath.Join(a.work, ".ralph/events.jsonl"))
	require.NoError(t, err)
	return bytes.Count(lines, []byte(`"type":"asked"`)), bytes.Count(lines, []byte(`"type":"answered"`))
}

// done reports whether the command was run.
func (a asking) done() bool {
	_, err := os.Stat(filepath.Join(a.work, "made.txt"))
	return err == nil
}

// asksSomebody makes a tool ask during a turn of a loop: the loop has one question that waits for
// the user, who is a command here or answers after the loop has stopped, and the command is run or
// not according to the answer.
func asksSomebody(t *testing.T, r rig, way string) {
	if testing.Short() && way == "acp" {
		t.Skip("takes minutes with all agents: run make test-agents")
	}
	a := newAsking(t, r, way)
	for answer, made := range map[string]bool{"--allow": true, "--deny": false} {
		t.Run(answer, func(t *testing.T) {
			if testing.Short() && !made {
				t.Skip("one answer is enough for a short run")
			}
			a := a
			a.work = t.TempDir()
			exit, said := a.loop(t, "--on-question", a.ripple+" answer "+answer)
			assert.Equal(t, exitLimit, exit, "one turn: %s", said)
			assert.Equal(t, made, a.done(), said)
			asked, answered := a.record(t)
			assert.Equal(t, []int{1, 1}, []int{asked, answered}, said)
		})
	}
	t.Run("when the loop has stopped", func(t *testing.T) {
		if testing.Short() {
			t.Skip("two turns")
		}
		a := a
		a.work = t.TempDir()
		exit, said := a.loop(t)
		require.Equal(t, exitBlocked, exit, "no user is available: %s", said)
		assert.False(t, a.done(), said)
		_, status := a.at(t, "status", "--json")
		assert.Contains(t, status, `"state": "needs_you"`)
		exit, told := a.at(t, "answer", "--allow")
		require.Equal(t, exitOK, exit, told)
		exit, again := a.loop(t, "--resume")
		assert.Equal(t, exitLimit, exit, again)
		assert.True(t, a.done(), again)
		asked, answered := a.record(t)
		assert.Equal(t, []int{1, 1}, []int{asked, answered}, "%s\n%s", said, again)
	})
}

// asksNobody runs a single turn in a mode that asks: an unapproved command is not run, and the exit
// code reports it.
func asksNobody(t *testing.T, r rig) {
	for _, way := range []string{"acp", "screen"} {
		t.Run(way, func(t *testing.T) {
			a := newAsking(t, r, way)
			if a.mode == "" {
				t.Skip("it only asks through its own configuration")
			}
			a.work = t.TempDir()
			exit, said := a.at(t, "agent", "run", "--adapter", a.adapter, "--transport", way, "--permission-mode", a.mode, "--timeout", "90s", "Make it.")
			assert.Equal(t, exitBlocked, exit, said)
			assert.False(t, a.done(), said)
		})
	}
}

// cancelled checks a turn over the protocol that is canceled while a command of the agent runs: the
// command ends, and the session remains usable.
func cancelled(t *testing.T, r rig) {
	if testing.Short() {
		t.Skip("takes minutes with all agents: run make test-agents")
	}
	const way = "acp"
	if !r.has(t, way) {
		t.Skip("its way is not available")
	}
	ctx, cancel := context.WithTimeout(t.Context(), bound)
	defer cancel()
	cmd := r.command(ctx, t, "tool/run="+url.PathEscape("touch begun; sleep 1000"), "--transport", way, "say hello")
	var since time.Time
	s := r.finish(t, cmd, func() {
		begun := filepath.Join(r.work, "begun")
		require.Eventually(t, func() bool { _, err := os.Stat(begun); return err == nil }, bound, 10*time.Millisecond, "the command runs")
		since = time.Now()
		require.NoError(t, cmd.Process.Signal(os.Interrupt))
	})
	assert.Less(t, time.Since(since), 30*time.Second)
	assert.Equal(t, exitInterrupted, s.exit)
	if assert.NotNil(t, s.outcome.Failure) {
		assert.Equal(t, "interrupted", s.outcome.Failure.Kind)
	}
	require.NotEmpty(t, s.outcome.SessionID)
	next := r.turn(t, "text", "--transport", way, "--resume", s.outcome.SessionID, "and now?")
	assert.Equal(t, exitOK, next.exit)
	assert.Nil(t, next.outcome.Failure)
	assert.Contains(t, next.outcome.Text, "STANDIN-OK")
	assert.Equal(t, s.outcome.SessionID, next.outcome.SessionID)
	assert.True(t, told(next.asked, "and now?"))
}
