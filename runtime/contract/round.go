package contract

import (
	"context"
	"errors"
	"regexp"
	"slices"
	"sort"
	"strings"
	"sync"

	"golang.org/x/sync/semaphore"

	"example.org/ripple/schema"
)

// ProgramLimit bounds how many programs are under test at once. Several runs, in several goroutines,
// can share it.
type ProgramLimit struct {
	free *semaphore.Weighted
	n    int
}

// NewProgramLimit returns a bound of n programs, at least one.
func NewProgramLimit(n int) *ProgramLimit {
	n = max(n, 1)
	return &ProgramLimit{semaphore.NewWeighted(int64(n)), n}
}

// acquire waits until n programs may start. A stopped run needs none: its tests only report that it
// was stopped.
func (p *ProgramLimit) acquire(ctx context.Context, n int) (release func()) {
	if p == nil || p.free.Acquire(ctx, int64(n)) != nil {
		return func() {}
	}
	return func() { p.free.Release(int64(n)) }
}

// leakPrograms returns how many sessions the leak test has open at once: half of the programs if
// other tests run meanwhile.
func (o Options) leakPrograms() int {
	switch p := o.ProgramLimit; {
	case p == nil:
		return leakAtOnce
	case o.RunSeparately == nil:
		return min(leakAtOnce, p.n)
	default:
		return min(leakAtOnce, max(p.n/2, 1))
	}
}

// round is one execution of every test.
type round struct {
	*runner
	number, of int // 1-based
	cases      []testCase
	results    []TestResult // of cases, by index
}

func (r *runner) rounds(ctx context.Context) {
	cases := plan(r.adapter, r.options)
	of := max(r.options.Repeat, 1)
	for number := 1; number <= of && r.report.NotStarted == 0; number++ {
		now := &round{r, number, of, cases, make([]TestResult, len(cases))}
		if now.concurrent() {
			now.sideBySide(ctx)
		} else {
			now.inOrder(ctx)
		}
		if r.report.Skipped != "" {
			r.report.Tests = []TestResult{} // nothing ran: the program is missing
			return
		}
		r.report.Tests = append(r.report.Tests, now.results...)
	}
	r.finishRecording()
}

// concurrent reports whether the tests may run concurrently.
func (r *round) concurrent() bool {
	o := r.options
	return o.ProgramLimit != nil && !o.FailFast && r.record == nil && r.adapter.Family != schema.FamilyAgent && r.server == nil
}

// test runs the test at that index of the plan.
func (r *round) test(ctx context.Context, place int, s *shapes) {
	r.begins(place)
	r.ended(place, r.one(ctx, r.cases[place], s))
}

func (r *round) begins(place int) { r.progress(place, nil) }

func (r *round) ended(place int, result TestResult) {
	if r.of > 1 {
		result.Round = r.number
	}
	r.mu.Lock()
	r.results[place] = result
	r.started = r.started || result.Status == Passed || result.Status == Failed
	r.mu.Unlock()
	r.progress(place, &result)
}

func (r *round) progress(place int, result *TestResult) {
	if r.options.Progress == nil {
		return
	}
	r.progressMu.Lock()
	defer r.progressMu.Unlock()
	r.options.Progress(Progress{
		Name: r.cases[place].name, Number: (r.number-1)*len(r.cases) + place + 1, Total: r.of * len(r.cases), Result: result,
	})
}

// inOrder runs the tests one after another.
func (r *round) inOrder(ctx context.Context) {
	programs := 1
	if slices.ContainsFunc(r.cases, func(c testCase) bool { return c.exclusive }) {
		programs = r.options.leakPrograms()
	}
	defer r.options.ProgramLimit.acquire(ctx, programs)()
	defer r.closeShared(ctx, KindDeclared, KindDerived)
	for place := range r.cases {
		r.test(ctx, place, r.shapes)
		if r.report.Skipped != "" {
			return
		}
		if r.options.FailFast && r.results[place].unsuccessful() {
			r.report.NotStarted = r.of*len(r.cases) - (r.number-1)*len(r.cases) - place - 1
			r.results = r.results[:place+1]
			return
		}
	}
}

// lane is a list of tests that run one after another, concurrently with other lanes.
type lane struct {
	places   []int
	shared   Kind // the kind of session that some of them share; empty: none
	programs int  // number of programs open at once
	apart    bool // in a separate process
	shapes   shapes
}

func newLane(places ...int) lane { return lane{places: places, programs: 1, shapes: shapes{}} }

// sideBySide runs the lanes concurrently, as far as there are programs for them. The first test
// runs alone, because it shows whether the program starts at all.
func (r *round) sideBySide(ctx context.Context) {
	lanes, alone := r.lanes()
	defer r.judge()
	var running sync.WaitGroup
	for i, l := range lanes {
		release := r.options.ProgramLimit.acquire(ctx, l.programs)
		if i == 0 && !l.apart {
			r.test(ctx, l.places[0], &l.shapes)
			if r.report.Skipped != "" {
				release()
				return
			}
			l.places = l.places[1:]
		}
		running.Go(func() {
			defer release()
			r.lane(ctx, l)
		})
	}
	running.Wait()
	if len(alone.places) > 0 {
		defer r.options.ProgramLimit.acquire(ctx, alone.programs)()
		r.lane(ctx, alone)
	}
}

func (r *round) lane(ctx context.Context, l lane) {
	if l.apart {
		r.apart(ctx, l.places)
		return
	}
	if l.shared != "" {
		defer r.closeShared(ctx, l.shared)
	}
	for _, place := range l.places {
		if c := r.cases[place]; l.shared != "" && (c.own || c.bare) && c.lost == "" && c.inapplicable == "" { // it counts as one program
			r.closeShared(ctx, l.shared)
		}
		r.test(ctx, place, &l.shapes)
	}
}

// lanes divides the tests into lanes: first the lane of the very first test, then those that take
// long because they wait. Tests that count the open resources of this process run alone, after the
// others, unless a separate process runs them.
func (r *round) lanes() (lanes []lane, alone lane) {
	declared, derived := newLane(), newLane()
	declared.shared, derived.shared = KindDeclared, KindDerived
	alone = newLane()
	alone.programs, alone.apart = r.options.leakPrograms(), r.options.RunSeparately != nil
	var isolated []int
	var waiting, others []lane
	for place, c := range r.cases {
		switch {
		case c.kind != KindDerived && c.own:
			isolated = append(isolated, place)
		case c.kind != KindDerived:
			declared.places = append(declared.places, place)
		case c.lost != "" || c.inapplicable != "" || !c.own && !c.bare:
			derived.places = append(derived.places, place)
		case c.exclusive:
			alone.places = append(alone.places, place)
		case c.waits:
			waiting = append(waiting, newLane(place))
		default:
			others = append(others, newLane(place))
		}
	}
	declared.places = append(declared.places, isolated...)
	lanes = append([]lane{declared}, waiting...)
	if alone.apart {
		lanes, alone = append(lanes, alone), lane{}
	}
	lanes = append(append(lanes, derived), others...)
	lanes = slices.DeleteFunc(lanes, func(l lane) bool { return len(l.places) == 0 })
	sort.SliceStable(lanes, func(i, j int) bool { return min(lanes[i].places[0], 1) < min(lanes[j].places[0], 1) })
	return lanes, alone
}

// apart runs tests in a separate process.
func (r *round) apart(ctx context.Context, places []int) {
	var names []string
	for _, place := range places {
		names = append(names, regexp.QuoteMeta(r.cases[place].name))
		r.begins(place)
	}
	began := r.now()
	report, err := r.options.RunSeparately(ctx, regexp.MustCompile("^(?:"+strings.Join(names, "|")+")$"), r.options.leakPrograms())
	if err == nil && report.Skipped != "" {
		err = errors.New(report.Skipped)
	}
	for _, place := range places {
		result := r.cases[place].blank(r.adapter)
		switch {
		case ctx.Err() != nil:
			result.stopped(ctx)
		case err != nil:
			result.Status, result.Failure = Errored, &Failure{Message: "in a process of its own: " + err.Error()}
		default:
			i := slices.IndexFunc(report.Tests, func(t TestResult) bool { return t.Kind == result.Kind && t.Name == result.Name })
			if i < 0 {
				result.Status, result.Failure = Errored, &Failure{Message: "in a process of its own: the test was not run"}
				break
			}
			result = report.Tests[i]
		}
		if result.Duration == 0 {
			result.Duration = r.now().Sub(began)
		}
		r.ended(place, result)
	}
}
