package agents

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// onConsole is an agent on its own screen, detached in a console.
type onConsole struct {
	asking
	name string
	env  []string
}

// newOnConsole connects the agent to its model server once: it stores the configuration in its
// home.
func newOnConsole(t *testing.T, a asking, name, behavior string) onConsole {
	t.Helper()
	return onConsole{a, fmt.Sprintf("%s-%s-%d", a.adapter, name, os.Getpid()), a.command(t.Context(), t, behavior).Env} // a unique name
}

// do runs a command of `ripple console`.
func (c onConsole) do(t *testing.T, args ...string) (exit int, said string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), bound) // also used to close it at the end
	defer cancel()
	cmd := exec.CommandContext(ctx, c.ripple, append([]string{"console"}, args...)...)
	cmd.Dir, cmd.Env = c.work, c.env
	out, _ := cmd.CombinedOutput() // the exit code is returned
	t.Logf("%v: exit code %d\n%s", args, cmd.ProcessState.ExitCode(), out)
	return cmd.ProcessState.ExitCode(), string(out)
}

// shownAgent is the state of an agent, and its possible answers.
type shownAgent struct {
	State, Question string
	Answers         []string
}

func (c onConsole) shows(t *testing.T) shownAgent {
	t.Helper()
	_, out := c.do(t, "list", "--json")
	var list []struct {
		Name  string
		Agent shownAgent
	}
	require.NoError(t, json.Unmarshal([]byte(out), &list), out)
	for _, one := range list {
		if one.Name == c.name {
			return one.Agent
		}
	}
	require.Fail(t, "there is no such console", c.name)
	return shownAgent{}
}

// begin starts the agent, and answers the questions before its first prompt.
func (c onConsole) begin(t *testing.T, cols, rows string) {
	t.Helper()
	exit, said := c.do(t, append([]string{"start", c.adapter, "--name", c.name, "--cols", cols, "--rows", rows, "--"}, c.setup.Asks[c.way].Args...)...)
	require.Equal(t, exitOK, exit, said)
	t.Cleanup(func() {
		exit, _ := c.do(t, "close", c.name)
		assert.Equal(t, exitOK, exit)
	})
	for range 10 {
		c.do(t, "wait", c.name, "--for", "input", "--timeout", "30s")
		shown := c.shows(t)
		if shown.State == "ready" {
			return
		}
		assert.False(t, shown.State == "trust" && shown.Question == "", "the directory to trust is shown")
		answer := "cancel"
		if slices.Contains(shown.Answers, "accept") {
			answer = "accept"
		}
		if slices.Contains(shown.Answers, answer) { // otherwise it is still being drawn
			c.do(t, "send", c.name, "--answer", answer) // it may have been redrawn in the meantime
		}
	}
	require.Fail(t, "it is not ready for a prompt")
}

// interrupt presses the keys that interrupt the agent, and reports whether it accepts a prompt
// again.
func (c onConsole) interrupt(t *testing.T) bool {
	t.Helper()
	for i, key := range c.setup.Interrupts {
		limit := "10s"
		if i < len(c.setup.Interrupts)-1 {
			limit = "2s" // keys sent together may be read as a different key
		}
		c.do(t, "send", c.name, "--key", key)
		if exit, _ := c.do(t, "wait", c.name, "--timeout", limit); exit == exitOK {
			return true
		}
	}
	return false
}

// inSizes runs a turn on the agent's own screen at several terminal sizes: its first screens, a
// prompt, a tool that asks, the answer; and an interrupted turn. At the smallest size there is no
// row for the name of its directory.
func inSizes(t *testing.T, r rig) {
	if !r.setup.Sizes {
		t.Skip("tried in one size")
	}
	if r.setup.Interrupts == nil {
		r.setup.Interrupts = []string{"esc"}
	}
	a := newAsking(t, r, "screen")
	for _, size := range [][3]string{{"80", "24", strings.Repeat("a-directory-of-many/", 8)}, {"120", "40", ""}} {
		t.Run(size[0]+" by "+size[1], func(t *testing.T) {
			if testing.Short() {
				t.Skip("half a minute")
			}
			a := a
			a.work = filepath.Join(t.TempDir(), size[2])
			require.NoError(t, os.MkdirAll(a.work, 0o700))
			t.Cleanup(func() { // a console's own process ends last
				assert.Eventually(t, func() bool { return len(leftovers(a.home)) == 0 }, bound, 50*time.Millisecond, "no process outlives its console")
			})
			c := newOnConsole(t, a, size[0], a.behavior)
			c.begin(t, size[0], size[1])
			exit, said := c.do(t, "exec", c.name, "Make it.", "--timeout", "60s")
			require.Equal(t, exitTimedOut, exit, said)
			require.Contains(t, said, "waits for a user (asks)")
			assert.False(t, a.done())
			exit, said = c.do(t, "send", c.name, "--answer", "allow_once")
			require.Equal(t, exitOK, exit, said)
			exit, said = c.do(t, "wait", c.name, "--timeout", "60s")
			assert.Equal(t, exitOK, exit)
			assert.Contains(t, said, "STANDIN-OK")
			assert.True(t, a.done())

			c = newOnConsole(t, a, size[0]+"-stalls", "stall")
			c.begin(t, size[0], size[1])
			before := len(r.asked())
			exit, said = c.do(t, "exec", c.name, "Say hello.", "--timeout", "1s")
			require.Equal(t, exitTimedOut, exit, said)
			require.Eventually(t, func() bool { return len(r.asked()) > before }, bound, 10*time.Millisecond, "the model is asked")
			done := false
			for try := 0; try < 5 && !done; try++ { // a key may come too early
				done = c.interrupt(t)
			}
			assert.True(t, done)
			assert.Equal(t, "ready", c.shows(t).State)
		})
	}
}
