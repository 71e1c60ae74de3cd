// Package contract tests an adapter against the real program that it
// describes: the probe, the tests that the adapter declares, and those that
// follow from its samples, signals, modes and capabilities (the derived tests).
//
// [Run] is the main path. It returns a [Report], which [WriteText], [WriteJSON],
// [WriteJUnit], [WriteTAP] and [WriteGitHub] put into words; nothing here depends on package
// testing, so `ripple adapter test` and a program of yours do the same.
//
// # Surroundings
//
// Every run has a private directory, removed afterwards, with a working directory
// and a TMPDIR, and every session of it an empty HOME of its own (XDG_*_HOME in
// it). HISTFILE points into that HOME, INPUTRC to nothing, and the locale is
// C.UTF-8. A user's rc files and history neither disturb a test nor are
// disturbed by it, and neither are an earlier session's.
// Variables that the adapter itself sets are left alone.
//
// # Sessions
//
// Declared tests share one session in the order of the file; a test with
// `isolated: true` has its own. A shared session that died or hung is started
// again for the next test, which then carries a note that state was lost.
// Derived tests share a second session; those that end it or that look at what
// it leaves behind have their own.
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

	"ripple/schema"
)

// Options are a caller's wishes for a run; the zero value runs everything once.
type Options struct {
	Filter     *regexp.Regexp // only tests whose name matches
	From       int            // only tests of levels from this one on
	UpTo       int            // only tests of levels up to this one; 0: of all
	NoDerived  bool           // leave out the derived tests
	FailFast   bool           // stop at the first failure; see [Report.LeftOut]
	Timeout    time.Duration  // for each test, over the declared ones; 0: as declared, 15 s otherwise
	Start      time.Duration  // how long the program may take to its first prompt; 0: 60 s
	Repeat     int            // how often everything is run; 0: once
	Executable string         // the program to test; empty: found by the adapter's rules
	Require    bool           // a missing program is an error of the report, not a reason to skip it
	Progress   func(Progress) // told when a test starts and when it ends
	Record     io.Writer      // receives an asciicast v3 recording of the whole run

	// Like is another adapter of the program of which nothing may get lost: its probe and its
	// declared tests have to be there word for word, and derived tests that apply to it to apply.
	Like *schema.Adapter

	Agent Agent // for family agent: how a turn is made and judged
	Files fs.FS // what stands beside the adapter: transcripts
}

// Progress is a test that starts (Result is nil) or has ended.
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
	slowest        = 5 * time.Minute // a test that sets its own limit by how fast the program is
)

// Run tests the adapter. It never fails as a whole: a program that is missing is
// [Report.Skipped] (and not [Report.OK] with [Options.Require]), and everything else that goes wrong is a failed test. When
// ctx ends, the tests that are left are skipped.
func Run(ctx context.Context, a *schema.Adapter, o Options) *Report {
	return newRunner(a, o).run(ctx)
}

// Names lists what [Run] would run, in order and without the filter, so that a
// filter that matches nothing can be answered with what there is.
func Names(a *schema.Adapter, o Options) []string {
	o.Filter, o.Repeat = nil, 1
	var names []string
	for _, c := range plan(a, o) {
		names = append(names, c.name)
	}
	return names
}
