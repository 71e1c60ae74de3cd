package journal

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"example.org/ripple/internal/layout"
	"example.org/ripple/runtime/event"
	"example.org/ripple/runtime/loop/record"
	"example.org/ripple/runtime/proctree"
)

// Report describes the state of a project's loop, as its files show it.
type Report struct {
	Found  bool           `json:"found"` // a loop has run here
	State  string         `json:"state"` // running, needs_you, blocked, completed, not_started or unknown
	Status record.Status  `json:"status"`
	Runner *record.Holder `json:"runner,omitempty"` // the process that runs it; nil: none
	// StoppedGroup is the process group of Runner if that is stopped, as by Ctrl-Z, and continues only after SIGCONT.
	StoppedGroup int            `json:"stopped_group,omitempty"`
	Breaker      record.Breaker `json:"circuit_breaker"`
	SessionID    string         `json:"session_id,omitempty"`
	OpenTasks    int            `json:"open_tasks"`
	DoneTasks    int            `json:"done_tasks"`
	NextTask     string         `json:"next_task,omitempty"` // the first open task
	Tasks        record.Tasks   `json:"-"`

	Questions []record.Question `json:"questions,omitempty"` // open ones; unknown while a turn runs
}

// ReadReport reads the files of a project's loop; it changes nothing. Fields of missing files are
// zero.
func ReadReport(project string) (s Report, err error) {
	if err := layout.Check(project); err != nil {
		return s, err
	}
	if s.Status, s.Runner, s.Found, err = readStatus(project); err != nil {
		return s, err
	}
	if host, err := os.Hostname(); err == nil && s.Runner != nil && s.Runner.Host == host {
		s.StoppedGroup = proctree.StoppedGroup(s.Runner.PID)
	}
	if err := readLoose(project, layout.BreakerFile, &s.Breaker); err != nil {
		return s, err
	}
	var session struct {
		ID string `json:"session_id"`
	}
	if err := readLoose(project, layout.SessionFile, &session); err != nil {
		return s, err
	}
	s.SessionID = session.ID
	store := NewStore(project, nil)
	s.Tasks, err = record.ReadTasks(project, filepath.Join(project, store.Holder().Dir))
	p := s.Tasks.Count()
	s.OpenTasks, s.DoneTasks, s.NextTask = p.Open, p.Ticked, s.Tasks.Next()
	if err == nil && s.Found && (s.Runner == nil || s.Status.Status == "paused") {
		s.Questions, err = OpenQuestions(project)
	}
	s.State = s.normal()
	return s, err
}

// normal returns one of the six values of Report.State. A loop that neither runs nor is completed
// waits for a user: needs_you if an answer lets it continue, blocked if it stopped for another reason
// or was killed.
func (s *Report) normal() string {
	holds := slices.ContainsFunc(s.Questions, func(q record.Question) bool { return q.Holds })
	switch {
	case holds && (s.Status.Status == "paused" || s.Runner == nil && s.Status.Status != "completed"):
		return "needs_you"
	case s.Runner != nil:
		return "running"
	case !s.Found:
		return "not_started"
	case s.Status.Status == "completed", s.Status.Status == "graceful_exit":
		return "completed"
	case slices.Contains([]string{"running", "paused", "halted", "stopped", "success", "error"}, s.Status.Status):
		return "blocked"
	}
	return "unknown"
}

// Run describes the current or last run, as events.jsonl shows it.
type Run struct {
	CostUSD float64      `json:"cost_usd"`         // of the turns that ended
	Tokens  event.Tokens `json:"tokens,omitzero"`  // of the turns that ended
	Reason  string       `json:"reason,omitempty"` // why it stopped; "" while it runs
	Why     string       `json:"why,omitempty"`    // the same in words
	Hat     string       `json:"hat,omitempty"`    // hat of the current turn

	Started    time.Time          `json:"started,omitzero"`      // time of its first turn, also if it was resumed
	ElapsedMS  int64              `json:"elapsed_ms"`            // up to Recorded, or the end
	Recorded   time.Time          `json:"-"`                     // when the newest state was recorded: at the start, or after a turn, its checks, its commit or an answer
	Branch     string             `json:"branch,omitempty"`      // branch of its worktree; "": none
	Dir        string             `json:"dir,omitempty"`         // directory of the worktree, relative to the project
	Work       *record.Summary    `json:"work,omitempty"`        // set if it stopped
	Prompt     string             `json:"prompt,omitempty"`      // how the file of the task changed while a turn ran
	Denied     []record.Denied    `json:"denied,omitempty"`      // connections that its box denied
	Review     []string           `json:"review,omitempty"`      // changed files that tools execute automatically, and inner repositories; only with a box
	ReviewMore int                `json:"review_more,omitempty"` // how many others there are
	Failed     event.Kind         `json:"failed,omitempty"`      // kind of failure of the last turn
	Failures   map[event.Kind]int `json:"failures,omitempty"`    // number of turns that ended in a failure, by its kind

	Checkouts record.Checkouts `json:"checkouts,omitzero"`  // state of the working trees after its last turn, if it did not stop
	ExitCode  *int             `json:"exit_code,omitempty"` // set if it stopped
	Next      string           `json:"next,omitempty"`      // what to do next, if it stopped

	State *record.State `json:"-"` // the newest one that was recorded; nil: none
}

// ReadRun reads the end of a project's events.jsonl; it changes nothing. If the file is missing, the
// result is zero.
func ReadRun(project string) (r Run, err error) {
	f, err := layout.Files(project).Open(layout.EventsFile)
	if errors.Is(err, fs.ErrNotExist) {
		return r, nil
	}
	if err != nil {
		return r, err
	}
	defer f.Close() // only read from
	info, err := f.Stat()
	if err != nil {
		return r, err
	}
	last := true
	err = eachLineBackwards(f, info.Size(), func(data []byte, _ int64) bool {
		var v record.Line
		err := json.Unmarshal(data, &v)
		if last && err == nil && v.Type == record.Stopped {
			r.stopped(v)
		}
		if last = false; err != nil {
			return false // incomplete, or not written by a loop
		}
		if v.Type == record.TurnStarted {
			r.Hat = v.Hat
			r.onBranch(v.Branch)
		}
		if v.State != nil {
			r.Recorded, r.State = v.Time, v.State
			r.CostUSD, r.Tokens, r.ElapsedMS = v.State.CostUSD, v.State.Tokens, max(r.ElapsedMS, v.State.Millis)
			if r.Work == nil {
				r.Checkouts = v.State.Checkouts
			}
			r.Prompt, r.Denied, r.Review, r.ReviewMore = v.State.Prompt, v.State.Denied, v.State.Review, v.State.ReviewMore
			r.Failed, r.Failures = v.State.Failed, v.State.FailedTurns
			r.Started, _ = time.Parse(record.StampLayout, v.State.Run) // of another ripple it may be anything
		}
		return v.State != nil
	})
	if r.Branch == "" { // between two turns, the lock has it
		r.onBranch(layout.BranchOf(NewStore(project, nil).Holder().Dir))
	}
	return r, err
}

func (r *Run) stopped(v record.Line) {
	r.Reason, r.Why, r.Next, r.ExitCode, r.Work = v.Reason, v.Why, v.Next, v.ExitCode, v.Summary
	if v.Summary != nil {
		r.ElapsedMS = v.Summary.Elapsed.Milliseconds()
		r.onBranch(v.Summary.Branch)
	}
}

func (r *Run) onBranch(name string) {
	if name != "" && r.Branch == "" {
		r.Branch, r.Dir = name, layout.Worktree(name)
	}
}

// UnreadableError is returned by ReadReport for a damaged file of the loop. The next run of
// the loop replaces status.json and renames the others.
type UnreadableError struct {
	Path string
	Err  error
}

func (e *UnreadableError) Error() string { return fmt.Sprintf("cannot read %s: %v", e.Path, e.Err) }
func (e *UnreadableError) Unwrap() error { return e.Err }

// readLoose reads JSON that may be absent.
func readLoose(project, name string, to any) error {
	data, err := layout.Read(project, name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil {
		err = json.Unmarshal(data, to)
	}
	if err != nil {
		return &UnreadableError{layout.Files(project).Path(name), err}
	}
	return nil
}

// readStatus reads status.json of a project, and who runs its loop now; the
// latter though the file cannot be read. found is false when no loop ever ran there.
func readStatus(project string) (s record.Status, by *record.Holder, found bool, err error) {
	st := NewStore(project, nil)
	if h, held, err := st.Locked(); err != nil {
		return s, nil, false, err
	} else if held {
		by = &h
	}
	data, err := layout.Read(project, layout.StatusFile)
	if errors.Is(err, fs.ErrNotExist) {
		return s, by, false, nil
	}
	if err == nil {
		err = json.Unmarshal(data, &s)
	}
	if err != nil {
		return s, by, false, &UnreadableError{st.Path(layout.StatusFile), err}
	}
	return s, by, true, nil
}
