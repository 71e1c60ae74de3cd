package contract

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/runtime/launch"
	"example.org/ripple/runtime/session"
	"example.org/ripple/schema"
)

// declared returns a toy adapter with only these tests.
func declared(tests ...schema.Test) *schema.Adapter {
	a := toyAdapter()
	a.Tests = tests
	for i := range a.Tests {
		a.Tests[i].Pos = schema.Position{Line: 100 + i}
	}
	return a
}

// outcome returns a report as one line per test, for easy comparison.
func outcome(r *Report) []string {
	var lines []string
	for _, t := range r.Tests {
		line := t.Name + ": " + string(t.Status)
		if t.Failure != nil {
			line += ": " + t.Failure.Message
		}
		if t.Reason != "" {
			line += ": " + t.Reason
		}
		for _, n := range t.Notes {
			line += " [" + n + "]"
		}
		lines = append(lines, line)
	}
	return lines
}

func named(name string, s schema.Step, more ...func(*schema.Test)) schema.Test {
	t := schema.Test{Name: name, Step: s}
	for _, m := range more {
		m(&t)
	}
	return t
}

func expecting(pattern string) func(*schema.Step) {
	return func(s *schema.Step) { s.Expect = &pattern }
}

func isolated(t *schema.Test) { t.Isolated = true }

func TestDeclaredTests(t *testing.T) {
	for _, c := range []struct {
		name  string
		tests []schema.Test
		want  []string
	}{
		{"tests share a session in file order", []schema.Test{
			named("sets", step("set 5")),
			named("reads", step("get", expecting("^5$"))),
		}, []string{"sets: passed", "reads: passed"}},

		{"an isolated test has its own", []schema.Test{
			named("sets", step("set 5")),
			named("reads nothing", step("get", expecting("^$")), isolated),
			named("reads", step("get", expecting("^5$"))),
		}, []string{"sets: passed", "reads nothing: passed", "reads: passed"}},

		{"setup comes first", []schema.Test{
			named("reads", step("get", expecting("^7$")), func(t *schema.Test) { t.Setup = ptr("set 7") }),
		}, []string{"reads: passed"}},

		{"setup without eval is what is asserted", []schema.Test{
			named("prints", schema.Step{Expect: ptr("^8$")}, func(t *schema.Test) { t.Setup = ptr("print 8") }),
			named("fails", schema.Step{Expect: ptr("^9$")}, func(t *schema.Test) { t.Setup = ptr("print 8") }),
		}, []string{"prints: passed", "fails: failed: expect: the output does not match"}},

		{
			"neither setup nor eval",
			[]schema.Test{named("empty", schema.Step{Expect: ptr("x")})},
			[]string{"empty: error: the test has neither eval nor setup: there is nothing to assert"},
		},

		{"a step of a sequence fails the test and is named", []schema.Test{
			named("sequence", step("print end"), func(t *schema.Test) {
				t.SetupSequence = []schema.Step{
					step("enter", func(s *schema.Step) { s.ExpectMode = ptr("debugger") }),
					step("leave", func(s *schema.Step) { s.ExpectMode = ptr("debugger") }),
				}
			}),
		}, []string{`sequence: failed: setup_sequence[1]: expect_mode: want "debugger", got "main"`}},

		{"the directory may be announced in the setup", []schema.Test{
			named("cwd", step("get", func(s *schema.Step) { s.ExpectCwdUpdate = ptr(true) }), func(t *schema.Test) { t.Setup = ptr("cd /x") }),
		}, []string{"cwd: passed"}},

		{"out of band of the whole test counts", []schema.Test{
			named("async", step("get", func(s *schema.Step) { s.ExpectOutOfBand = ptr("^tick$") }), func(t *schema.Test) { t.Setup = ptr("async tick") }),
		}, []string{"async: passed"}},

		{"refused input is an error that can be asserted", []schema.Test{
			named("incomplete", step("(", func(s *schema.Step) { s.ExpectError, s.Expect = ptr(true), ptr(`\( is open`) })),
			named("not expected", step("(", expecting("^$"))),
		}, []string{"incomplete: passed", "not expected: failed: expect: the output does not match"}},

		{"an unreliable exit code is noted", []schema.Test{
			named("unreliable", step("fail", func(s *schema.Step) { s.ExpectExitCode, s.ExitCodeIsUnreliable = ptr(9), true })),
		}, []string{"unreliable: passed [exit code is declared unreliable: want 9, got exit code 1]"}},

		{"a program that ends is started again for the next test", []schema.Test{
			named("ends", step("exit")),
			named("goes on", step("print x", expecting("^x$"))),
		}, []string{
			"ends: failed: the program ended with exit code 3",
			`goes on: passed [starts in a new session, because "ends" left the shared one unusable: the program ended]`,
		}},

		{"so is one that hangs", []schema.Test{
			named("hangs", step("busy"), func(t *schema.Test) { t.TimeoutMS = 20 }),
			named("goes on", step("print x", expecting("^x$"))),
		}, []string{
			"hangs: failed: the end of the command was not recognized within the test's time limit: timed out; the command is still running",
			`goes on: passed [starts in a new session, because "hangs" left the shared one unusable: a command is still running]`,
		}},

		{"a failed assertion keeps the session", []schema.Test{
			named("sets", step("set 5", expecting("nothing like it"))),
			named("reads", step("get", expecting("^5$"))),
		}, []string{"sets: failed: expect: the output does not match", "reads: passed"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := declared(c.tests...)
			a.Probe = nil
			assert.Equal(t, c.want, outcome(runToy(t, a, "", Options{NoDerived: true})))
		})
	}
}

// Requirements of a test are checked with the program itself, here the test binary.
func TestTestNeeds(t *testing.T) {
	needing := func(prints string, args ...string) func(*schema.Test) {
		return func(test *schema.Test) {
			test.Needs = &schema.TestNeeds{What: "a listing", Args: args, Prints: prints}
		}
	}
	listing := []string{"-test.list", "^TestTestNeeds$"}
	report := runToy(t, declared(
		named("there", step("get"), needing("TestTest.*eeds", listing...)),
		named("not there", step("set 5"), needing("TestOfAnotherMachine", listing...)),
		named("not carried out", step("get", expecting("^$"))),
		named("it refuses", step("get"), needing("x", "-no-such-flag")),
	), "", Options{NoDerived: true})
	assert.Equal(t, []string{
		"probe: passed", "there: passed",
		"not there: not_applicable: needs a listing; the program reports: TestTestNeeds",
		"not carried out: passed",
	}, outcome(report)[:4])
	assert.Regexp(t, `^needs a listing; the program reports: \S.* \(exit status \d\)$`, report.Tests[4].Reason)
	assert.True(t, report.OK())
}

func TestFailureDetail(t *testing.T) {
	a := declared(named("wrong", step("raw "+"1b5b316d68690d0a", expecting("^ho$"))))
	a.Tests[0].Step.Pos = schema.Position{Line: 102}
	report := runToy(t, a, "", Options{NoDerived: true, Filter: exactly("wrong")})
	assert.Equal(t, &Failure{
		Message: "expect: the output does not match", Line: 102, Step: "eval", Pattern: "^ho$",
		Sent: "raw 1b5b316d68690d0a", Output: `\x1b[1mhi\r\n`, Received: `\x1b[1mhi\r\n`, EndedBy: "marker",
		Timeline: []TimelineEntry{{0, `write 21: raw 1b5b316d68690d0a\n`}, {1, `read 8: \x1b[1mhi\r\n`}},
	}, report.Tests[0].Failure)
	assert.Equal(t, "toy.yaml", report.Tests[0].File)
	assert.Equal(t, 100, report.Tests[0].Line)
}

func TestOptions(t *testing.T) {
	tests := []schema.Test{named("one", step("get", expecting("x"))), named("two", step("get")), named("three", step("get"))}
	for _, c := range []struct {
		name    string
		options Options
		want    []string
	}{
		{"fail-fast", Options{FailFast: true}, []string{
			"probe: passed", "one: failed: expect: the output does not match",
		}},
		{"filter", Options{Filter: regexp.MustCompile("^t")}, []string{"two: passed", "three: passed"}},
		{"a filter that matches nothing", Options{Filter: regexp.MustCompile("nothing")}, nil},
		{"repeat", Options{Repeat: 2, Filter: regexp.MustCompile("two")}, []string{"two: passed", "two: passed"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.options.NoDerived = true
			assert.Equal(t, c.want, outcome(runToy(t, declared(tests...), "", c.options)))
		})
	}
}

// Tests that --fail-fast did not start are counted and not listed in any round, and a run
// that was stopped early has no level.
func TestFailFastSkipsRest(t *testing.T) {
	tests := []schema.Test{named("one", step("get", expecting("x"))), named("two", step("get"))}
	report := runToy(t, declared(tests...), "", Options{NoDerived: true, FailFast: true, Repeat: 3})
	assert.Len(t, report.Tests, 2)
	assert.Equal(t, 7, report.NotStarted)
	assert.Equal(t, "no level: stopped at the first failure", report.LevelNote)
	var b bytes.Buffer
	require.NoError(t, WriteText(&b, []*Report{report}, TextOptions{Verbose: true}))
	assert.Contains(t, b.String(), "1 passed, 1 failed, 7 left out")
	assert.NotContains(t, b.String(), "skip")
	all := runToy(t, declared(named("one", step("get", expecting("x")))), "", Options{NoDerived: true, FailFast: true})
	assert.Zero(t, all.NotStarted, "the last one failed: nothing is left")
}

func TestRepeatNumbersTheRounds(t *testing.T) {
	report := runToy(t, declared(), "", Options{NoDerived: true, Repeat: 2})
	require.Len(t, report.Tests, 2)
	assert.Equal(t, []int{1, 2}, []int{report.Tests[0].Round, report.Tests[1].Round})
}

func TestTimeoutOptionWins(t *testing.T) {
	a := declared(named("hangs", step("busy"), func(t *schema.Test) { t.TimeoutMS = 60_000 }))
	report := runToy(t, a, "", Options{NoDerived: true, Timeout: 10 * time.Millisecond, Filter: exactly("hangs")})
	assert.Equal(t, Failed, report.Tests[0].Status)
	assert.Equal(t, "timeout", report.Tests[0].Failure.EndedBy)
}

func TestProgress(t *testing.T) {
	var seen []string
	runToy(t, declared(named("one", step("get"))), "", Options{NoDerived: true, Progress: func(p Progress) {
		line := fmt.Sprintf("%d/%d %s", p.Number, p.Total, p.Name)
		if p.Result != nil {
			line += " " + string(p.Result.Status)
		}
		seen = append(seen, line)
	}})
	assert.Equal(t, []string{"1/2 probe", "1/2 probe passed", "2/2 one", "2/2 one passed"}, seen)
}

func TestNames(t *testing.T) {
	a := declared(named("one", step("get")))
	assert.Equal(t, []string{"probe", "one"}, ListTests(a, Options{NoDerived: true, Filter: regexp.MustCompile("nothing")}))
	assert.Len(t, ListTests(a, Options{}), 2+len(derivedTests))
}

// At an unknown prompt the wait ends before the test's time expires.
func TestUnknownPromptEndsWait(t *testing.T) {
	gap := unknownPromptGap
	unknownPromptGap = time.Millisecond
	defer func() { unknownPromptGap = gap }()
	a := declared(named("asks", step("ask")))
	a.Modes = []schema.Mode{{Name: "main", Default: true}, {Name: "question", Primary: `^sure\?$`}}
	report := runToy(t, a, "", Options{NoDerived: true, Filter: exactly("asks")})
	f := report.Tests[0].Failure
	require.NotNil(t, f)
	assert.Equal(t, `the program waits for input at "really? ", which matches no prompt of the adapter (the markers of prompt.shell_integration, mode question "^sure\\?$")`, f.Message)
	assert.Equal(t, "a wait at a prompt that the adapter does not know", f.EndedBy, "and no timeout")
	assert.Less(t, report.Duration, defaultTimeout)
}

// Every result that a deadline cut short reports that: the exit code of the run depends on it.
func TestOutOfTime(t *testing.T) {
	a := declared(named("hangs", step("print x")))
	a.Tests[0].SetupSequence = []schema.Step{step("print y"), step("busy")}
	report := runToy(t, a, "", Options{NoDerived: true, Timeout: 20 * time.Millisecond, Filter: exactly("hangs")})
	require.NotNil(t, report.Tests[0].Failure)
	assert.Equal(t, "timeout", report.Tests[0].Failure.EndedBy)
	late := (&testRun{}).failure(fmt.Errorf("the program did not start: %w", context.DeadlineExceeded))
	assert.Equal(t, "timeout", late.EndedBy)
}

func TestMissingProgramIsSkipped(t *testing.T) {
	a := toyAdapter()
	report := Run(t.Context(), a, Options{Executable: "/nowhere/toy"})
	var missing *launch.MissingError
	require.ErrorAs(t, report.Missing, &missing)
	assert.Contains(t, report.Skipped, "/nowhere/toy")
	assert.Empty(t, report.Tests)
	assert.Zero(t, report.Level)
	assert.True(t, report.OK())
	assert.False(t, Run(t.Context(), a, Options{Executable: "/nowhere/toy", RequireProgram: true}).OK(), "required")
}

// The program exists, but a file that it starts does not.
func TestMissingLaterIsSkippedToo(t *testing.T) {
	self, err := os.Executable()
	require.NoError(t, err)
	r := newRunner(toyAdapter(), Options{Executable: self})
	r.open = func(context.Context, *schema.Adapter, session.Options) (evaluator, error) {
		return nil, fmt.Errorf("open: %w", &launch.MissingError{Adapter: "toy"})
	}
	report := r.run(t.Context())
	assert.NotEmpty(t, report.Skipped)
	assert.Empty(t, report.Tests)
}

// An installed program whose server is missing is skipped, with the reason.
func TestProgramWithoutServerIsSkipped(t *testing.T) {
	for _, defect := range []string{"ends without its server", "has no server"} {
		report := runToy(t, declared(named("one", step("get"))), defect, Options{NoDerived: true})
		assert.Equal(t, "toy: needs a server", report.Skipped)
		assert.Empty(t, report.Tests)
		assert.True(t, report.OK())
		assert.Error(t, report.Missing)
		assert.False(t, runToy(t, declared(), defect, Options{RequireProgram: true}).OK(), "required")
	}
}

func TestProgramThatDoesNotStart(t *testing.T) {
	report := runToy(t, declared(named("one", step("get"))), "does not start", Options{NoDerived: true})
	assert.Equal(t, []string{"probe", "one"}, []string{report.Tests[0].Name, report.Tests[1].Name})
	assert.Equal(t, Failed, report.Tests[0].Status)
	assert.Contains(t, report.Tests[0].Failure.Message, "waited for marker A")
	assert.Equal(t, "toy: cannot start", report.Tests[0].Failure.Output)
	assert.Equal(t, "the program did not start", report.Tests[1].Reason)
}

// A start that fails during a test reports the output of that start, and not of the last command.
func TestLaterStartThatFails(t *testing.T) {
	for printed, want := range map[string]string{"starting\x1b[0m": "starting\\x1b[0m", "": ""} {
		tr := &testRun{result: session.Result{Output: "of the last command"}}
		f := tr.failure(fmt.Errorf("start 21: %w", &session.StartError{Adapter: "toy", Expected: "marker A", Output: printed, Err: context.DeadlineExceeded}))
		assert.Equal(t, want, f.Output)
		assert.Equal(t, printed == "", strings.HasSuffix(f.Message, "; it printed nothing"), f.Message)
	}
}

func TestStoppedRunSkipsRest(t *testing.T) {
	for _, during := range []bool{false, true} {
		ctx, cancel := context.WithCancelCause(t.Context())
		stop := func() { cancel(errors.New("interrupted by the user")) }
		self, err := os.Executable()
		require.NoError(t, err)
		r := newRunner(declared(named("one", step("get"))), Options{NoDerived: true, Executable: self, Progress: func(p Progress) {
			if !during && p.Name == "probe" && p.Result != nil {
				stop()
			}
		}})
		open := toyOpener("")
		r.open = func(ctx context.Context, a *schema.Adapter, o session.Options) (evaluator, error) {
			e, err := open(ctx, a, o)
			return stoppedAt{e, "get", stop}, err
		}
		assert.Equal(t, []string{"probe: passed", "one: skipped: the run was stopped: interrupted by the user"}, outcome(r.run(ctx)))
	}
}

// stoppedAt is a session in which the run is stopped when it runs the given code.
type stoppedAt struct {
	evaluator
	code string
	stop func()
}

func (s stoppedAt) Eval(ctx context.Context, code string) (session.Result, error) {
	if code != s.code {
		return s.evaluator.Eval(ctx, code)
	}
	s.stop()
	<-ctx.Done()
	return session.Result{}, &session.TimeoutError{Err: ctx.Err()}
}

// A run leaves nothing on disk, and a session's files are private.
func TestSurroundings(t *testing.T) {
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	a := declared()
	a.Process.Env = map[string]string{"HISTFILE": "/mine"}
	self, err := os.Executable()
	require.NoError(t, err)
	r := newRunner(a, Options{NoDerived: true, Executable: self})
	var given session.Options
	open := toyOpener("")
	r.open = func(ctx context.Context, a *schema.Adapter, o session.Options) (evaluator, error) {
		given = o
		assert.DirExists(t, o.Dir)
		return open(ctx, a, o)
	}
	r.run(t.Context())
	env := strings.Join(given.Env, "\n")
	for _, name := range []string{"HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME", "TMPDIR"} {
		assert.Contains(t, env, name+"="+r.around.root)
	}
	assert.NotContains(t, env, "HISTFILE", "the adapter sets it itself")
	assert.NoDirExists(t, r.around.root)
	entries, err := os.ReadDir(temp)
	require.NoError(t, err)
	assert.Empty(t, entries)
}

func TestRecordingOfARun(t *testing.T) {
	var cast bytes.Buffer
	a := declared(named("one", step("print hi")))
	a.Process.TTY = schema.TTY{Cols: 200, Rows: 50}
	runToy(t, a, "", Options{NoDerived: true, Record: &cast})
	assert.True(t, strings.HasPrefix(cast.String(), `{"version":3,"term":{"cols":200,"rows":50}}`+"\n"))
	assert.Contains(t, cast.String(), `, "m", "one"]`)
	assert.Contains(t, cast.String(), `, "i", "print hi\n"]`)
	assert.Contains(t, cast.String(), `, "o", "hi\n"]`)
}

func TestLevel(t *testing.T) {
	results := func(statuses ...Status) []TestResult {
		var list []TestResult
		for i, s := range statuses {
			list = append(list, TestResult{Name: fmt.Sprint("t", i+1), Level: i + 1, Status: s})
		}
		return list
	}
	for _, c := range []struct {
		tests []TestResult
		level int
		note  string
	}{
		{results(Passed, Passed, Passed, Passed), 4, ""},
		{results(Passed, Passed, Failed, Passed), 2, "level 3 (hostile input and output, interrupts, forgery) is not reached: failed: t3"},
		{results(Errored), 0, "level 1 (starts, evaluates, ends) is not reached: error: t1"},
		{results(Passed, Skipped), 1, "skipped: t2"},
		{results(Passed, NotApplicable, Passed, Passed), 1, "no test of level 2"},
		{append(results(Passed, Passed, Passed, Passed), results(Failed)...), 0, "failed: t1"},
		{nil, 0, "no test of level 1"},
	} {
		n, note := level(c.tests)
		assert.Equal(t, c.level, n)
		assert.Contains(t, note, c.note)
	}
}

// Runs of some levels each add up to one run of all levels.
func TestRunsOfSomeLevels(t *testing.T) {
	whole := runToy(t, toyAdapter(), "", Options{})
	low := runToy(t, toyAdapter(), "", Options{MaxLevel: 1})
	for _, r := range low.Tests {
		assert.LessOrEqual(t, r.Level, 1, r.Name)
	}
	assert.Equal(t, min(whole.Level, 1), low.Level)
	low.Add(runToy(t, toyAdapter(), "", Options{MinLevel: 2}))
	names := func(r *Report) (list []string) {
		for _, test := range r.Tests {
			list = append(list, test.Name)
		}
		return list
	}
	assert.ElementsMatch(t, names(whole), names(low))
	assert.Equal(t, whole.Level, low.Level)
	assert.Equal(t, whole.LevelNote, low.LevelNote)
}

func TestNoLevelForPartialRun(t *testing.T) {
	report := runToy(t, toyAdapter(), "", Options{Filter: exactly("probe")})
	assert.Zero(t, report.Level)
	assert.Equal(t, "no level: only some tests were run (filter)", report.LevelNote)
}

// A start may take as long as the options allow.
func TestStartTimeout(t *testing.T) {
	self, err := os.Executable()
	require.NoError(t, err)
	for start, want := range map[time.Duration]time.Duration{0: startTimeout, time.Hour: time.Hour} {
		r := newRunner(toyAdapter(), Options{Filter: exactly("probe"), Executable: self, StartTimeout: start})
		r.open = func(ctx context.Context, _ *schema.Adapter, _ session.Options) (evaluator, error) {
			until, bounded := ctx.Deadline()
			assert.True(t, bounded)
			assert.InDelta(t, want.Seconds(), time.Until(until).Seconds(), 30)
			return nil, errors.New("not today")
		}
		assert.Equal(t, Errored, r.run(t.Context()).Tests[0].Status)
	}
}
