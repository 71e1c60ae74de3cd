package contract

import (
	"context"
	"fmt"
	"regexp"
	"sort"
	"strconv"
	"strings"
	"unicode/utf8"

	"example.org/ripple/runtime/session"
	"example.org/ripple/schema"
)

// unmet is an expectation that the output of its step did not meet.
type unmet struct {
	pointer string // plain and trimmed, in its compared form
	output  string // why the output must not become the expectation; empty: it may
	refusal string // why the output must not become the expectation; empty: it may
}

// unsuitable returns the reason why a step's output must not become an expectation.
func (t *testRun) unsuitable(s schema.Step, r session.Result) string {
	return unsuitable(t.adapter, s, r)
}

func unsuitable(a *schema.Adapter, s schema.Step, r session.Result) string {
	text := compared(r.Output)
	switch {
	case r.CompletedBy != session.ByMarker && r.CompletedBy != session.ByPrompt && r.CompletedBy != session.ByIdle:
		return "no prompt ended the command"
	case r.Failed && (s.ExpectError == nil || !*s.ExpectError):
		return "the command failed, and expect_error is not true"
	case !a.DetectsErrors():
		return "errors of this program cannot be distinguished from results: declare output.error_pattern"
	case text == "":
		return "it printed nothing"
	case r.Screen || r.Truncated || len(text) > mostExpected:
		return fmt.Sprintf("it printed more than %d bytes, or drew on the screen", mostExpected)
	case !utf8.ValidString(text):
		return "it printed bytes that are not text"
	}
	return ""
}

// mostExpected is the length in bytes of the longest output that becomes an expectation.
const mostExpected = 2000

// Change is an expectation that Update changed, or left unchanged.
type Change struct {
	Test     string // its name
	Line     int    // in the original file
	Old, New string // patterns
	Kept     string // why it was left unchanged; empty: it was changed

	tries int
}

// UpdateResult is the result of Update.
type UpdateResult struct {
	Text    []byte   // the file; unchanged if there are no changes
	Changes []Change // in the order of the file
	Report  *Report  // of the last run: of Text
}

// Update runs the declared tests of an adapter's file and replaces each expectation (expect) that
// the program does not meet by its output. It never uses an error, a timeout, an empty output or an
// output that differs each time, nor any output with which its test does not pass. load converts
// the file's text to an adapter; Options.Filter leaves tests unchanged. An error means that the
// text does not load, or that ctx ended: then the file must not be changed.
func Update(ctx context.Context, text []byte, load func([]byte) (*schema.Adapter, error), o Options) (*UpdateResult, error) {
	o.NoDerived, o.FailFast, o.Repeat = true, false, 1
	u := &updating{text: text, changes: map[string]*Change{}}
	for {
		edited := u.edited()
		a, err := load(edited)
		if err != nil {
			return nil, err
		}
		report := Run(ctx, a, o)
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if !u.learn(report) {
			return &UpdateResult{edited, u.list(), report}, nil
		}
	}
}

// updating is the state after some runs: each run adds a change, retries one, or drops one for
// good, so that the loop ends.
type updating struct {
	text    []byte
	order   []string // pointers, in the order of the runs
	changes map[string]*Change
}

// edited returns the file with the current changes.
func (u *updating) edited() []byte {
	text := u.text
	for _, pointer := range u.order {
		c := u.changes[pointer]
		if c.Kept != "" {
			continue
		}
		edited, err := schema.SetText(text, pointer, c.New)
		if err != nil {
			c.Kept = err.Error()
			continue
		}
		text = edited
	}
	return text
}

// learn evaluates a run of the edited file, and reports whether the changes are different now.
func (u *updating) learn(r *Report) (more bool) {
	for _, t := range r.Tests {
		if m := t.unmet; m != nil && u.changes[m.pointer] == nil {
			u.order = append(u.order, m.pointer)
			u.changes[m.pointer] = newChange(t)
			more = more || u.changes[m.pointer].Kept == ""
		} else if m != nil && u.changes[m.pointer].Kept == "" {
			u.changes[m.pointer].retry(m)
			more = true
		}
	}
	if more {
		return true
	}
	for _, t := range r.Tests {
		if t.Status == Passed {
			continue
		}
		for _, pointer := range u.order {
			if c := u.changes[pointer]; c.Kept == "" && strings.HasPrefix(pointer, t.pointer+"/") {
				c.Kept, more = "with it the test still does not pass: "+t.why(), true
			}
		}
	}
	return more
}

// retry handles an output that differs from the last one: an earlier test may have got further this
// time, so one retry is made, but no second one.
func (c *Change) retry(m *unmet) {
	switch c.tries++; {
	case m.refusal != "":
		c.Kept = m.refusal
	case c.tries > 2:
		c.Kept = "its output differs from run to run"
	default:
		c.New = literal(m.output)
	}
}

func (t TestResult) why() string {
	if t.Failure != nil {
		return t.Failure.Message
	}
	return t.Reason
}

func newChange(t TestResult) *Change {
	c := &Change{Test: t.Name, Line: t.Failure.Line, Old: t.Failure.Pattern, New: literal(t.unmet.output), Kept: t.unmet.refusal}
	if t.Kind == KindProbe {
		c.Kept = "the probe says whether the adapter works at all: change it by hand"
	}
	return c
}

// list returns all changes in the order of the file.
func (u *updating) list() []Change {
	var list []Change
	for _, pointer := range u.order {
		list = append(list, *u.changes[pointer])
	}
	sort.SliceStable(list, func(i, j int) bool { return list[i].Line < list[j].Line })
	return list
}

// literal returns a pattern that matches only the text.
func literal(text string) string {
	var b strings.Builder
	for _, r := range regexp.QuoteMeta(text) {
		switch {
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		case !strconv.IsPrint(r) && r <= 0xffff:
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteRune(r)
		}
	}
	return "^" + b.String() + "$"
}
