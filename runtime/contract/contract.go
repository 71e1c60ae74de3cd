// Package contract tests an adapter against the real program that it describes: the probe, the
// tests that the adapter declares, and those that follow from its samples, signals, modes and
// capabilities (the derived tests).
//
// [Run] is the main path. It returns a [Report], which [WriteText], [WriteJSON], [WriteJUnit],
// [WriteTAP] and [WriteGitHub] format. Nothing here depends on package testing, so that `ripple
// adapter test` and other programs can use it.
//
// # Surroundings
//
// Every run has a private directory, removed afterwards, with a working directory and a TMPDIR, and
// every session of it an empty HOME of its own (XDG_*_HOME in it). HISTFILE points into that HOME,
// INPUTRC to /dev/null, and the locale is C.UTF-8. Thus tests neither read nor change a user's rc
// files and history, nor those of an earlier session. Variables that the adapter itself sets are
// kept.
//
// # Sessions
//
// Declared tests share one session in the order of the file; a test with `isolated: true` has its
// own. A shared session that died or hung is restarted for the next test, which then carries a note
// that state was lost. Derived tests share a second session; those that end it or check what it
// leaves behind have their own.
//
// With [Options.ProgramLimit], the declared tests, those that share the second session, and each of
// those with a session of its own run concurrently; isolated tests then follow the other declared
// ones. The report keeps the order of the plan.
//
// # Levels
//
// 1 starts, evaluates, ends · 2 state, multi-line, errors, cwd, exit codes, modes
// (all declared tests are here) · 3 hostile input and output, interrupts,
// forgery · 4 faults and leaks. [Report.Level] is the highest level up to which
// everything that applies has passed.
package contract

import (
	"context"
	"io"
	"io/fs"
	"regexp"
	"time"

	"example.org/ripple/schema"
)

// Options configures a run; the zero value runs everything once.
type Options struct {
	Filter         *regexp.Regexp // only tests whose name matches
	MinLevel       int            // only tests of levels from this one on
	MaxLevel       int            // only tests of levels up to this one; 0: of all
	NoDerived      bool           // leave out the derived tests
	FailFast       bool           // stop at the first failure; see [Report.NotStarted]
	Timeout        time.Duration  // for each test, overrides the declared ones; 0: as declared, 15 s otherwise
	StartTimeout   time.Duration  // how long the program may take to its first prompt; 0: 60 s
	Repeat         int            // how often everything is run; 0: once
	Executable     string         // the program to test; empty: found by the adapter's rules
	RequireProgram bool           // a missing program is an error of the report, not a reason to skip it
	Progress       func(Progress) // called when a test starts and when it ends
	Record         io.Writer      // receives an asciicast v3 recording of the whole run

	// Baseline is another adapter of the same program, which this adapter must cover: its probe and its
	// declared tests must exist word for word, and derived tests that apply to it must apply.
	Baseline *schema.Adapter

	// ProgramLimit bounds how many programs the runs that share it have open at once, and lets the
	// tests of each run run concurrently. nil: the tests of a run are executed one after another.
	// So they are with FailFast or Record, for family agent, and if the adapter has a server.
	ProgramLimit *ProgramLimit

	// RunSeparately runs the derived tests with a matching name in a separate process, which may have the
	// given number of programs open at once, and returns their report: these tests count the open
	// resources of their process. nil: they run in this process, while none of its other tests run.
	RunSeparately func(ctx context.Context, names *regexp.Regexp, programs int) (*Report, error)

	Agent Agent // for family agent: runs and evaluates turns
	Files fs.FS // files next to the adapter: transcripts
}

// Progress reports a test that starts (Result is nil) or has ended.
type Progress struct {
	Name   string
	Number int // 1-based
	Total  int
	Result *TestResult
}

const (
	defaultTimeout = 15 * time.Second
	startTimeout   = 60 * time.Second // some programs need seconds to their first prompt
	closeTimeout   = 15 * time.Second
	slowest        = 5 * time.Minute // for a test that sets its own limit by the speed of the program
)

// Run tests the adapter. It never fails as a whole: a missing program is [Report.Skipped] (and not
// [Report.OK] with [Options.RequireProgram]), and any other problem is a failed test. When ctx ends, the
// remaining tests are skipped.
func Run(ctx context.Context, a *schema.Adapter, o Options) *Report {
	return newRunner(a, o).run(ctx)
}

// ListTests lists the tests that [Run] would run, in order and without the filter, so that a caller can
// answer a filter without matches.
func ListTests(a *schema.Adapter, o Options) []string {
	o.Filter, o.Repeat = nil, 1
	var names []string
	for _, c := range plan(a, o) {
		names = append(names, c.name)
	}
	return names
}
