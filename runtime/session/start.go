package session

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"ripple/runtime/internal/prompt"
	"ripple/runtime/internal/scratch"
	"ripple/runtime/launch"
	"ripple/runtime/pty"
	"ripple/runtime/session/internal/machine"
	"ripple/schema"
)

// start launches the program and waits for its first prompt.
func start(ctx context.Context, a *schema.Adapter, o Options) (*driver, error) {
	d := newDriver(o)
	if err := d.launch(a); err != nil {
		d.scratch.Remove()
		return nil, err
	}
	d.locked(func() { // before the first byte is read
		d.showBanner()
		d.decider.step(machine.Input{Kind: machine.InStart})
		d.decider.settle()
	})
	go d.read()
	if err := d.awaitReady(ctx); err != nil {
		return nil, d.notReady(err)
	}
	removeStaged(d.plan.Files)
	return d, nil
}

// How often to look whether a starting program waits for input without having
// shown the prompt, and after how many such looks in a row it never will. Tests
// shorten the gap.
var stuckGap = 250 * time.Millisecond

const stuckLooks = 20

var errStuck = errors.New("the program waits for input, so that prompt will not come")

// awaitReady waits for the first prompt.
func (d *driver) awaitReady(ctx context.Context) error {
	tick := time.NewTicker(stuckGap)
	defer tick.Stop()
	for looks := 0; looks < stuckLooks; {
		select {
		case <-d.life.ready:
			return nil
		case <-d.life.dead:
			return d.life.exit
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
			looks++
			if d.options.Patient || !d.viewer.stuck() {
				looks = 0
			}
		}
	}
	return errStuck
}

// stuck says that the program waits for input at what is not its prompt.
func (v *viewer) stuck() (yes bool) {
	v.locked(func() {
		starting := v.control.state.Step == machine.StepFirst || v.control.state.Step == machine.StepKick
		yes = starting && v.control.state.Proof == machine.ProofNone && v.term.Readiness().State == pty.Waiting && !v.term.Readable(v.progress.bytes)
	})
	return yes
}

// launch starts the program; nothing is left when it fails, except the private
// directory.
func (d *driver) launch(a *schema.Adapter) error {
	nonce, err := randomHex(16)
	if err != nil {
		return err
	}
	host := launch.OSHost()
	removeDead(host.TempDir, a.Input.Tempfile)
	if d.scratch, err = scratch.New(host.TempDir, strconv.Itoa(host.PID)); err != nil {
		return err
	}
	d.plan, err = launch.Build(a, host, launch.Request{
		Dir: d.options.Dir, Env: d.options.Env, Args: d.options.Args, Cols: d.options.Cols, Rows: d.options.Rows,
		Executable: d.options.Executable, Banner: d.options.Banner, Reason: d.options.Reason, Nonce: nonce, ScratchDir: d.scratch.Path,
	})
	if err != nil {
		return err
	}
	for _, f := range d.plan.Files {
		if err := writePrivate(f); err != nil {
			return err
		}
	}
	if d.prog, err = compile(a, d.plan.Values, nonce); err != nil {
		return fmt.Errorf("%s: %w", a.Name, err)
	}
	d.control.policy, d.status.cwd = d.prog.policy, d.plan.Dir
	d.detect, d.stream, d.printer = newDetector(&d.prog.prompts), newStream(d.prog), newPrinter(d.core)
	return d.openTerminal(a.Process.TTY.Replies)
}

// notReady ends a program that did not get to its prompt, and says what it did
// instead.
func (d *driver) notReady(cause error) error {
	e := &StartError{Adapter: d.prog.name, Waited: time.Since(d.control.opened), Wanted: d.prog.prompts.wanted, Err: cause}
	d.locked(func() {
		e.Output, e.Needs = prompt.Visible(d.stream.startup), d.printer.reports.missing(d.stream.startup)
		if errors.Is(cause, errStuck) {
			e.Err = fmt.Errorf("%w; the line in which it waits is %q", cause, e.Output[strings.LastIndexByte(e.Output, '\n')+1:])
		}
		if d.life.failure != nil {
			e.Err = d.life.failure
		}
	})
	ctx, cancel := context.WithCancel(context.Background())
	cancel() // no polite part: the program does not listen yet
	if err := d.close(ctx); err != nil {
		e.Err = errors.Join(e.Err, err)
	}
	return e
}

func writePrivate(f launch.File) error {
	if err := os.MkdirAll(filepath.Dir(f.Path), 0o700); err != nil {
		return err
	}
	return os.WriteFile(f.Path, f.Body, 0o600)
}

// removeStaged deletes the scripts: they hold the nonce and have been read.
func removeStaged(files []launch.File) {
	for _, f := range files {
		_ = os.Remove(f.Path) // the directory goes with the session anyway
	}
}

// removeDead removes what sessions left whose process was killed, unless the adapter
// wants it otherwise.
func removeDead(dir string, t *schema.InputTempfile) {
	var age time.Duration
	if t != nil {
		if !t.CleanupOnStart {
			return
		}
		age = time.Duration(t.StaleTTLHours) * time.Hour
	}
	scratch.SweepOnce(dir, age)
}

// randomHex is n random bytes in hexadecimal.
func randomHex(n int) (string, error) {
	b := make([]byte, n)
	if _, err := rand.Read(b); err != nil {
		return "", fmt.Errorf("no random bytes: %w", err)
	}
	return hex.EncodeToString(b), nil
}
