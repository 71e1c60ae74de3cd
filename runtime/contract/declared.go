package contract

import (
	"context"
	"errors"
	"fmt"
	"time"

	"example.org/ripple/runtime/session"
	"example.org/ripple/schema"
)

// declaredCase returns the case of a declared test at the given JSON pointer.
func declaredCase(test schema.Test, pointer string) testCase {
	return testCase{
		pointer: pointer,
		name:    test.Name, kind: KindDeclared, level: 2, at: test.Pos,
		timeout: time.Duration(test.TimeoutMS) * time.Millisecond,
		own:     test.Isolated,
		run:     func(ctx context.Context, t *testRun) error { return runDeclared(ctx, t, test) },
	}
}

// probeCase returns the case of the adapter's health check.
func probeCase(p schema.Probe) testCase {
	test := schema.Test{Step: schema.Step{Eval: &p.Eval, Expect: &p.Expect, Pos: p.Pos}, Pos: p.Pos}
	c := declaredCase(test, "/probe")
	c.name, c.kind, c.level = "probe", KindProbe, 1
	return c
}

type namedStep struct {
	name string
	path string // below the test's JSON pointer
	schema.Step
}

// steps returns the steps of a test, in order. A test without eval asserts the result of its last
// setup.
func steps(test schema.Test) []namedStep {
	var list []namedStep
	if test.Setup != nil {
		list = append(list, namedStep{"setup", "", schema.Step{Eval: test.Setup, Pos: test.Pos}})
	}
	for i, s := range test.SetupSequence {
		list = append(list, namedStep{fmt.Sprintf("setup_sequence[%d]", i), fmt.Sprintf("/setup_sequence/%d", i), s})
	}
	return append(list, namedStep{"eval", "", test.Step})
}

func runDeclared(ctx context.Context, t *testRun, test schema.Test) error {
	if err := t.run.checkNeeds(ctx, test.Needs); err != nil {
		return err
	}
	var seen observation
	evaluated := false
	for _, s := range steps(test) {
		t.at = placeOf(s.Pos, test.Pos)
		if s.Eval != nil {
			r, err := t.evalDeclared(ctx, s.name, *s.Eval)
			if err != nil {
				return err
			}
			evaluated = true
			seen.result = r
			seen.cwdReported = seen.cwdReported || r.CwdReported
			seen.outOfBand += r.OutOfBand
		}
		if !evaluated {
			return unsound{errors.New("the test has neither eval nor setup: there is nothing to assert")}
		}
		if err := t.assert(s, seen); err != nil {
			return err
		}
	}
	return nil
}

func (t *testRun) assert(s namedStep, seen observation) error {
	pattern, err := check(s.Step, seen)
	if err != nil {
		t.pattern = pattern
		if e, is := errors.AsType[mismatch](err); is && e.key == "expect" {
			t.unmet = &unmet{
				pointer: s.path + "/expect", output: compared(seen.result.Output),
				refusal: t.unsuitable(s.Step, seen.result),
			}
		}
		if s.name != "eval" {
			return fmt.Errorf("%s: %w", s.name, err)
		}
		return err
	}
	if s.ExitCodeIsUnreliable && s.ExpectExitCode != nil && (seen.result.ExitCode == nil || *seen.result.ExitCode != *s.ExpectExitCode) {
		t.note("exit code is declared unreliable: want %d, got %s", *s.ExpectExitCode, exitCode(seen.result))
	}
	return nil
}

// evalDeclared evaluates one step. Input that the session refuses as incomplete is a failed
// evaluation whose output is the refusal, so that expect_error and expect can assert it.
func (t *testRun) evalDeclared(ctx context.Context, step, code string) (session.Result, error) {
	r, err := t.eval(ctx, step, code)
	if errors.Is(err, session.ErrIncompleteInput) {
		t.result = session.Result{Output: err.Error(), Failed: true}
		return t.result, nil
	}
	if err != nil && step != "eval" {
		err = fmt.Errorf("%s: %w", step, err)
	}
	return r, err
}

func placeOf(step, test schema.Position) schema.Position {
	if step.Line > 0 {
		return step
	}
	return test
}
