package contract

import (
	"strings"

	"ripple/internal/lazyregexp"
	"ripple/runtime/session"
	"ripple/schema"
)

// shape is all that a command printed, with its text taken out. Numbers count as one:
// a REPL may number its answers, show an address or the name of the file that brought
// a block.
func shape(output, text string) string {
	return numberless(strings.ReplaceAll(ownName().ReplaceAllString(output, "#"), text, slot))
}

// ownName is what ripple calls its files, at random: the text may be a part of it.
var ownName = lazyregexp.New(`ripple-\d+-\d+|\.ripple-exec-[0-9a-f]+`)

func numberless(s string) string { return number().ReplaceAllString(s, "#") }

const slot = "{text}"

var number = lazyregexp.New(`[0-9a-f]{16,}|0x[0-9a-f]+|[0-9]+`)

// shaped requires the output to be text in the shape that this sample had the second
// time in the same mode: what comes besides the text, such as a traceback, is a fault.
// The first time a program may say what it loads or defines.
func (t *testRun) shaped(sample, text string, r session.Result) error {
	got, key := shape(r.Output, text), sample+" in mode "+r.Mode
	seen := append(t.run.shapes[key], got)
	if len(seen) <= 2 {
		t.run.shapes[key] = seen
		return nil
	}
	want := seen[1]
	if got == want {
		return nil
	}
	return failf("the output of samples.%s is not the one that it had before: want %s, got %s",
		sample, quoted(cut(want, shownShape)), quoted(cut(got, shownShape)))
}

// shownShape is how much of an output a message shows, in bytes.
const shownShape = 400

// good requires that a correct command did not count as an error.
func good(a *schema.Adapter, r session.Result) error {
	if !r.ErrorSeen {
		return nil
	}
	return failf("it counts as an error: %s, mode %q, output.error_pattern %q", exitCode(r), r.Mode, a.Output.ErrorPattern)
}
