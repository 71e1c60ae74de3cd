package contract

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"ripple/runtime/launch"
	"ripple/runtime/session"
	"ripple/schema"
)

// testCase is one test of a run, whatever its kind.
type testCase struct {
	name         string
	kind         Kind
	level        int
	at           schema.Position // in the adapter's file
	timeout      time.Duration   // 0: the default
	pointer      string          // of a declared test in the adapter's file
	inapplicable string          // why the adapter cannot be asked this
	lost         string          // what the adapter lacks of the one that it is to be like
	own          bool            // in a session of its own
	bare         bool            // opens its sessions itself
	exclusive    bool            // no other test of this process may run meanwhile
	run          func(context.Context, *testRun) error
}

// plan lists the tests of a round: the probe, the declared tests in file order,
// the derived ones by level.
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
	if o.Like != nil {
		cases = likeCases(cases, a, o.Like)
	}
	return slices.DeleteFunc(cases, func(c testCase) bool { return !o.wants(c) })
}

func (o Options) wants(c testCase) bool {
	return c.level >= o.From && (o.UpTo == 0 || c.level <= o.UpTo) && (o.Filter == nil || o.Filter.MatchString(c.name))
}

// runner is the state of one run.
type runner struct {
	adapter *schema.Adapter
	options Options
	open    opener
	now     func() time.Time
	around  *surroundings
	server  *server // private, for the run; nil: there is none
	record  *Recorder
	began   time.Time
	shared  map[Kind]*lease
	shapes  map[string][]string // of the samples' output, by sample and mode
	report  *Report
	broken  string // why nothing more is run
}

func newRunner(a *schema.Adapter, o Options) *runner {
	return &runner{adapter: a, options: o, open: openSession, now: time.Now, shared: map[Kind]*lease{}, shapes: map[string][]string{}}
}

func (r *runner) run(ctx context.Context) *Report {
	r.began = r.now()
	r.report = &Report{
		Adapter: r.adapter.Name, AdapterVersion: r.adapter.Version, File: r.adapter.Source,
		Unverified: r.adapter.Unverified, Required: r.options.Require, Started: r.began, Tests: []TestResult{},
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

// prepare finds the program and makes the private directories.
func (r *runner) prepare(ctx context.Context) bool {
	path, err := launch.Locate(r.adapter, launch.OSHost(), r.options.Executable)
	agent := r.adapter.Family == schema.FamilyAgent
	if err != nil && (!agent || r.options.Require) {
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
		r.report.Skipped = fmt.Sprintf("%s: needs %s", start.Adapter, start.Needs) + r.serverAdvice()
	}
}

func (r *runner) rounds(ctx context.Context) {
	cases := plan(r.adapter, r.options)
	rounds := max(r.options.Repeat, 1)
	total := rounds * len(cases)
	for round := 1; round <= rounds; round++ {
		for i, c := range cases {
			number := (round-1)*len(cases) + i + 1
			r.progress(Progress{Name: c.name, Number: number, Total: total})
			result := r.one(ctx, c)
			if rounds > 1 {
				result.Repeat = round
			}
			r.report.Tests = append(r.report.Tests, result)
			r.progress(Progress{Name: c.name, Number: number, Total: total, Result: &result})
			if r.report.Skipped != "" {
				r.report.Tests = []TestResult{} // nothing ran: the program is missing
				return
			}
			if r.options.FailFast && result.unwell() {
				r.report.LeftOut = total - number
				round = rounds
				break
			}
		}
		r.closeShared(ctx)
	}
	r.finishRecording()
}

func (r *runner) progress(p Progress) {
	if r.options.Progress != nil {
		r.options.Progress(p)
	}
}

// one runs a test, or says why it is not run.
func (r *runner) one(ctx context.Context, c testCase) TestResult {
	result := TestResult{Name: c.name, Kind: c.kind, Level: c.level, File: r.adapter.Source, Line: c.at.Line, Column: c.at.Column, pointer: c.pointer}
	if c.kind == KindDerived {
		result.File = "" // no line of the file states it
	}
	switch {
	case ctx.Err() != nil:
		result.stopped(ctx)
	case r.broken != "":
		result.Status, result.Reason = Skipped, r.broken
	case c.lost != "":
		result.Status, result.Failure = Failed, &Failure{Message: c.lost}
	case c.inapplicable != "":
		result.Status, result.Reason = NotApplicable, c.inapplicable
	default:
		leave := join(c.exclusive)
		start := r.now() // the wait for others is not the test's
		r.carryOut(ctx, c, &result)
		leave()
		result.Duration = r.now().Sub(start)
		if ctx.Err() != nil && result.Status != Passed && result.Status != NotApplicable {
			result.stopped(ctx) // what it failed for may be that
		}
	}
	return result
}

// stopped says that the run was stopped before the test could end.
func (t *TestResult) stopped(ctx context.Context) {
	t.Status, t.Failure, t.Reason = Skipped, nil, "the run was stopped: "+context.Cause(ctx).Error()
}

func (r *runner) carryOut(ctx context.Context, c testCase, result *TestResult) {
	r.record.Mark(r.now().Sub(r.began), c.name)
	t := &testRun{run: r, adapter: r.adapter, at: c.at}
	if err := r.take(ctx, c, t); err != nil {
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

// conclude turns a test's error into its result and gives up sessions that
// cannot be used again.
func (r *runner) conclude(ctx context.Context, c testCase, t *testRun, err error, result *TestResult) {
	switch {
	case err == nil:
		result.Status = Passed
	case errors.As(err, new(inapplicable)):
		result.Status, result.Reason = NotApplicable, err.Error()
		err = nil
	case errors.As(err, new(unsound)):
		result.Status, result.Failure = Errored, t.failure(err)
	default:
		result.Status, result.Failure = Failed, t.failure(err)
	}
	if lost := r.giveBack(ctx, c, t, err); lost != "" {
		t.note("%s", lost)
	}
	result.Notes, result.Ways = t.notes, t.played
	if result.unmet = t.unmet; t.unmet != nil {
		t.unmet.pointer = c.pointer + t.unmet.pointer
	}
}

// notStarted is a test whose session did not come up. When that is the very
// first one of the run, nothing else can come up either.
func (r *runner) notStarted(err error, t *testRun, result *TestResult) {
	var missing *launch.MissingError
	var start *session.StartError
	isStart := errors.As(err, &start)
	if errors.As(err, &missing) || isStart && start.Needs != "" && !r.everStarted() {
		r.skip(err)
		result.Status, result.Reason = Skipped, err.Error()
		return
	}
	result.Status, result.Failure = Errored, t.failure(fmt.Errorf("the program did not start: %w", err))
	if isStart {
		result.Status = Failed
	}
	if !r.everStarted() {
		r.broken = notStartedReason
	}
}

// notStartedReason is why the tests after the first one are skipped then.
const notStartedReason = "the program did not start"

func (r *runner) everStarted() bool {
	for _, t := range r.report.Tests {
		if t.Status == Passed || t.Status == Failed {
			return true
		}
	}
	return false
}

// grade gives the level, when the run was complete enough to give one.
func (r *runner) grade() {
	switch {
	case r.report.Skipped != "":
	case r.report.LeftOut > 0:
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
