package loopcmd

import (
	"time"

	"example.org/ripple/cmd/ripple/internal/ui"
	"example.org/ripple/internal/quote"
	"example.org/ripple/runtime/loop/journal"
)

// workRows say when a run of a project began, where it works and its result.
func workRows(w ui.Sheet, project string, r journal.Run) {
	if !r.Started.IsZero() {
		w.Row("started", r.Started.Local().Format(time.DateTime))
	}
	w.Row("prompt", r.Prompt)
	if len(r.Failures) > 0 {
		w.Row("failed", failedTurns(r.Failures))
	}
	for _, row := range boxRows(r.Denied, r.Review, r.ReviewMore) {
		w.Row(row.label, row.text)
	}
	if r.Work == nil || r.Reason == "" { // it runs, or was killed
		if took := time.Duration(r.ElapsedMS) * time.Millisecond; took > 0 {
			w.Row("took", took.Round(time.Second))
		}
		if r.Branch != "" {
			w.Row("branch", quote.Name(r.Branch)+" in "+r.Dir)
		}
		if r.Work != nil && r.Work.Git {
			w.Row("commits", commits(r.Work))
			if r.Work.Dirty > 0 {
				w.Row("dirty", dirtyWords(r.Work))
			}
		}
		for _, row := range checkoutsRows(r.Branch, r.Checkouts) {
			w.Row(row.label, row.text)
		}
		w.Row("next", r.Next)
		return
	}
	w.Row("took", r.Work.Elapsed.Round(time.Second))
	gone := removedSince(project, r.Work)
	if r.Branch != "" {
		text := quote.Name(r.Branch) + " in " + r.Dir
		switch {
		case gone.branch:
			text += ", both removed"
		case gone.tree:
			text += ", which was removed"
		}
		w.Row("branch", text)
	}
	for _, row := range gitRowsSince(r.Work, gone) {
		w.Row(row.label, row.text)
	}
	w.Row("next", r.Next)
}

// countUntilNow adds the time since the newest record of a running loop to the duration of its run: that of the turn, and of
// waits, but not that of a wait for the user's answer.
func countUntilNow(r *journal.Run, s journal.Report, now time.Time) {
	if s.Runner == nil || r.Work != nil {
		return
	}
	since := r.Recorded
	if s.Runner.Started.After(since) { // resumed
		since = s.Runner.Started
	}
	if s.State == "needs_you" {
		now = s.Status.Timestamp.Time
	}
	if !since.IsZero() {
		r.ElapsedMS += max(0, now.Sub(since)).Milliseconds()
	}
}

// stateCode is the exit code of "ripple status --exit-code".
func stateCode(s journal.Report, r journal.Run) int {
	switch {
	case s.State == "running", s.State == "completed":
		return ui.ExitOK
	case s.State == "needs_you":
		return ui.ExitBlocked
	case s.State == "not_started":
		return ui.ExitMissing
	case r.ExitCode != nil:
		return *r.ExitCode
	}
	return ui.ExitFailed
}
