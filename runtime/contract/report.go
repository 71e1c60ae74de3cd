package contract

import (
	"strings"
	"time"
)

// Report is what one adapter's run found.
type Report struct {
	Adapter            string        `json:"adapter"`
	AdapterVersion     string        `json:"adapter_version,omitempty"`
	File               string        `json:"file,omitempty"`
	Executable         string        `json:"executable,omitempty"`
	InterpreterVersion string        `json:"interpreter_version,omitempty"`
	Start              time.Duration `json:"start_ns,omitempty"`   // from the launch to the first prompt, the shortest of the run
	Level              int           `json:"level"`                // 0: not even level 1, or see LevelNote
	LevelNote          string        `json:"level_note,omitempty"` // why no level was given, or no higher one
	Skipped            string        `json:"skipped,omitempty"`    // why nothing was run: the program, or what it talks to, is missing
	Missing            error         `json:"-"`                    // then a *launch.MissingError or *session.StartError
	Unverified         string        `json:"unverified,omitempty"` // why nobody has run the adapter against its program
	Required           bool          `json:"required,omitempty"`   // [Options.Require]: then Skipped is an error
	Started            time.Time     `json:"started"`
	Duration           time.Duration `json:"duration_ns"`
	Notes              []string      `json:"notes,omitempty"`
	Tests              []TestResult  `json:"tests"`
	LeftOut            int           `json:"left_out,omitempty"` // tests that [Options.FailFast] did not begin; they are not among Tests
}

// Kind says where a test comes from.
type Kind string

const (
	KindProbe    Kind = "probe"
	KindDeclared Kind = "declared"
	KindDerived  Kind = "derived"
)

// Status is how a test ended.
type Status string

const (
	Passed        Status = "passed"
	Failed        Status = "failed"         // the program did not do what was asserted
	Errored       Status = "error"          // the test could not be carried out
	NotApplicable Status = "not_applicable" // the adapter declares that it cannot do this
	Skipped       Status = "skipped"
)

// TestResult is one test's outcome.
type TestResult struct {
	Name     string        `json:"name"`
	Kind     Kind          `json:"kind"`
	Status   Status        `json:"status"`
	Reason   string        `json:"reason,omitempty"` // of not_applicable and skipped
	Notes    []string      `json:"notes,omitempty"`  // what a reader should know although it passed
	File     string        `json:"file,omitempty"`
	Line     int           `json:"line,omitempty"`
	Column   int           `json:"column,omitempty"`
	Level    int           `json:"level"`
	Duration time.Duration `json:"duration_ns"`
	Failure  *Failure      `json:"failure,omitempty"`
	Repeat   int           `json:"repeat,omitempty"` // which round, from 1, when there are several
	Ways     []Played      `json:"ways,omitempty"`   // of a turn that was taken over each way of an agent

	pointer string // of a declared test in the adapter's file
	unmet   *unmet // the expectation that failed it
}

// unwell says that the test was run, or tried, and is not what it should be.
func (t TestResult) unwell() bool { return t.Status == Failed || t.Status == Errored }

// Failure is why a test did not pass. Sent and Received show control
// characters as \x1b and so on, and are cut in the middle when they are long.
type Failure struct {
	Message  string          `json:"message"`
	Line     int             `json:"line,omitempty"` // of the failing step in the adapter's file
	Column   int             `json:"column,omitempty"`
	Step     string          `json:"step,omitempty"`
	Sent     string          `json:"sent,omitempty"`     // the code of the failing step
	Output   string          `json:"output,omitempty"`   // what the session made of the bytes
	Received string          `json:"received,omitempty"` // the bytes that came back
	Pattern  string          `json:"pattern,omitempty"`
	EndedBy  string          `json:"ended_by,omitempty"` // the rule that ended the wait
	Timeline []TimelineEntry `json:"timeline,omitempty"`
}

// TimelineEntry is one thing that happened, in milliseconds since the test began.
type TimelineEntry struct {
	AtMS float64 `json:"at_ms"`
	Text string  `json:"text"`
}

// Count is the number of tests with that status.
func (r *Report) Count(s Status) int {
	n := 0
	for _, t := range r.Tests {
		if t.Status == s {
			n++
		}
	}
	return n
}

// OK is true when nothing failed and no program is missing that is required.
func (r *Report) OK() bool { return r.Count(Failed) == 0 && r.Count(Errored) == 0 && !r.absent() }

// absent says that the program is missing and required.
func (r *Report) absent() bool { return r.Skipped != "" && r.Required }

// noLevel begins the LevelNote of a run that was not complete enough for a level.
const noLevel = "no level: "

func (r *Report) ungraded() bool { return strings.HasPrefix(r.LevelNote, noLevel) }

// MaxLevel is the highest level that there is.
const MaxLevel = 4

// Add takes over the tests of another run of the same adapter, of other levels (see
// [Options.From]), and grades all of them together.
func (r *Report) Add(other *Report) {
	r.Tests, r.Duration = append(r.Tests, other.Tests...), r.Duration+other.Duration
	r.Level, r.LevelNote = level(r.Tests)
}

// level is the highest n such that every applicable test of the levels up to n
// passed and every one of those levels has at least one that did: what does not
// apply is never counted as passed.
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
