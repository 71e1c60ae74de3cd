package contract

import (
	"context"
	"fmt"
	"strings"

	"ripple/runtime/session"
	"ripple/schema"
)

// Recorded is what somebody did in a session of an adapter, as tests that it may declare.
type Recorded struct {
	Adapter *schema.Adapter
	Errors  bool // commands that failed are recorded too

	Tests []schema.NewTest
	names map[string]bool
	mode  string // after the command before
}

// Add makes a test of a command and what came of it. The refusal says why there is none.
func (c *Recorded) Add(code string, r session.Result, err error) (refusal string) {
	t := schema.NewTest{Eval: code}
	failed := err == nil && r.ErrorSeen
	switch text := compared(r.Output); {
	case strings.TrimSpace(code) == "":
		return "nothing was typed"
	case err != nil:
		return err.Error()
	case failed && !c.Errors:
		return "it failed, and errors are not asked for"
	case text == "" && (c.Errors || c.Adapter.SeesErrors()):
		t.Expect = `\A\z`
	default:
		if why := unfit(c.judges(), schema.Step{ExpectError: &failed}, r); why != "" {
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

// judges is the adapter as it is asked whether it tells errors: who wants them recorded
// takes what comes.
func (c *Recorded) judges() *schema.Adapter {
	if !c.Errors {
		return c.Adapter
	}
	a := *c.Adapter
	a.Capabilities.ExitCode = schema.ExitCodeTrue
	return &a
}

// longestName is how much of a command names its test, in characters.
const longestName = 60

// name is the command's first line, which no other test has.
func (c *Recorded) name(code string) string {
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

// Settle runs the tests as a part of the adapter's file, and takes back what does not
// hold there: an expectation that is not met again, else the test. It returns the file
// with the tests that are left, which pass, what was taken back, and the last report.
// load is how the file's text becomes an adapter.
func (c *Recorded) Settle(ctx context.Context, file []byte, load func([]byte) (*schema.Adapter, error), o Options) (text []byte, taken []string, r *Report, err error) {
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
		back := c.takeBack(r)
		if len(back) == 0 {
			return text, taken, r, nil
		}
		taken = append(taken, back...)
	}
	return nil, taken, r, nil
}

// takeBack takes back what a run shows not to hold.
func (c *Recorded) takeBack(r *Report) (taken []string) {
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
			if t.Expect = ""; t.ExpectError == nil && c.Adapter.SeesErrors() {
				t.ExpectError = new(bool)
			}
			left = append(left, t)
			taken = append(taken, t.Name+": it prints something else each time, so nothing is expected of that")
		default:
			taken = append(taken, t.Name+": left out: "+res.why())
		}
	}
	c.Tests = left
	return taken
}
