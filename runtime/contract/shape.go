package contract

import (
	"errors"
	"sort"
	"strings"

	"example.org/ripple/internal/lazyregexp"
	"example.org/ripple/runtime/session"
	"example.org/ripple/schema"
)

// shape returns a command's output with its text taken out. All numbers are equal: a REPL may
// number its answers, or show an address or the name of the file that contained a block.
func shape(output, text string) string {
	return numberless(strings.ReplaceAll(ownName().ReplaceAllString(output, "#"), text, slot))
}

// ownName matches the random names of ripple's files, of which the text may be a part.
var ownName = lazyregexp.New(`ripple-\d+-\d+|\.ripple-exec-[0-9a-f]+`)

func numberless(s string) string { return number().ReplaceAllString(s, "#") }

const slot = "{text}"

var number = lazyregexp.New(`[0-9a-f]{16,}|0x[0-9a-f]+|[0-9]+`)

// shaped requires the output to be text in the shape that this sample had the second time in the
// same mode: other output, such as a traceback, is a failure. The first time a program may report
// what it loads or defines. Tests that run concurrently have their own second time; [round.judge]
// compares them with each other.
func (t *testRun) shaped(sample, text string, r session.Result) error {
	o := observed{place: t.place, sample: sample, mode: r.Mode, got: shape(r.Output, text)}
	if t.shapes != t.run.shapes {
		o.failure = t.failure(errors.New("")) // the trace will belong to another test later
		t.run.mu.Lock()
		t.run.later = append(t.run.later, o)
		t.run.mu.Unlock()
	}
	return t.shapes.compare(o)
}

// shapes holds the first two outputs of each sample.
type shapes map[shapeKey][]string

type shapeKey struct{ sample, mode string }

// observed is the shape of a sample's output in a test.
type observed struct {
	place             int // of the test in the plan
	sample, mode, got string
	failure           *Failure // the test's failure if the shape is wrong, without the message
}

func (s *shapes) compare(o observed) error {
	key := shapeKey{o.sample, o.mode}
	seen := append((*s)[key], o.got)
	if len(seen) <= 2 {
		(*s)[key] = seen
		return nil
	}
	want := seen[1]
	if o.got == want {
		return nil
	}
	return failf("the output of samples.%s differs from its earlier output: want %s, got %s",
		o.sample, quoted(cut(want, shownShape)), quoted(cut(o.got, shownShape)))
}

// judge compares the outputs of tests that ran concurrently, in the order of the plan, and fails
// those that passed with a wrong one.
func (r *round) judge() {
	sort.SliceStable(r.later, func(i, j int) bool { return r.later[i].place < r.later[j].place })
	for _, o := range r.later {
		result := &r.results[o.place]
		if err := r.shapes.compare(o); err != nil && result.Status == Passed {
			o.failure.Message = err.Error()
			result.Status, result.Failure = Failed, o.failure
		}
	}
	r.later = nil
}

// shownShape is how many bytes of an output a message shows.
const shownShape = 400

// good requires that a correct command did not count as an error.
func good(a *schema.Adapter, r session.Result) error {
	if !r.Failed {
		return nil
	}
	return failf("it counts as an error: %s, mode %q, output.error_pattern %q", exitCode(r), r.Mode, a.Output.ErrorPattern)
}
