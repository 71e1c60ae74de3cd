package contract

import (
	"context"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"
	"sync/atomic"
	"unicode/utf8"

	"example.org/ripple/runtime/session"
	"example.org/ripple/schema"
)

// serial makes the tokens of a process unique, so that text left over from one test cannot pass
// another.
var serial atomic.Int64

func token(word string) string { return fmt.Sprintf("%s%d", word, 1000+serial.Add(1)) }

func withText(sample, text string) string { return strings.ReplaceAll(sample, "{text}", text) }
func withNumber(sample string, n int) string {
	return strings.ReplaceAll(sample, "{n}", strconv.Itoa(n))
}

// raw returns code that prints the given bytes.
func (t *testRun) raw(bytes string) string {
	return withText(t.adapter.Samples.RawBytes, hex.EncodeToString([]byte(bytes)))
}

// prints prints text and requires it in the output, in the shape of samples.print, without an
// error.
func (t *testRun) prints(ctx context.Context, step, text string) (session.Result, error) {
	code := withText(t.adapter.Samples.Print, text)
	r, err := t.eval(ctx, step, code)
	if err != nil {
		return r, err
	}
	if err := t.noEcho(code, r); err != nil {
		return r, err
	}
	if err := holds(r.Output, text); err != nil {
		return r, err
	}
	if err := good(t.adapter, r); err != nil {
		return r, err
	}
	return r, t.shaped("print", text, r)
}

// printsRaw prints bytes between two tokens and requires want between the tokens in the output.
func (t *testRun) printsRaw(ctx context.Context, step, bytes, want string) (session.Result, error) {
	begin, end := token("begin"), token("end")
	r, err := t.eval(ctx, step, t.raw(begin+bytes+end))
	if err != nil {
		return r, err
	}
	_, rest, found := strings.Cut(r.Output, begin)
	if !found {
		return r, notRaw(begin)
	}
	got, _, found := strings.Cut(rest, end)
	if !found {
		return r, failf("the command was considered ended before its last output arrived (ended by %s)", r.CompletedBy)
	}
	if err := same(got, want); err != nil {
		return r, err
	}
	if err := good(t.adapter, r); err != nil {
		return r, err
	}
	return r, t.shaped("raw_bytes", begin+want+end, r)
}

// notRaw is the failure of a sample that does not print the given bytes: further results would be
// meaningless.
func notRaw(begin string) error {
	return failf("samples.raw_bytes did not write the bytes that it was given: %s is not in the output", begin)
}

// usable checks that the session evaluates commands and is in step: the answer belongs to this
// command.
func (t *testRun) usable(ctx context.Context, step string) error {
	if t.adapter.Samples.Print != "" {
		_, err := t.prints(ctx, step, token("usable"))
		return err
	}
	if t.adapter.Probe == nil {
		_, err := t.eval(ctx, step, "")
		return err
	}
	probe := *t.adapter.Probe
	if _, err := t.eval(ctx, step, probe.Eval); err != nil {
		return err
	}
	pattern, err := check(schema.Step{Expect: &probe.Expect}, observation{result: t.result})
	t.pattern = pattern
	return err
}

// noEcho requires that the code itself is not in the output, unless the adapter leaves it there on
// purpose.
func (t *testRun) noEcho(code string, r session.Result) error {
	out := t.adapter.Output
	if !out.StripInputEcho || out.InputEchoStrategy == schema.EchoNone || !strings.Contains(r.Output, code) {
		return nil
	}
	return failf("the echo of the input is in the output (output.input_echo_strategy: %s)", out.InputEchoStrategy)
}

// holds requires text in the output; for a long text it reports how much arrived.
func holds(output, text string) error {
	if strings.Contains(output, text) {
		return nil
	}
	if len(text) < 200 {
		return failf("the output does not contain %s", quoted(text))
	}
	start := strings.Index(output, text[:min(len(text), 32)])
	if start < 0 {
		return failf("the output contains neither the text of %d bytes nor its beginning", len(text))
	}
	return same(output[start:], text)
}

// same requires got to equal want and reports where they differ.
func same(got, want string) error {
	if got == want {
		return nil
	}
	i := 0
	for i < len(got) && i < len(want) && got[i] == want[i] {
		i++
	}
	return failf("the output differs from byte %d of %d on: want %s, got %s", i, len(want), near(want, i), near(got, i))
}

// near shows the position in ASCII only, because characters that look alike may differ.
func near(s string, at int) string {
	if at >= len(s) {
		return "the end"
	}
	to := min(len(s), at+40)
	for at > 0 && !utf8.RuneStart(s[at]) {
		at--
	}
	for to < len(s) && !utf8.RuneStart(s[to]) {
		to++
	}
	return strconv.QuoteToASCII(s[at:to])
}
