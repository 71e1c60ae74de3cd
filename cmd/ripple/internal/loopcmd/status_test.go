package loopcmd

import (
	"errors"
	"fmt"
	"io/fs"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"example.org/ripple/cmd/ripple/internal/ui"
	"example.org/ripple/runtime/loop/journal"
	"example.org/ripple/runtime/loop/record"
)

// The advice for unreadable files differs from that for missing permissions.
func TestHintOfALoopsFiles(t *testing.T) {
	denied := &fs.PathError{Op: "open", Path: ".ralph/loop.lock", Err: fs.ErrPermission}
	for _, err := range []error{denied, fmt.Errorf("cannot lock: %w", denied), &journal.UnreadableError{Path: ".ralph/status.json", Err: denied}} {
		e, _ := errors.AsType[*ui.ExitError](reportError(err))
		assert.Equal(t, "run this as the owner of .ralph and the files in it", e.Hint, err)
	}
	e, _ := errors.AsType[*ui.ExitError](reportError(&journal.UnreadableError{Path: ".ralph/status.json", Err: errors.New("torn")}))
	assert.Contains(t, e.Hint, "remove .ralph/status.json")
}

// The duration of a running loop includes its current turn, and not the time since a wait for an answer began.
func TestDurationOfARunningLoop(t *testing.T) {
	noon := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	run, wrote := journal.Run{ElapsedMS: 2000, Recorded: noon}, record.Status{Timestamp: record.Time{Time: noon.Add(5 * time.Second)}}
	since := func(d time.Duration) *record.Holder { return &record.Holder{Started: noon.Add(d)} }
	for name, tt := range map[string]struct {
		report journal.Report
		run    journal.Run
		want   int64
	}{
		"in a turn":                 {journal.Report{Status: wrote, Runner: since(-time.Hour)}, run, 62000},
		"resumed":                   {journal.Report{Status: wrote, Runner: since(50 * time.Second)}, run, 12000},
		"waits for an answer":       {journal.Report{Status: wrote, Runner: since(-time.Hour), State: "needs_you"}, run, 7000},
		"the clock was set back":    {journal.Report{Status: wrote, Runner: since(time.Hour)}, run, 2000},
		"it does not run":           {journal.Report{Status: wrote}, run, 2000},
		"it ended":                  {journal.Report{Status: wrote, Runner: since(0)}, journal.Run{ElapsedMS: 2000, Recorded: noon, Work: &record.Summary{}}, 2000},
		"nothing is recorded of it": {journal.Report{Status: wrote, Runner: since(0)}, journal.Run{}, 60000},
		"nothing is known about it": {journal.Report{Runner: &record.Holder{}}, journal.Run{}, 0},
	} {
		countUntilNow(&tt.run, tt.report, noon.Add(time.Minute))
		assert.Equal(t, tt.want, tt.run.ElapsedMS, name)
	}
}

// A resumed loop shows how it stopped before only until it has been resumed.
func TestAResumedLoopHasNotStopped(t *testing.T) {
	noon := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	stopped := journal.Run{Recorded: noon, CostUSD: 1, Reason: "interrupted", Why: "Interrupted.", Next: "Continue.", ExitCode: new(130), Work: &record.Summary{}}
	for name, tt := range map[string]struct {
		runner *record.Holder
		want   journal.Run
	}{
		"it has stopped":            {nil, stopped},
		"its process is still here": {&record.Holder{Started: noon.Add(-time.Minute)}, stopped},
		"it was resumed":            {&record.Holder{Started: noon.Add(time.Minute)}, journal.Run{Recorded: noon, CostUSD: 1}},
	} {
		r := stopped
		forgetStop(&r, journal.Report{Runner: tt.runner})
		assert.Equal(t, tt.want, r, name)
	}
}

// A loop that runs is shown as running between two turns, too, and not with the outcome of its last turn.
func TestStateBetweenTurns(t *testing.T) {
	for status, want := range map[string]string{"success": "running", "error": "running", "paused": "paused", "completed": "completed"} {
		s := journal.Report{Found: true, Status: record.Status{Status: status}, Runner: &record.Holder{PID: 1}}
		assert.Equal(t, want, shownState(s))
		shown := (&dashboard{report: s, now: time.Now, width: 80, height: 24}).render()
		assert.Contains(t, shown, "● "+want)
		s.Runner = nil
		assert.Equal(t, status, shownState(s), "it does not run")
	}
}

// The exit codes of "ripple status --exit-code" for loops that have not stopped: for others, the scripts of cmd/ripple compare
// them with the exit codes of the runs.
func TestExitCodesOfStates(t *testing.T) {
	code := ui.ExitLimit
	for _, tt := range []struct {
		state string
		code  *int // of the run before
		want  int
	}{
		{"running", nil, ui.ExitOK},
		{"running", &code, ui.ExitOK},
		{"needs_you", nil, ui.ExitBlocked},
		{"needs_you", &code, ui.ExitBlocked},
		{"not_started", nil, ui.ExitMissing},
		{"blocked", nil, ui.ExitFailed}, // it was killed
		{"blocked", &code, code},
		{"unknown", nil, ui.ExitFailed},
	} {
		assert.Equal(t, tt.want, stateCode(journal.Report{State: tt.state}, journal.Run{ExitCode: tt.code}), tt.state)
	}
}

// In a subdirectory, the next step has commands and files as they are named there.
func TestNextStepInASubdirectory(t *testing.T) {
	const next = "Answer in .ralph/PROMPT.md, then run `ripple run --resume`."
	assert.Equal(t, next, localNext(".", next))
	assert.Equal(t, "Answer in ../.ralph/PROMPT.md, then run `cd .. && ripple run --resume`.", localNext("..", next))
}
