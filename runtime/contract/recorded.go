package contract

import (
	"context"
	"fmt"
	"strings"

	"example.org/ripple/runtime/session"
	"example.org/ripple/schema"
)

// RecordedTests holds a user's commands in a session of an adapter, as tests that the adapter may
// declare.
type RecordedTests struct {
	Adapter       *schema.Adapter
	IncludeErrors bool // commands that failed are recorded too

	Tests []schema.NewTest
	names map[string]bool
	mode  string // after the previous command
}

// Add makes a test of a command and its result. The refusal is the reason why there is no test;
// empty: there is one.
func (c *RecordedTests) Add(code string, r session.Result, err error) (refusal string) {
	t := schema.NewTest{Eval: code}
	failed := err == nil && r.Failed
	switch text := compared(r.Output); {
	case strings.TrimSpace(code) == "":
		return "nothing was typed"
	case err != nil:
		return err.Error()
	case failed && !c.IncludeErrors:
		return "the command failed, and only successful commands are recorded, unless errors are asked for"
	case text == "" && (c.IncludeErrors || c.Adapter.DetectsErrors()):
		t.Expect = `\A\z`
	default:
		if why := unsuitable(c.errorJudge(), schema.Step{ExpectError: &failed}, r); why != "" {
			return why
		}
		t.Expect = literal(text)
	}
	if failed {
		t.ExpectError = &failed
		if c.Adapter.Capabilities.ExitCode == schema.ExitCodeTrue {
			t.ExpectExitCode = r.ExitCode
		}
	}
	if r.Mode != c.mode && r.Mode != "" {
		t.ExpectMode = r.Mode
	}
	c.mode = r.Mode
	t.Name = c.name(code)
	c.Tests = append(c.Tests, t)
	return ""
}

// errorJudge returns the adapter whose ability to report errors decides: a caller that wants errors
// recorded accepts all results.
func (c *RecordedTests) errorJudge() *schema.Adapter {
	if !c.IncludeErrors {
		return c.Adapter
	}
	a := *c.Adapter
	a.Capabilities.ExitCode = schema.ExitCodeTrue
	return &a
}

// longestName is how many characters of a command are used as the name of its test.
const longestName = 60

// name returns the command's first line, made unique among the tests.
func (c *RecordedTests) name(code string) string {
	if c.names == nil {
		c.names = map[string]bool{}
		for _, t := range c.Adapter.Tests {
			c.names[t.Name] = true
		}
	}
	line, _, _ := strings.Cut(strings.TrimSpace(code), "\n")
	plain := []rune(strings.Join(strings.Fields(line), " "))
	base := "typed: " + string(plain[:min(len(plain), longestName)])
	name := base
	for n := 2; c.names[name]; n++ {
		name = fmt.Sprintf("%s (%d)", base, n)
	}
	c.names[name] = true
	return name
}

// Verify runs the tests as a part of the adapter's file, and removes failing parts: an
// expectation that is not met again, else the test. It returns the file with the remaining tests,
// which pass, descriptions of the removed parts, and the last report. load converts the file's text
// to an adapter.
func (c *RecordedTests) Verify(ctx context.Context, file []byte, load func([]byte) (*schema.Adapter, error), o Options) (text []byte, taken []string, r *Report, err error) {
	o.NoDerived, o.FailFast, o.Repeat = true, false, 1
	for len(c.Tests) > 0 {
		if text, err = schema.AppendTests(file, c.Tests); err != nil {
			return nil, taken, nil, err
		}
		a, err := load(text)
		if err != nil {
			return nil, taken, nil, err
		}
		r = Run(ctx, a, o)
		if ctx.Err() != nil {
			return nil, taken, nil, context.Cause(ctx)
		}
		back := c.removeRefuted(r)
		if len(back) == 0 {
			return text, taken, r, nil
		}
		taken = append(taken, back...)
	}
	return nil, taken, r, nil
}

// removeRefuted removes expectations and tests that a run has refuted.
func (c *RecordedTests) removeRefuted(r *Report) (taken []string) {
	results := map[string]TestResult{}
	for _, t := range r.Tests {
		results[t.Name] = t
	}
	var left []schema.NewTest
	for _, t := range c.Tests {
		switch res, ran := results[t.Name]; {
		case ran && res.Status == Passed:
			left = append(left, t)
		case ran && res.unmet != nil && t.Expect != "":
			if t.Expect = ""; t.ExpectError == nil && c.Adapter.DetectsErrors() {
				t.ExpectError = new(bool)
			}
			left = append(left, t)
			taken = append(taken, t.Name+": its output differs from run to run, so the test expects no particular output")
		default:
			taken = append(taken, t.Name+": left out: "+res.why())
		}
	}
	c.Tests = left
	return taken
}
