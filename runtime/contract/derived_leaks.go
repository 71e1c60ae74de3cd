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

	"github.com/dlclark/regexp2"
	"golang.org/x/sync/errgroup"

	"example.org/ripple/runtime/session"
	"example.org/ripple/schema"
)

// closeLeavesNothing lets a session create files (a block, and output beyond its window) and
// processes, closes it, and looks for remaining ones. Files that the program itself leaves in its
// HOME, such as a history, are allowed and only noted.
func closeLeavesNothing(ctx context.Context, t *testRun) error {
	before := ourFiles(t)
	home, err := t.run.around.newHome()
	if err != nil {
		return unsound{err}
	}
	if err := t.openOwn(ctx, session.Options{Window: 4 << 10, Env: []string{"HOME=" + home}}); err != nil {
		return err
	}
	pid := t.ev.State().PID
	err = makeFiles(ctx, t)
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
		t.note("the program keeps files of its own in HOME: %s", firstFew(own))
	}
	return nil
}

func makeFiles(ctx context.Context, t *testRun) error {
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

// ourFiles returns the files that a session of this process may have created: its private directory
// in the system's temporary directory, and files in the run's working and temporary directories
// whose names begin like a file of ripple or of the adapter.
func ourFiles(t *testRun) map[string]bool {
	files := map[string]bool{}
	patterns := []string{filepath.Join(os.TempDir(), fmt.Sprintf("ripple-%d-*", os.Getpid()))}
	for _, dir := range []string{t.run.around.work, t.run.around.temp} {
		for _, prefix := range ourPrefixes(t.adapter) {
			patterns = append(patterns, filepath.Join(dir, prefix+"*"))
		}
	}
	for _, p := range patterns {
		found, _ := filepath.Glob(p) // it fails for a bad pattern only, which no file name can match
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

// firstFew lists the first of many names.
func firstFew(names []string) string {
	const named = 10
	if more := len(names) - named; more > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:named], ", "), more)
	}
	return strings.Join(names, ", ")
}

func homeFiles(home string) []string {
	var names []string
	// Best effort: it is only a note.
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

// startsLeakNothing opens and closes many sessions and compares this process's resources before and
// after. One cycle runs first, to create what is created only once.
func startsLeakNothing(ctx context.Context, t *testRun) error {
	if err := startsAndEnds(ctx, t); err != nil {
		return err
	}
	before, began := countResources(t), time.Now()
	atOnce := t.run.options.leakPrograms()
	if err := cycle(ctx, t, atOnce, atOnce); err != nil {
		return err
	}
	one := time.Since(began) / time.Duration(atOnce) // with several at once: some programs start on every processor, others on one
	cycles := affordable(one)
	if cycles < leakCycles {
		t.note("%d cycles instead of %d, because one takes %s", cycles, leakCycles, one.Round(time.Millisecond))
	}
	if err := cycle(ctx, t, cycles-atOnce, atOnce); err != nil {
		return err
	}
	t.begin(fmt.Sprintf("%d starts and stops", cycles), "")
	return settled(ctx, t, before)
}

func affordable(one time.Duration) int {
	n := int(leakBudget / max(one, time.Millisecond))
	return min(max(n, leakAtOnce), leakCycles)
}

// cycle opens and closes the given number of sessions, atOnce of them at a time.
func cycle(ctx context.Context, t *testRun, cycles, atOnce int) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(atOnce)
	for i := range cycles {
		group.Go(func() error {
			ev, err := t.run.openWith(ctx, session.Options{}, nil)
			if err != nil {
				return fmt.Errorf("starting program %d: %w", i+1, err)
			}
			pid := ev.State().PID
			members := membersOf(pid)
			if err := ev.Close(ctx); err != nil {
				return fmt.Errorf("ending program %d: %w", i+1, err)
			}
			if left := stillThere(members, pid); len(left) > 0 {
				return failf("processes are left after stop %d: %s", i+1, strings.Join(left, ", "))
			}
			return nil
		})
	}
	return group.Wait()
}

// resources counts the resources that a program may leak. Processes are children of this process,
// such as daemons that left their session, that have this run's environment: programs of other
// tests may start some at any time.
type resources struct{ descriptors, goroutines, processes int }

func countResources(t *testRun) resources {
	regexp2.StopTimeoutClock() // its goroutine starts with a match, and ends seconds later
	return resources{openDescriptors(), runtime.NumGoroutine(), childrenWith(t.run.around.root)}
}

// settled compares until nothing is more than before: a goroutine that was asked to end needs a
// moment.
func settled(ctx context.Context, t *testRun, before resources) error {
	ctx, cancel := context.WithTimeout(ctx, leakSettled)
	defer cancel()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for {
		after := countResources(t)
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
