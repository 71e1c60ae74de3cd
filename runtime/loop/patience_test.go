package loop

import (
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// hangs adds a hook that does not end to the repository; it ends with the test.
func (r *rig) hangs() {
	r.write(".git/hooks/pre-commit", "#!/bin/sh\n[ -e .git/free ] && exit 0\necho $$ > .git/hook.pid\nexec sleep 1000\n")
	require.NoError(r.t, os.Chmod(r.dir+"/.git/hooks/pre-commit", 0o755))
	r.t.Cleanup(func() {
		data, _ := os.ReadFile(r.dir + "/.git/hook.pid") // missing if the test failed early
		if pid, err := strconv.Atoi(strings.TrimSpace(string(data))); err == nil {
			p, _ := os.FindProcess(pid) // never fails
			_ = p.Kill()                // it may have exited
		}
	})
}

// A hook that hangs stops the loop after the timeout of a check; the commit is made later.
func TestCommitHasALimit(t *testing.T) {
	t.Parallel()
	r := gitRig(t)
	r.hangs()
	r.fake.script = script(works, claims)
	r.flags = map[string]string{"commit": "true", "verify-timeout": "1s"}
	stop := r.run()
	require.Equal(t, ReasonConflict, stop.Reason, stop.Message)
	assert.Contains(t, stop.Message, "git commit did not end within 1s")
	assert.Contains(t, stop.Message, "hook")
	assert.Equal(t, "first", r.git("log", "--format=%s"))

	r.write(".git/free", "")
	r.flags["verify-timeout"] = "5m" // real commits follow
	stop = r.resume()
	assert.Equal(t, ReasonProjectComplete, stop.Reason, stop.Message)
	assert.Equal(t, "ripple: turn 3\nripple: turn 2\nripple: turn 1\nfirst", r.git("log", "--format=%s"))
}

// A request to stop does not wait for a hook that hangs, and status.json shows the current
// action.
func TestStopWhileAHookHangs(t *testing.T) {
	grace, slow := stopGrace, slowCommit
	stopGrace, slowCommit = time.Millisecond, time.Millisecond
	t.Cleanup(func() { stopGrace, slowCommit = grace, slow })
	r := gitRig(t)
	r.hangs()
	r.fake.script = script(works, claims)
	r.flags = map[string]string{"commit": "true"}
	r.onNotice = func(l *Loop, n Notice) {
		if n.Kind == NoticeNote && strings.Contains(n.Text, "still committing turn 1") {
			assert.Equal(t, "committing turn 1", r.json(".ralph/status.json")["last_action"])
			l.Interrupt()
		}
	}
	stop := r.run()
	require.Equal(t, ReasonInterrupted, stop.Reason, stop.Message)
	assert.Contains(t, stop.Message, "the commit is made when the loop continues")

	r.write(".git/free", "")
	r.onNotice = nil
	stop = r.resume()
	assert.Equal(t, ReasonProjectComplete, stop.Reason, stop.Message)
	assert.Equal(t, "ripple: turn 3\nripple: turn 2\nripple: turn 1\nfirst", r.git("log", "--format=%s"))
}
