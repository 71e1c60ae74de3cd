package session

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/runtime/internal/scratch"
	"example.org/ripple/runtime/launch"
	"example.org/ripple/runtime/pty"
	"example.org/ripple/runtime/session/internal/machine"
	"example.org/ripple/runtime/terminal"
)

// Replay plays recorded output to sessions whose program does nothing.
type Replay struct {
	prog    *program
	plan    launch.Plan
	scratch *scratch.Dir
	term    *terminal.Terminal
}

// Replay returns a replay of sessions like this one, whose program is at its prompt.
func (s *Session) Replay(t *testing.T) *Replay {
	t.Helper()
	d := s.driver()
	modes, err := d.term.Modes()
	require.NoError(t, err)
	dir, err := scratch.New(t.TempDir(), "replay")
	require.NoError(t, err)
	t.Cleanup(dir.Remove)
	r := &Replay{prog: d.prog, plan: d.plan, scratch: dir}
	tty := r.plan.TTY
	r.term, err = terminal.Start(pty.Command{
		Path: "/bin/sleep", Argv: []string{"sleep", "1000"}, Size: pty.Size{Cols: tty.Cols, Rows: tty.Rows}, Echo: modes.Echoes(), Canonical: modes.Canonical(),
	}, terminal.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, r.term.Close(context.Background())) })
	return r
}

// Run gives a session the program's output, read by read, and returns the results of the codes: each
// is sent as soon as the one before it has ended. If the first read lacks the end of the first
// prompt, the session is ready without it, as on a busy machine.
func (r *Replay) Run(t *testing.T, codes []string, reads [][]byte) (results []Result) {
	t.Helper()
	d := newDriver(Options{})
	d.alarm.ring = func(int) {} // only markers end a command
	d.scratch, d.plan, d.prog, d.term = r.scratch, r.plan, r.prog, r.term
	d.kernel.term, d.kernel.events = d.term, &d.events
	d.control.policy = d.prog.policy
	d.detect, d.stream, d.printer = newDetector(&d.prog.prompts), newStream(d.prog), newPrinter(d.core)
	d.happened(func() {
		d.decider.step(machine.Input{Kind: machine.InStart})
		d.take(reads[0])
		d.decider.step(machine.Input{Kind: machine.InReadiness, Ready: machine.ReadyWaiting})
	})
	require.Equal(t, machine.StepReady, d.control.state.Step, "after %q", reads[0])
	var c *command
	for _, b := range reads[1:] {
		if c != nil && c.ended() {
			results, c = append(results, c.result), nil
		}
		if c == nil && len(results) < len(codes) {
			p, err := d.sender.builder().build(codes[len(results)])
			require.NoError(t, err)
			d.happened(func() { c = d.sender.submit(p) })
		}
		d.happened(func() { d.take(b) })
	}
	if c != nil && c.ended() {
		results = append(results, c.result)
	}
	return results
}
