package contract

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"example.org/ripple/runtime/launch"
	"example.org/ripple/runtime/session"
	"example.org/ripple/schema"
)

// testCase is one test of a run, of any kind.
type testCase struct {
	name         string
	kind         Kind
	level        int
	at           schema.Position // in the adapter's file
	timeout      time.Duration   // 0: the default
	pointer      string          // of a declared test in the adapter's file
	inapplicable string          // why the test does not apply to the adapter
	lost         string          // what the adapter lacks in comparison with --like
	own          bool            // in a session of its own
	bare         bool            // the test opens its sessions itself
	exclusive    bool            // no other test of this process may run meanwhile
	waits        bool            // mostly sleeps: started early if tests run concurrently
	place        int             // index in the plan
	run          func(context.Context, *testRun) error
}

// plan lists the tests of a round: the probe, the declared tests in file order, and the derived
// tests by level.
func plan(a *schema.Adapter, o Options) []testCase {
	var cases []testCase
	if a.Probe != nil {
		cases = append(cases, probeCase(*a.Probe))
	}
	for i, t := range a.Tests {
		if a.Family == schema.FamilyAgent {
			cases = append(cases, agentCases(a, o, t)...)
		} else {
			cases = append(cases, declaredCase(t, fmt.Sprintf("/tests/%d", i)))
		}
	}
	if !o.NoDerived && a.Family != schema.FamilyAgent {
		cases = append(cases, derivedCases(a)...)
	}
	if o.Baseline != nil {
		cases = likeCases(cases, a, o.Baseline)
	}
	cases = slices.DeleteFunc(cases, func(c testCase) bool { return !o.wants(c) })
	for i := range cases {
		cases[i].place = i
	}
	return cases
}

func (o Options) wants(c testCase) bool {
	return c.level >= o.MinLevel && (o.MaxLevel == 0 || c.level <= o.MaxLevel) && (o.Filter == nil || o.Filter.MatchString(c.name))
}

// runner is the state of one run.
type runner struct {
	adapter *schema.Adapter
	options Options
	open    opener
	now     func() time.Time
	around  *surroundings
	server  *Server // private to the run; nil: none
	record  *Recorder
	began   time.Time
	shared  map[Kind]*lease
	report  *Report

	shapes     *shapes
	progressMu sync.Mutex // held during calls of [Options.Progress]

	mu      sync.Mutex // guards the following fields, [Report.StartDuration] and [Report.Notes], since tests run concurrently
	later   []observed // outputs of tests that run concurrently
	broken  string     // why the remaining tests are not run
	started bool       // a test has passed or failed, so the program can be started
}

func newRunner(a *schema.Adapter, o Options) *runner {
	return &runner{
		adapter: a, options: o, open: openSession, now: time.Now, shapes: &shapes{},
		shared: map[Kind]*lease{KindDeclared: {}, KindDerived: {}},
	}
}

func (r *runner) run(ctx context.Context) *Report {
	r.began = r.now()
	r.report = &Report{
		Adapter: r.adapter.Name, AdapterVersion: r.adapter.Version, File: r.adapter.Source,
		Unverified: r.adapter.Unverified, Required: r.options.RequireProgram, Started: r.began, Tests: []TestResult{},
	}
	defer func() { r.report.Duration = r.now().Sub(r.began) }()
	if !r.prepare(ctx) {
		return r.report
	}
	defer r.around.remove()
	if !r.serve(ctx) {
		return r.report
	}
	r.rounds(ctx)
	r.endServer()
	r.grade()
	return r.report
}

// prepare finds the program and creates the private directories.
func (r *runner) prepare(ctx context.Context) bool {
	path, err := launch.Locate(r.adapter, launch.OSHost(), r.options.Executable)
	agent := r.adapter.Family == schema.FamilyAgent
	if err != nil && (!agent || r.options.RequireProgram) {
		r.skip(err)
		return false
	}
	r.report.Executable = path
	if r.around, err = newSurroundings(); err != nil {
		r.report.Tests = append(r.report.Tests, TestResult{
			Name: "surroundings", Kind: KindProbe, Level: 1,
			Status: Errored, Failure: &Failure{Message: err.Error()},
		})
		return false
	}
	if path != "" {
		r.report.InterpreterVersion = version(ctx, r.adapter, path, r.around)
	}
	if r.options.Record != nil {
		tty := r.adapter.Process.TTY
		r.record = NewRecorder(r.options.Record, tty.Cols, tty.Rows)
	}
	return true
}

func (r *runner) skip(err error) {
	r.report.Skipped, r.report.Missing = err.Error(), err
	var start *session.StartError
	if errors.As(err, &start) {
		r.report.Skipped = fmt.Sprintf("%s: needs %s", start.Adapter, start.MissingService) + r.serverAdvice()
	}
}

// one runs a test, or records why it is not run.
func (r *runner) one(ctx context.Context, c testCase, s *shapes) TestResult {
	result := c.blank(r.adapter)
	switch {
	case ctx.Err() != nil:
		result.stopped(ctx)
	case r.whyBroken() != "":
		result.Status, result.Reason = Skipped, r.whyBroken()
	case c.lost != "":
		result.Status, result.Failure = Failed, &Failure{Message: c.lost}
	case c.inapplicable != "":
		result.Status, result.Reason = NotApplicable, c.inapplicable
	default:
		leave := enterExclusion(c.exclusive)
		start := r.now() // waiting for other tests does not count
		r.carryOut(ctx, c, s, &result)
		leave()
		result.Duration = r.now().Sub(start)
		if ctx.Err() != nil && result.Status != Passed && result.Status != NotApplicable {
			result.stopped(ctx) // the stop may be the reason for the failure
		}
	}
	return result
}

// blank returns the test's result before it runs.
func (c testCase) blank(a *schema.Adapter) TestResult {
	result := TestResult{Name: c.name, Kind: c.kind, Level: c.level, File: a.Source, Line: c.at.Line, Column: c.at.Column, pointer: c.pointer}
	if c.kind == KindDerived {
		result.File = "" // no line of the file declares it
	}
	return result
}

// stopped records that the run was stopped before the test could end.
func (t *TestResult) stopped(ctx context.Context) {
	t.Status, t.Failure, t.Reason = Skipped, nil, "the run was stopped: "+context.Cause(ctx).Error()
}

func (r *runner) carryOut(ctx context.Context, c testCase, s *shapes, result *TestResult) {
	r.record.Mark(r.now().Sub(r.began), c.name)
	t := &testRun{run: r, adapter: r.adapter, place: c.place, shapes: s, at: c.at}
	if err := r.acquire(ctx, c, t); err != nil {
		r.notStarted(err, t, result)
		return
	}
	limit := c.timeout
	if r.options.Timeout > 0 {
		limit = r.options.Timeout
	} else if limit <= 0 {
		limit = defaultTimeout
	}
	bounded, cancel := context.WithTimeout(ctx, limit)
	err := c.run(bounded, t)
	cancel()
	r.conclude(ctx, c, t, err, result)
}

// conclude converts a test's error to its result and closes sessions that cannot be used again.
func (r *runner) conclude(ctx context.Context, c testCase, t *testRun, err error, result *TestResult) {
	switch {
	case err == nil:
		result.Status = Passed
	case errors.As(err, new(inapplicable)):
		result.Status, result.Reason = NotApplicable, err.Error()
		err = nil
	case errors.As(err, new(unsound)):
		result.Status, result.Failure = Errored, t.failed(err)
	default:
		result.Status, result.Failure = Failed, t.failed(err)
	}
	if lost := r.release(ctx, c, t, err); lost != "" {
		t.note("%s", lost)
	}
	result.Notes, result.Transports = t.notes, t.played
	if result.unmet = t.unmet; t.unmet != nil {
		t.unmet.pointer = c.pointer + t.unmet.pointer
	}
}

// notStarted records a test whose session did not start. If that was the first start of the run, no
// other session can start either.
func (r *runner) notStarted(err error, t *testRun, result *TestResult) {
	var missing *launch.MissingError
	var start *session.StartError
	isStart := errors.As(err, &start)
	if errors.As(err, &missing) || isStart && start.MissingService != "" && !r.everStarted() {
		r.skip(err)
		result.Status, result.Reason = Skipped, err.Error()
		return
	}
	result.Status, result.Failure = Errored, t.failed(fmt.Errorf("the program did not start: %w", err))
	if isStart {
		result.Status = Failed
	}
	if !r.everStarted() {
		r.mu.Lock()
		r.broken = notStartedReason
		r.mu.Unlock()
	}
}

// notStartedReason is why the tests after the first one are skipped in that case.
const notStartedReason = "the program did not start"

func (r *runner) everStarted() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.started
}

func (r *runner) whyBroken() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.broken
}

// grade sets the level, if the run was complete enough for one.
func (r *runner) grade() {
	switch {
	case r.report.Skipped != "":
	case r.report.NotStarted > 0:
		r.report.LevelNote = noLevel + "stopped at the first failure"
	case r.adapter.Family == schema.FamilyAgent:
		r.report.LevelNote = noAgentLevel
	case r.options.Filter != nil:
		r.report.LevelNote = noLevel + "only some tests were run (filter)"
	case r.options.NoDerived:
		r.report.LevelNote = noLevel + "the derived tests were left out"
	default:
		r.report.Level, r.report.LevelNote = level(r.report.Tests)
	}
}

func (r *runner) finishRecording() {
	if err := r.record.Close(); err != nil {
		r.report.Notes = append(r.report.Notes, "the recording is not complete: "+err.Error())
	}
}
