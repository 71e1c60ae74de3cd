package contract

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"ripple/runtime/session"
	"ripple/schema"
)

// unmet is an expectation that the output of its step did not meet.
type unmet struct {
	pointer string // of the expectation in the adapter's file
	output  string // plain and trimmed, as it was compared
	refusal string // why the output must not become the expectation; empty: it may
}

// unfit says why what a step printed is nothing to expect from now on.
func (t *testRun) unfit(s schema.Step, r session.Result) string { return unfit(t.adapter, s, r) }

func unfit(a *schema.Adapter, s schema.Step, r session.Result) string {
	text := compared(r.Output)
	switch {
	case r.CompletedBy != session.ByMarker && r.CompletedBy != session.ByPrompt && r.CompletedBy != session.ByIdle:
		return "no prompt ended the command"
	case r.ErrorSeen && (s.ExpectError == nil || !*s.ExpectError):
		return "the command failed, and expect_error is not true"
	case !a.SeesErrors():
		return "an error of this program cannot be told from a result: declare output.error_pattern"
	case text == "":
		return "it printed nothing"
	case r.Screen || r.Truncated || len(text) > mostExpected:
		return fmt.Sprintf("it printed more than %d bytes, or drew on the screen", mostExpected)
	case !utf8.ValidString(text):
		return "it printed bytes that are no text"
	}
	return ""
}

// mostExpected is the longest output that is taken for an expectation, in bytes.
const mostExpected = 2000

// Change is an expectation that Update gave another text, or left as it is.
type Change struct {
	Test     string // its name
	Line     int    // in the file as it was
	Old, New string // patterns
	Kept     string // why it was left; empty: it was changed

	tries int
}

// Updated is what Update made of a file.
type Updated struct {
	Text    []byte   // the file; as it was where nothing is changed
	Changes []Change // in the order of the file
	Report  *Report  // of the last run: of Text
}

// Update runs the declared tests of an adapter's file and puts what the program
// printed in the place of each expectation (expect) that it does not meet. An error,
// a timeout, an empty output and one that is another one each time are never
// taken, and neither is any where its test does not pass with it. load is how the
// file's text becomes an adapter; Options.Filter leaves tests as they are. The error
// is that the text does not load, or that ctx ended: then nothing is to be changed.
func Update(ctx context.Context, text []byte, load func([]byte) (*schema.Adapter, error), o Options) (*Updated, error) {
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
			return &Updated{edited, u.list(), report}, nil
		}
	}
}

// updating is what is known after some runs: each run adds a change, tries one of
// them again, or takes one back for good, so that there is a last one.
type updating struct {
	text    []byte
	order   []string // pointers, as the runs met them
	changes map[string]*Change
}

// edited is the file with the changes that stand.
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

// learn takes in a run of the file as edited, and says whether it changes anything.
func (u *updating) learn(r *Report) (more bool) {
	for _, t := range r.Tests {
		if m := t.unmet; m != nil && u.changes[m.pointer] == nil {
			u.order = append(u.order, m.pointer)
			u.changes[m.pointer] = newChange(t)
			more = more || u.changes[m.pointer].Kept == ""
		} else if m != nil && u.changes[m.pointer].Kept == "" {
			u.changes[m.pointer].again(m)
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

// again takes in that the output is another one than the last time: an earlier test may
// have gone further this time, and so a second try is due, and no third.
func (c *Change) again(m *unmet) {
	switch c.tries++; {
	case m.refusal != "":
		c.Kept = m.refusal
	case c.tries > 2:
		c.Kept = "it prints something else each time"
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

// list is all changes in the order of the file.
func (u *updating) list() []Change {
	var list []Change
	for _, pointer := range u.order {
		list = append(list, *u.changes[pointer])
	}
	slices.SortStableFunc(list, func(a, b Change) int { return a.Line - b.Line })
	return list
}

// literal is a pattern that matches the text and nothing else.
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
