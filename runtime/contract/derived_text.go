package contract

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"example.org/ripple/runtime/session"
	"example.org/ripple/schema"
)

// everyCharacter returns all printable ASCII characters, a tab, an accent as one character and as
// two (combining), wide characters, one beyond the basic plane and one joined of several.
func everyCharacter() string {
	var b strings.Builder
	for c := byte(' '); c <= '~'; c++ {
		b.WriteByte(c)
	}
	return b.String() + "\t|é e\u0301|漢字 かな 한글|🙂 👩\u200d👩\u200d👧|\t."
}

func charactersArrive(ctx context.Context, t *testRun) error {
	for range 2 { // they define the shape
		if _, err := t.printsRaw(ctx, "a word", "word", "word"); err != nil {
			return err
		}
	}
	_, err := t.printsRaw(ctx, "characters", everyCharacter(), everyCharacter())
	return err
}

func blanksStay(ctx context.Context, t *testRun) error {
	const text = "\n\n   three blanks\n\n\n\ttab\n \n      six\n"
	_, err := t.printsRaw(ctx, "blanks", text, text)
	return err
}

// megabyteOut prints numbers, one per line, that fill a little more than 1,000,000 bytes. It first
// finds out whether the program counts from 0 or from 1.
func megabyteOut(ctx context.Context, t *testRun) error {
	first := 0
	for range 2 { // they define the shape
		var err error
		if first, err = firstNumber(ctx, t); err != nil {
			return err
		}
	}
	const lines = 160_000
	r, err := t.succeeds(ctx, "print_lines", withNumber(t.adapter.Samples.PrintLines, lines))
	if err != nil {
		return err
	}
	if r.Bytes < 1_000_000 {
		return failf("%d bytes arrived; %d lines are more than 1,000,000", r.Bytes, lines)
	}
	if r.Truncated {
		return failf("the output of %d bytes was truncated within a window of 1 MiB", r.Bytes)
	}
	around, err := consecutive(r.Output, first, lines)
	if err != nil {
		return err
	}
	if err := t.shaped("print_lines", slot, session.Result{Output: around, Mode: r.Mode}); err != nil {
		return err
	}
	return t.usable(ctx, "after 1 MB")
}

func firstNumber(ctx context.Context, t *testRun) (int, error) {
	r, err := t.succeeds(ctx, "print_lines", withNumber(t.adapter.Samples.PrintLines, 3))
	if err != nil {
		return 0, err
	}
	for first := range 2 {
		if around, err := consecutive(r.Output, first, 3); err == nil {
			return first, t.shaped("print_lines", slot, session.Result{Output: around, Mode: r.Mode})
		}
	}
	return 0, failf("samples.print_lines with n = 3 should print three consecutive numbers that start at 0 or 1, one per line")
}

// consecutive requires a line for each number from first on, in order and without gaps, and returns
// the text that a REPL adds, with a slot in their place.
func consecutive(output string, first, count int) (around string, err error) {
	next := first
	var b strings.Builder
	for line := range strings.Lines(output) {
		trimmed := strings.TrimRight(line, " \r\n")
		switch {
		case trimmed == strconv.Itoa(next) && next < first+count:
			if next++; next == first+count {
				b.WriteString(slot + "\n")
			}
		case next > first && next < first+count:
			return "", failf("line %d must be %d, not %s", next-first+1, next, quoted(cut(trimmed, 80)))
		default:
			b.WriteString(line)
		}
	}
	if next < first+count {
		return "", failf("%d of %d lines arrived; the last is %d", next-first, count, next-1)
	}
	return b.String(), nil
}

func longLineIn(ctx context.Context, t *testRun) error {
	for range 2 { // they define the shape
		if err := t.usable(ctx, "a short line"); err != nil {
			return err
		}
	}
	// The whole line has this length: in some languages no text may be that long.
	length := longLine - len(withText(t.adapter.Samples.Print, ""))
	if _, err := t.prints(ctx, "a line of 64 KB", pattern(length)); err != nil {
		return err
	}
	if err := t.usable(ctx, "after the long line"); err != nil {
		return err
	}
	return longLineSets(ctx, t)
}

// longLineSets sets the variable in a line that blanks make long. If a program accepts no more
// blanks than the sample has, nothing long can be tried.
func longLineSets(ctx context.Context, t *testRun) error {
	if !remembers(t) {
		return nil
	}
	const n = 6464
	sample := t.adapter.Samples.SetVar
	if r, err := t.eval(ctx, "set_var and a blank", padded(withNumber(sample, n-1), 1)); err != nil {
		return err
	} else if r.Failed {
		t.note("setting a variable with a long line was not tried: the program accepts no additional blanks in samples.set_var")
		return nil
	}
	code := withNumber(sample, n)
	return t.setVariable(ctx, "set_var in a long line", padded(code, longBlank), n)
}

// padded adds blanks where code has its last one, or at its end.
func padded(code string, blanks int) string {
	at := strings.LastIndexByte(code, ' ')
	if at < 0 {
		at = len(code)
	}
	return code[:at] + strings.Repeat(" ", blanks) + code[at:]
}

const (
	longLine  = 64 << 10
	longBlank = 16 << 10 // some languages need a time that grows with the square of the number of blanks
)

// remembers reports whether the adapter has a variable to set and to read.
func remembers(t *testRun) bool {
	s := t.adapter.Samples
	return t.adapter.Capabilities.Stateful && s.SetVar != "" && s.GetVar != ""
}

// pattern returns text of that length in which every position is different, so that a lost or
// doubled piece is found.
func pattern(length int) string {
	var b strings.Builder
	for i := 0; b.Len() < length; i++ {
		fmt.Fprintf(&b, "%d.", i)
	}
	return b.String()[:length]
}

// longBlockIn sends a block of prints and requires each text, in order, and nothing between them
// that a short block does not have there. A variable that the block sets is kept.
func longBlockIn(ctx context.Context, t *testRun) error {
	var short []string
	for range 2 { // a program may report at the first one that it created the variable
		var err error
		if short, err = block(ctx, t, "a short block", 0, 3141); err != nil {
			return err
		}
	}
	began := t.run.now()
	if err := t.usable(ctx, "one line of the block"); err != nil {
		return err
	}
	limit := max(blockTimeout(t.run.now().Sub(began), blockLength/len(t.adapter.Samples.Print)), t.run.options.Timeout)
	bounded, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	const n = 2424
	long, err := block(bounded, t, "a block of 24 KB", blockLength, n)
	if err != nil {
		return err
	}
	if err := sameGaps(long, short); err != nil {
		return err
	}
	if remembers(t) {
		if err := t.variableIs(ctx, "a block of 24 KB", n); err != nil {
			return err
		}
	}
	return t.usable(ctx, "after the block")
}

const blockLength = 24 << 10

// block sends prints of at least that length, three or more, after setting the samples' variable to
// n, and returns the output before, between and after the texts.
func block(ctx context.Context, t *testRun, step string, length, n int) (gaps []string, err error) {
	var block strings.Builder
	if remembers(t) {
		block.WriteString(withNumber(t.adapter.Samples.SetVar, n) + "\n")
	}
	var texts []string
	for len(texts) < 3 || block.Len() < length {
		text := fmt.Sprintf("%s of the block", token("line"))
		texts = append(texts, text)
		block.WriteString(withText(t.adapter.Samples.Print, text) + "\n")
	}
	r, err := t.succeeds(ctx, step, strings.TrimSuffix(block.String(), "\n"))
	if err != nil {
		return nil, err
	}
	rest := r.Output
	for i, text := range texts {
		before, after, found := strings.Cut(rest, text)
		if !found {
			return nil, failf("line %d of %d of the block did not print its text (delivery: %s)", i+1, len(texts), delivery(t.adapter))
		}
		gaps, rest = append(gaps, numberless(before)), after
	}
	return append(gaps, numberless(rest)), nil
}

// sameGaps requires the gaps of a block to equal those of a block of three lines; the second gap
// may differ from the first.
func sameGaps(long, short []string) error {
	for i, got := range long {
		want := short[2]
		switch i {
		case 0, 1:
			want = short[i]
		case len(long) - 1:
			want = short[3]
		}
		if got != want {
			return failf("before text %d of %d the block printed %s; in a short block that is %s",
				i+1, len(long)-1, quoted(cut(got, shownShape)), quoted(cut(want, shownShape)))
		}
	}
	return nil
}

// blockTimeout allows the lines of a block the time that they need one by one, for programs that
// compile each of them, and at least a minute in case the one line was quick by chance.
func blockTimeout(line time.Duration, lines int) time.Duration {
	return max(4*defaultTimeout, 2*line*time.Duration(lines))
}

func delivery(a *schema.Adapter) schema.MultilineDelivery {
	if a.Input.MultilineDelivery == "" {
		return schema.DeliverDirect
	}
	return a.Input.MultilineDelivery
}
