package contract

import (
	"context"
	"errors"
	"os"
	"regexp"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/runtime/session"
	"example.org/ripple/schema"
)

// counted is a session that is counted while it is open.
type counted struct {
	evaluator
	close func()
}

func (c counted) Close(ctx context.Context) error {
	c.close()
	return c.evaluator.Close(ctx)
}

// apartAllPass simulates a process in which every test passes.
func apartAllPass(_ context.Context, names *regexp.Regexp, _ int) (*Report, error) {
	report := &Report{}
	for _, d := range derivedTests {
		if names.MatchString(d.name) {
			report.Tests = append(report.Tests, TestResult{Name: d.name, Kind: KindDerived, Level: d.level, Status: Passed})
		}
	}
	return report, nil
}

// Concurrent tests have the same results as sequential ones, in the same order, and no more
// programs open than allowed.
func TestSideBySide(t *testing.T) {
	t.Parallel()
	a := toyAdapter()
	a.Tests = append(a.Tests,
		named("alone", step("print alone", expecting("^alone$")), isolated),
		named("leaves", step("leave")))
	plain := toyAdapter() // a derived test with a session of its own does not apply
	plain.Modes, plain.Tests = nil, nil
	for _, tt := range []struct {
		adapter *schema.Adapter
		defect  string
	}{{a, ""}, {a, "does not close"}, {a, "keeps the echo"}, {a, "hides errors"}, {a, "does not start"}, {a, "has no server"}, {plain, ""}} {
		t.Run(tt.defect, func(t *testing.T) {
			t.Parallel()
			a, defect := tt.adapter, tt.defect
			inOrder := runToy(t, a, defect, Options{Filter: inMemory})
			for _, n := range []int{1, 2, 5} {
				var mu sync.Mutex
				open, most := 0, 0
				self, err := os.Executable()
				require.NoError(t, err)
				r := newRunner(a, Options{Filter: inMemory, ProgramLimit: NewProgramLimit(n), RunSeparately: apartAllPass, Executable: self})
				opener := toyOpener(defect)
				r.open = func(ctx context.Context, a *schema.Adapter, o session.Options) (evaluator, error) {
					ev, err := opener(ctx, a, o)
					if err != nil {
						return nil, err
					}
					mu.Lock()
					defer mu.Unlock()
					open++
					most = max(most, open)
					return counted{ev, func() {
						mu.Lock()
						defer mu.Unlock()
						open--
					}}, nil
				}
				report := r.run(t.Context())
				assert.Equal(t, statuses(inOrder), statuses(report), defect)
				assert.Equal(t, inOrder.Level, report.Level, defect)
				assert.Equal(t, inOrder.Skipped, report.Skipped, defect)
				assert.LessOrEqual(t, most, n, defect)
				assert.Zero(t, open, defect)
			}
		})
	}
}

func statuses(r *Report) (list []string) {
	for _, t := range r.Tests {
		list = append(list, t.Name+": "+string(t.Status))
	}
	return list
}

// Tests that count the open resources of their process run in a separate process, and its report
// has their results.
func TestApart(t *testing.T) {
	const leaks, left = "starts and stops leak nothing", "close leaves nothing behind"
	if !processesAreKnown {
		t.Skip("they do not apply here")
	}
	leaked := &Failure{Message: "leaked"}
	for _, c := range []struct {
		name   string
		report *Report
		err    error
		want   []string
	}{
		{"its results", &Report{Tests: []TestResult{
			{Name: left, Kind: KindDerived, Status: Passed}, {Name: leaks, Kind: KindDerived, Status: Failed, Failure: leaked},
		}}, nil, []string{left + ": passed", leaks + ": failed: leaked"}},
		{
			"a declared test of that name", &Report{Tests: []TestResult{{Name: left, Kind: KindDeclared, Status: Passed}, {Name: leaks, Kind: KindDerived, Status: Passed}}},
			nil,
			[]string{left + ": error: in a process of its own: the test was not run", leaks + ": passed"},
		},
		{"skipped", &Report{Skipped: "no program"}, nil, []string{left + ": error: in a process of its own: no program", leaks + ": error: in a process of its own: no program"}},
		{"failed", nil, errors.New("exit status 3"), []string{left + ": error: in a process of its own: exit status 3", leaks + ": error: in a process of its own: exit status 3"}},
	} {
		report := runToy(t, declared(), "", Options{
			Filter: regexp.MustCompile("^(probe|" + leaks + "|" + left + ")$"), ProgramLimit: NewProgramLimit(4),
			RunSeparately: func(_ context.Context, names *regexp.Regexp, programs int) (*Report, error) {
				assert.True(t, names.MatchString(leaks) && names.MatchString(left) && !names.MatchString("probe"))
				assert.Equal(t, 2, programs)
				return c.report, c.err
			},
		})
		assert.Equal(t, append([]string{"probe: passed"}, c.want...), outcome(report), c.name)
	}
}
