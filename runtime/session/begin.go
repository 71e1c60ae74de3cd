package session

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"strconv"
	"time"

	"example.org/ripple/runtime/internal/scratch"
	"example.org/ripple/runtime/launch"
	"example.org/ripple/runtime/pty"
	"example.org/ripple/runtime/terminal"
	"example.org/ripple/schema"
)

// Pending is a running program whose session has not been opened yet. Nothing has read its output so
// far.
type Pending struct {
	adapter *schema.Adapter
	at      time.Time // when it was started
	scratch *scratch.Dir
	plan    launch.Plan
	prog    *program
	tty     *pty.PTY
}

// Prestart starts a session's program early, so that the caller can do other work until the program
// reaches its prompt. It uses the options that apply to the start of a program: From, Dir, Env, Cols,
// Rows, Executable, Args, Banner, Reason and CommandPrefix. It returns the errors of Open, except for
// *StartError.
func Prestart(a *schema.Adapter, o Options) (*Pending, error) {
	if a.Family == schema.FamilyAgent {
		return nil, fmt.Errorf("%s: %w", a.Name, ErrAgent)
	}
	b := &Pending{adapter: a, at: time.Now()}
	if err := b.begin(o); err != nil {
		b.scratch.Remove()
		return nil, err
	}
	return b, nil
}

func (b *Pending) begin(o Options) error {
	a := b.adapter
	nonce, err := randomHex(16)
	if err != nil {
		return err
	}
	host := launch.OSHost()
	removeDead(host.TempDir, a.Input.Tempfile)
	if b.scratch, err = scratch.New(host.TempDir, strconv.Itoa(host.PID)); err != nil {
		return err
	}
	b.plan, err = launch.Build(a, host, launch.Request{
		From: o.From, Dir: o.Dir, Env: o.Env, Args: o.Args, Cols: o.Cols, Rows: o.Rows,
		Executable: o.Executable, Banner: o.Banner, Reason: o.Reason, Nonce: nonce, ScratchDir: b.scratch.Path,
	})
	if err != nil {
		return err
	}
	for _, f := range b.plan.Files {
		if err := f.Write(); err != nil {
			return err
		}
	}
	if b.prog, err = compile(a, b.plan.Values, nonce); err != nil {
		return fmt.Errorf("%s: %w", a.Name, err)
	}
	return b.start(o)
}

// start starts the planned program.
func (b *Pending) start(o Options) (err error) {
	argv, t := b.plan.Argv, b.plan.TTY
	if o.CommandPrefix != nil {
		argv = append(o.CommandPrefix(b.scratch.Path), argv...)
	}
	b.tty, err = pty.Start(pty.Command{
		Path: argv[0], Argv: argv, Env: b.plan.Env, Dir: b.plan.Dir,
		Size: pty.Size{Cols: t.Cols, Rows: t.Rows}, Echo: t.Echo, Canonical: t.Canonical,
		KeepCR: !t.Canonical && b.prog.input.ending == "\r",
	})
	if err != nil {
		return fmt.Errorf("starting %s: %w", argv[0], err)
	}
	return nil
}

// Close ends a program that will not get a session.
func (b *Pending) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), killLimit)
	defer cancel()
	t := b.plan.TTY
	err := terminal.New(b.tty, pty.Size{Cols: t.Cols, Rows: t.Rows}, terminal.Options{}).Close(ctx, b.prog.ending.steps()...)
	b.scratch.Remove()
	return err
}

// removeDead removes files of sessions whose process was killed, unless the adapter disables that.
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

// randomHex returns n random bytes in hexadecimal.
func randomHex(n int) (string, error) {
	b := make([]byte, n)
	if _, err := rand.Read(b); err != nil {
		return "", fmt.Errorf("reading random bytes: %w", err)
	}
	return hex.EncodeToString(b), nil
}
