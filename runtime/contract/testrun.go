package contract

import (
	"context"
	"errors"
	"fmt"
	"time"

	"ripple/runtime/session"
	"ripple/schema"
)

// testRun is one test being carried out: its session, and what a failure has to
// tell about the last step.
type testRun struct {
	run     *runner
	adapter *schema.Adapter
	ev      evaluator // nil for tests that open their own
	trace   *trace

	step    string
	at      schema.Position // of the step in the adapter's file
	sent    string
	pattern string
	result  session.Result
	notes   []string
	played  []Played // of a test of an agent's ways
	unmet   *unmet

	started time.Duration // how long the program took to its first prompt
}

// eval evaluates one line or block of code and remembers it for the report.
func (t *testRun) eval(ctx context.Context, step, code string) (session.Result, error) {
	t.begin(step, code)
	r, err := t.answerless(ctx, code)
	t.result = r
	if err != nil {
		return r, explain(err)
	}
	return r, nil
}

// succeeds is eval for code that is correct: an error that the session sees in what
// it did is a fault.
func (t *testRun) succeeds(ctx context.Context, step, code string) (session.Result, error) {
	r, err := t.eval(ctx, step, code)
	if err != nil {
		return r, err
	}
	return r, good(t.adapter, r)
}

func (t *testRun) begin(step, code string) {
	t.step, t.sent, t.pattern, t.result = step, code, "", session.Result{}
}

func (t *testRun) note(format string, args ...any) {
	t.notes = append(t.notes, fmt.Sprintf(format, args...))
}

// explain puts a session's error into a test's terms; errors.Is still works.
func explain(err error) error {
	switch {
	case errors.As(err, new(*strayError)):
		return err
	case errors.Is(err, session.ErrTimeout), errors.Is(err, context.DeadlineExceeded):
		return fmt.Errorf("the end of the command was not recognised within the test's time: %w", err)
	case errors.Is(err, session.ErrBusy):
		return fmt.Errorf("the session still waits for an earlier command: %w", err)
	default:
		return err
	}
}

// unsound is an error of the test itself or of its surroundings: the result is
// Errored instead of Failed.
type unsound struct{ err error }

func (e unsound) Error() string { return e.err.Error() }
func (e unsound) Unwrap() error { return e.err }

func failf(format string, args ...any) error { return fmt.Errorf(format, args...) }

const (
	shownCode   = 2048
	shownOutput = 2048
)

// failure is the report of err at the last step of the test.
func (t *testRun) failure(err error) *Failure {
	f := &Failure{
		Message: err.Error(), Step: t.step, Line: t.at.Line, Column: t.at.Column, Pattern: t.pattern,
		Sent:    escaped(cut(t.sent, shownCode)),
		Output:  escaped(cut(t.result.Output, shownOutput)),
		EndedBy: string(t.result.CompletedBy),
	}
	if errors.As(err, new(*strayError)) {
		f.EndedBy = "a wait at a prompt that the adapter does not know"
	} else if errors.Is(err, session.ErrTimeout) || errors.Is(err, context.DeadlineExceeded) {
		f.EndedBy = string(session.ByTimeout) // also where the last result is an earlier step's
	}
	if t.trace != nil {
		f.Received, f.Timeline = t.trace.received(), t.trace.timeline()
	}
	var start *session.StartError
	if errors.As(err, &start) {
		f.Output = escaped(cut(start.Output, shownOutput))
		if start.Output == "" {
			f.Message += "; it printed nothing"
		}
	}
	return f
}
