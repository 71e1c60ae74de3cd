package contract

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"example.org/ripple/runtime/session"
	"example.org/ripple/schema"
)

// testRun is one running test: its session, and the data that a failure reports about the last
// step.
type testRun struct {
	run     *runner
	adapter *schema.Adapter
	ev      evaluator // nil for tests that open their own
	trace   *trace
	place   int     // index of the test in the plan
	shapes  *shapes // of the tests that run in sequence with it

	step    string
	at      schema.Position // of the step in the adapter's file
	sent    string
	pattern string
	result  session.Result
	notes   []string
	played  []TransportResult // of a test of an agent's transports
	unmet   *unmet
}

// eval evaluates one line or block of code and records it for the report.
func (t *testRun) eval(ctx context.Context, step, code string) (session.Result, error) {
	t.begin(step, code)
	r, err := t.evalUnattended(ctx, code)
	t.result = r
	if err != nil {
		return r, explain(err)
	}
	return r, nil
}

// succeeds is eval for correct code: an error that the session sees in the result is a failure.
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

// explain converts a session's error to a test's terms; errors.Is still works.
func explain(err error) error {
	switch {
	case errors.As(err, new(*unknownPromptError)):
		return err
	case errors.Is(err, session.ErrTimeout), errors.Is(err, context.DeadlineExceeded):
		return fmt.Errorf("the end of the command was not recognized within the test's time limit: %w", err)
	case errors.Is(err, session.ErrBusy):
		return fmt.Errorf("the session still waits for an earlier command: %w", err)
	default:
		return err
	}
}

// unsound is an error of the test itself or of its environment: the result is Errored instead of
// Failed.
type unsound struct{ err error }

func (e unsound) Error() string { return e.err.Error() }
func (e unsound) Unwrap() error { return e.err }

func failf(format string, args ...any) error { return fmt.Errorf(format, args...) }

const (
	shownCode   = 2048
	shownOutput = 2048
)

// failed is failure for a test that is over. A likely cause is added: a file that the tests' directory does not have.
func (t *testRun) failed(err error) *Failure {
	f := t.failure(err)
	for _, arg := range t.adapter.Process.Args {
		if info, err := os.Stat(arg); err == nil && info.Mode().IsRegular() && !filepath.IsAbs(arg) {
			f.Message += fmt.Sprintf("; tests run in an empty directory, without the file %s of process.args", arg)
		}
	}
	return f
}

// failure returns the report of err at the last step of the test.
func (t *testRun) failure(err error) *Failure {
	f := &Failure{
		Message: err.Error(), Step: t.step, Line: t.at.Line, Column: t.at.Column, Pattern: t.pattern,
		Sent:    escaped(cut(t.sent, shownCode)),
		Output:  escaped(cut(t.result.Output, shownOutput)),
		EndedBy: string(t.result.CompletedBy),
	}
	if errors.As(err, new(*unknownPromptError)) {
		f.EndedBy = "a wait at a prompt that the adapter does not know"
	} else if errors.Is(err, session.ErrTimeout) || errors.Is(err, context.DeadlineExceeded) {
		f.EndedBy = string(session.ByTimeout) // even if the last result belongs to an earlier step
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
