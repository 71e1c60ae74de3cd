package session

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"example.org/ripple/runtime/internal/prompt"
	"example.org/ripple/runtime/launch"
	"example.org/ripple/runtime/pty"
	"example.org/ripple/runtime/session/internal/machine"
)

// start connects to the program and waits for its first prompt.
func start(ctx context.Context, b *Pending, o Options) (*driver, error) {
	d := newDriver(o)
	d.scratch, d.plan, d.prog = b.scratch, b.plan, b.prog
	d.control.policy, d.status.cwd = d.prog.policy, d.plan.Dir
	d.detect, d.stream, d.printer = newDetector(&d.prog.prompts), newStream(d.prog), newPrinter(d.core)
	d.openTerminal(b.tty, b.adapter.Process.TTY.Replies)
	d.locked(func() { // before the first byte is read
		d.showBanner()
		d.decider.step(machine.Input{Kind: machine.InStart})
		d.decider.settle()
	})
	go d.read(longestRead)
	if err := d.awaitReady(ctx); err != nil {
		return nil, d.notReady(err)
	}
	removeStaged(d.plan.Files)
	return d, nil
}

// stuckGap is how often to check whether a starting program waits for input without having shown
// its prompt; after stuckLooks such checks in a row the wait ends. Tests shorten the gap.
var stuckGap = 250 * time.Millisecond

const stuckLooks = 20

var errStuck = errors.New("the program waits for input, but not at that prompt")

// awaitReady waits for the first prompt.
func (d *driver) awaitReady(ctx context.Context) error {
	tick := time.NewTicker(stuckGap)
	defer tick.Stop()
	for looks, asked := 0, false; ; {
		select {
		case <-d.life.ready:
			return nil
		case <-d.life.dead:
			return d.life.exit
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
			if looks++; !d.viewer.stuck() {
				looks = 0
			}
		}
		switch {
		case looks < stuckLooks || asked:
		case !d.options.Attended:
			return errStuck
		default:
			if asked = true; d.options.OnQuestion != nil {
				d.options.OnQuestion()
			}
		}
	}
}

// stuck reports whether the program waits for input elsewhere than at its prompt.
func (v *viewer) stuck() (yes bool) {
	v.locked(func() {
		starting := v.control.state.Step == machine.StepFirst || v.control.state.Step == machine.StepKick
		yes = starting && v.control.state.Evidence == machine.EvidenceNone && v.term.Readiness().State == pty.Waiting && !v.term.Readable(v.progress.bytes)
	})
	return yes
}

// notReady ends a program that did not reach its prompt, and returns an error with its output.
func (d *driver) notReady(cause error) error {
	e := &StartError{Adapter: d.prog.name, Waited: time.Since(d.control.opened), Expected: d.prog.prompts.wanted, Err: cause}
	d.locked(func() {
		e.Output, e.MissingService = prompt.Visible(d.stream.startup), d.printer.reports.missing(d.stream.startup)
		if errors.Is(cause, errStuck) {
			e.Err = fmt.Errorf("%w; its last line is %q", cause, e.Output[strings.LastIndexByte(e.Output, '\n')+1:])
		}
		if d.life.failure != nil {
			e.Err = d.life.failure
		}
	})
	ctx, cancel := context.WithCancel(context.Background())
	cancel() // no polite part: the program does not read input yet
	if err := d.close(ctx); err != nil {
		e.Err = errors.Join(e.Err, err)
	}
	return e
}

// removeStaged deletes the scripts: they contain the nonce and have been read.
func removeStaged(files []launch.File) {
	for _, f := range files {
		_ = os.Remove(f.Path) // the directory is removed with the session anyway
	}
}
