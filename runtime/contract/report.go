package contract

import (
	"strings"
	"time"
)

// Report is the result of one adapter's run.
type Report struct {
	Adapter            string        `json:"adapter"`
	AdapterVersion     string        `json:"adapter_version,omitempty"`
	File               string        `json:"file,omitempty"`
	Executable         string        `json:"executable,omitempty"`
	InterpreterVersion string        `json:"interpreter_version,omitempty"`
	StartDuration      time.Duration `json:"start_ns,omitempty"`   // from the launch to the first prompt, the shortest of the run
	Level              int           `json:"level"`                // 0: not even level 1, or see LevelNote
	LevelNote          string        `json:"level_note,omitempty"` // why no level was given, or no higher one
	Skipped            string        `json:"skipped,omitempty"`    // why nothing was run: the program, or a service it connects to, is missing
	Missing            error         `json:"-"`                    // a *launch.MissingError or *session.StartError if Skipped is set
	Unverified         string        `json:"unverified,omitempty"` // why the adapter has not been run against its program
	Required           bool          `json:"required,omitempty"`   // [Options.RequireProgram]: Skipped is an error
	Started            time.Time     `json:"started"`
	Duration           time.Duration `json:"duration_ns"`
	Notes              []string      `json:"notes,omitempty"`
	Tests              []TestResult  `json:"tests"`
	NotStarted         int           `json:"left_out,omitempty"` // tests that [Options.FailFast] did not start; they are not in Tests
}

// Kind is the origin of a test.
type Kind string

const (
	KindProbe    Kind = "probe"
	KindDeclared Kind = "declared"
	KindDerived  Kind = "derived"
)

// Status is the result of a test.
type Status string

const (
	Passed        Status = "passed"
	Failed        Status = "failed"         // the program did not do what was asserted
	Errored       Status = "error"          // the test could not run
	NotApplicable Status = "not_applicable" // the adapter declares that it cannot do this
	Skipped       Status = "skipped"
)

// TestResult is the result of one test.
type TestResult struct {
	Name       string            `json:"name"`
	Kind       Kind              `json:"kind"`
	Status     Status            `json:"status"`
	Reason     string            `json:"reason,omitempty"` // of not_applicable and skipped
	Notes      []string          `json:"notes,omitempty"`  // remarks that matter although the test passed
	File       string            `json:"file,omitempty"`
	Line       int               `json:"line,omitempty"`
	Column     int               `json:"column,omitempty"`
	Level      int               `json:"level"`
	Duration   time.Duration     `json:"duration_ns"`
	Failure    *Failure          `json:"failure,omitempty"`
	Round      int               `json:"repeat,omitempty"` // the round, from 1, if there are several
	Transports []TransportResult `json:"ways,omitempty"`   // of a turn that was run over each transport of an agent

	pointer string // of a declared test in the adapter's file
	unmet   *unmet // the expectation that failed it
}

// unsuccessful reports whether the test failed or could not run.
func (t TestResult) unsuccessful() bool { return t.Status == Failed || t.Status == Errored }

// Failure describes why a test did not pass. Sent and Received show control characters as escapes
// such as \x1b, and are cut in the middle if they are long.
type Failure struct {
	Message  string          `json:"message"`
	Line     int             `json:"line,omitempty"` // of the failing step in the adapter's file
	Column   int             `json:"column,omitempty"`
	Step     string          `json:"step,omitempty"`
	Sent     string          `json:"sent,omitempty"`     // the code of the failing step
	Output   string          `json:"output,omitempty"`   // the session's output
	Received string          `json:"received,omitempty"` // the bytes received
	Pattern  string          `json:"pattern,omitempty"`
	EndedBy  string          `json:"ended_by,omitempty"` // the rule that ended the wait
	Timeline []TimelineEntry `json:"timeline,omitempty"`
}

// TimelineEntry is one event, in milliseconds since the test began.
type TimelineEntry struct {
	AtMS float64 `json:"at_ms"`
	Text string  `json:"text"`
}

// Count returns the number of tests with that status.
func (r *Report) Count(s Status) int {
	n := 0
	for _, t := range r.Tests {
		if t.Status == s {
			n++
		}
	}
	return n
}

// OK reports whether nothing failed and no required program is missing.
func (r *Report) OK() bool { return r.Count(Failed) == 0 && r.Count(Errored) == 0 && !r.absent() }

// absent reports whether the program is missing and required.
func (r *Report) absent() bool { return r.Skipped != "" && r.Required }

// noLevel begins the LevelNote of a run that was not complete enough for a level.
const noLevel = "no level: "

func (r *Report) ungraded() bool { return strings.HasPrefix(r.LevelNote, noLevel) }

// MaxLevel is the highest level.
const MaxLevel = 4

// Add adds the tests of another run of the same adapter, of other levels (see [Options.MinLevel]), and
// grades all of them together.
func (r *Report) Add(other *Report) {
	r.Tests, r.Duration = append(r.Tests, other.Tests...), r.Duration+other.Duration
	r.Level, r.LevelNote = level(r.Tests)
}

// level returns the highest n such that all applicable tests of levels 1 to n passed and
// each of these levels has at least one test that passed: a test that is not applicable
// never counts as passed.
func level(tests []TestResult) (n int, note string) {
	for n = 0; n < MaxLevel; n++ {
		passed := 0
		for _, t := range tests {
			switch {
			case t.Level != n+1 || t.Status == NotApplicable:
			case t.Status == Passed:
				passed++
			default:
				return n, blocked(n+1, t)
			}
		}
		if passed == 0 {
			return n, "no test of level " + levelNames[n+1] + " applies"
		}
	}
	return n, ""
}

func blocked(level int, t TestResult) string {
	return "level " + levelNames[level] + " is not reached: " + string(t.Status) + ": " + t.Name
}

var levelNames = [MaxLevel + 1]string{
	"0", "1 (starts, evaluates, ends)", "2 (state, multi-line, errors, cwd, exit codes, modes)",
	"3 (hostile input and output, interrupts, forgery)", "4 (faults and leaks)",
}
