package contract

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"ripple/runtime/session"
	"ripple/schema"
)

// killedProgram: a program that is killed is a typed error at the command that
// was running and at the next; with lifecycle.restart_on: [crash] the session
// can start it again.
func killedProgram(ctx context.Context, t *trial) error {
	restarts := has(t.adapter.Lifecycle.RestartOn, "crash")
	if err := t.openOwn(ctx, session.Options{Restart: restarts}); err != nil {
		return err
	}
	err := t.kill(ctx)
	if err == nil && restarts {
		err = t.usable(ctx, "after the restart")
	} else if err == nil {
		err = t.staysEnded(ctx)
	}
	return errors.Join(err, t.closeQuietly(ctx, err))
}

// closeQuietly closes without changing what a failure says about its step.
func (t *trial) closeQuietly(ctx context.Context, failed error) error {
	step, sent, result := t.step, t.sent, t.result
	err := t.closeOwn(ctx)
	if failed != nil {
		t.step, t.sent, t.result = step, sent, result
		return nil
	}
	return err
}

// kill ends the program in mid-work when there is a sample for work, otherwise
// at its prompt.
func (t *trial) kill(ctx context.Context) error {
	work := t.adapter.Samples.Busy
	if work == "" {
		work = withNumber(t.adapter.Samples.Sleep, 60)
	}
	pid := t.ev.State().PID
	if work == "" {
		t.begin("kill at the prompt", "")
		if err := killProcess(pid); err != nil {
			return unsound{err}
		}
		select {
		case <-t.ev.Done():
			return nil
		case <-ctx.Done():
			return failf("the program was killed, but the session did not notice")
		}
	}
	p := t.evalInBackground(ctx, "kill in mid-work", work)
	defer func() { p.cancel(); <-p.done }()
	if _, err := t.until(ctx, p, func(s session.State) bool { return s.Phase == session.PhaseRunning }); err != nil {
		return t.neverSeen(ctx, p, string(session.PhaseRunning))
	}
	if err := killProcess(pid); err != nil {
		return unsound{err}
	}
	<-p.done
	t.result = p.result
	return diedTyped(p.err)
}

func killProcess(pid int) error {
	process, err := os.FindProcess(pid)
	if err == nil {
		err = process.Kill()
	}
	if err != nil {
		return fmt.Errorf("kill process %d: %w", pid, err)
	}
	return nil
}

func diedTyped(err error) error {
	var exit *session.ExitError
	if !errors.Is(err, session.ErrExited) || !errors.As(err, &exit) {
		return failf("the program was killed: want a session.ExitError, got %v", err)
	}
	if exit.Signal == "" {
		return failf("the program was killed by a signal, but the error says %q", exit)
	}
	return nil
}

func (t *trial) staysEnded(ctx context.Context) error {
	_, err := t.eval(ctx, "after the end", "0")
	if !errors.Is(err, session.ErrExited) && !errors.Is(err, session.ErrClosed) {
		return failf("a command for a program that has ended: want %v, got %v", session.ErrExited, err)
	}
	t.note("restart was not tried: lifecycle.restart_on does not list crash")
	return nil
}

func has(list []string, word string) bool {
	for _, w := range list {
		if w == word {
			return true
		}
	}
	return false
}

// closeLeavesNothing lets a session make files (a block, and output beyond its
// window) and processes, closes it, and looks for what is left. What a program
// itself leaves in its HOME (a history, say) is its own affair and only noted.
func closeLeavesNothing(ctx context.Context, t *trial) error {
	before := ourFiles(t)
	home, err := t.run.around.newHome()
	if err != nil {
		return unsound{err}
	}
	if err := t.openOwn(ctx, session.Options{Window: 4 << 10, Env: []string{"HOME=" + home}}); err != nil {
		return err
	}
	pid := t.ev.State().PID
	err = t.makeFiles(ctx)
	members := membersOf(pid)
	if err = errors.Join(err, t.closeQuietly(ctx, err)); err != nil {
		return err
	}
	if left := stillThere(members, pid); len(left) > 0 {
		return failf("processes are left after close: %s", strings.Join(left, ", "))
	}
	for file := range ourFiles(t) {
		if !before[file] {
			return failf("a file is left after close: %s", file)
		}
	}
	if own := homeFiles(home); len(own) > 0 {
		t.note("the program keeps files of its own in HOME: %s", strings.Join(own, ", "))
	}
	return nil
}

func (t *trial) makeFiles(ctx context.Context) error {
	if s := t.adapter.Samples.Multiline; s != "" {
		if _, err := t.eval(ctx, "a block", withNumber(s, 1)); err != nil {
			return err
		}
	}
	if s := t.adapter.Samples.PrintLines; s != "" {
		if _, err := t.eval(ctx, "more than the window", withNumber(s, 5000)); err != nil {
			return err
		}
	}
	return nil
}

// ourFiles are the files that a session of this process may have made: its
// private directory in the system's temporary one, and whatever in the run's
// working and temporary directories begins like a file of ripple's or of the
// adapter's.
func ourFiles(t *trial) map[string]bool {
	files := map[string]bool{}
	patterns := []string{filepath.Join(os.TempDir(), fmt.Sprintf("ripple-%d-*", os.Getpid()))}
	for _, dir := range []string{t.run.around.work, t.run.around.temp} {
		for _, prefix := range ourPrefixes(t.adapter) {
			patterns = append(patterns, filepath.Join(dir, prefix+"*"))
		}
	}
	for _, p := range patterns {
		found, _ := filepath.Glob(p) // only a bad pattern fails, and then nothing of ours can have that name
		for _, file := range found {
			files[file] = true
		}
	}
	return files
}

func ourPrefixes(a *schema.Adapter) []string {
	prefixes := []string{"ripple", ".ripple"}
	if in := a.Input.Tempfile; in != nil && in.Prefix != "" {
		prefixes = append(prefixes, in.Prefix)
	}
	if in := a.Init.Tempfile; in != nil && in.Prefix != "" {
		prefixes = append(prefixes, in.Prefix)
	}
	return prefixes
}

func homeFiles(home string) []string {
	var names []string
	// Best effort: it is a note for the reader.
	_ = filepath.WalkDir(home, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			rel, _ := filepath.Rel(home, path) // path is below home
			names = append(names, rel)
		}
		return nil
	})
	return names
}

const (
	leakCycles  = 50
	leakAtOnce  = 4
	leakBudget  = 20 * time.Second // slow programs get fewer cycles, and the report says so
	leakSettled = time.Second
)

// startsLeakNothing opens and closes many sessions and compares what this process
// has before and after. One cycle goes first: it makes what is made only once.
func startsLeakNothing(ctx context.Context, t *trial) error {
	began := time.Now()
	if err := startsAndEnds(ctx, t); err != nil {
		return err
	}
	cycles := affordable(time.Since(began))
	if cycles < leakCycles {
		t.note("%d cycles instead of %d, because one takes %s", cycles, leakCycles, time.Since(began).Round(time.Millisecond))
	}
	before := inventory()
	if err := t.cycle(ctx, cycles); err != nil {
		return err
	}
	t.begin(fmt.Sprintf("%d starts and stops", cycles), "")
	return settled(ctx, before)
}

func affordable(one time.Duration) int {
	n := int(leakBudget * leakAtOnce / 2 / max(one, time.Millisecond))
	return min(max(n, leakAtOnce), leakCycles)
}

func (t *trial) cycle(ctx context.Context, cycles int) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(leakAtOnce)
	for i := range cycles {
		group.Go(func() error {
			ev, err := t.run.openWith(ctx, session.Options{}, nil)
			if err != nil {
				return fmt.Errorf("start %d of %d: %w", i+1, cycles, err)
			}
			if err := ev.Close(ctx); err != nil {
				return fmt.Errorf("stop %d of %d: %w", i+1, cycles, err)
			}
			return nil
		})
	}
	return group.Wait()
}

// possessions are what a leak would add to.
type possessions struct{ descriptors, goroutines, processes int }

func inventory() possessions {
	return possessions{openDescriptors(), runtime.NumGoroutine(), len(children(os.Getpid()))}
}

// settled compares until nothing is more than before: a goroutine that has been
// told to end needs a moment.
func settled(ctx context.Context, before possessions) error {
	ctx, cancel := context.WithTimeout(ctx, leakSettled)
	defer cancel()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for {
		after := inventory()
		if after.descriptors <= before.descriptors && after.goroutines <= before.goroutines && after.processes <= before.processes {
			return nil
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return failf("leaked: file descriptors %d → %d, goroutines %d → %d, child processes %d → %d", before.descriptors,
				after.descriptors, before.goroutines, after.goroutines, before.processes, after.processes)
		}
	}
}
