//go:build unix

package loop

import (
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/runtime/event"
)

// TestDiskFull limits the size of files in a separate process: the limit applies to the whole
// process, including the output of the test binary itself.
func TestDiskFull(t *testing.T) {
	cmd := exec.Command(os.Args[0], "-test.run=^TestDiskFullChild$", "-test.v")
	cmd.Env = append(os.Environ(), "RIPPLE_DISK_FULL=1")
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, string(out))
	require.Contains(t, string(out), "--- PASS: TestDiskFullChild")
}

func TestDiskFullChild(t *testing.T) {
	if os.Getenv("RIPPLE_DISK_FULL") == "" {
		t.Skip("TestDiskFull runs it")
	}
	r := newRig(t, claims)
	restore := func() {}
	r.fake.script = script(works, func(d *doing) {
		restore = limitFiles(t, 20_000)
		for range 1000 {
			if d.ctx.Err() != nil {
				break
			}
			d.says(strings.Repeat("words ", 100))
		}
		assert.Error(t, d.ctx.Err(), "an agent whose work cannot be recorded is ended")
		d.fails(event.Interrupted, "")
	}, claims)
	defer func() { restore() }()
	r.onNotice = func(_ *Loop, n Notice) {
		if n.Kind == NoticeStopped {
			restore()
		}
	}
	stop := r.run()
	assert.Equal(t, "error", stop.Reason)
	assert.Contains(t, stop.Message, "events.jsonl")
	r.onNotice = nil
	r.lines() // each line is complete
	assert.Equal(t, "project_complete", r.resume().Reason)
	assert.Equal(t, 3, r.status().LoopCount)
}

// limitFiles makes writes beyond a size fail, like a full disk.
func limitFiles(t *testing.T, size uint64) (restore func()) {
	signal.Ignore(syscall.SIGXFSZ)
	var old syscall.Rlimit
	require.NoError(t, syscall.Getrlimit(syscall.RLIMIT_FSIZE, &old))
	require.NoError(t, syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: size, Max: old.Max}))
	return func() { _ = syscall.Setrlimit(syscall.RLIMIT_FSIZE, &old) }
}
