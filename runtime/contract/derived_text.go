package contract

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"ripple/schema"
)

// everyCharacter is all of printable ASCII, a tab, an accent as one character and
// as two (combining), wide characters, one beyond the basic plane and one made
// of several joined.
func everyCharacter() string {
	var b strings.Builder
	for c := byte(' '); c <= '~'; c++ {
		b.WriteByte(c)
	}
	return b.String() + "\t|é e\u0301|漢字 かな 한글|🙂 👩\u200d👩\u200d👧|\t."
}

func charactersArrive(ctx context.Context, t *trial) error {
	_, err := t.printsRaw(ctx, "characters", everyCharacter(), everyCharacter())
	return err
}

func blanksStay(ctx context.Context, t *trial) error {
	const text = "\n\n   three blanks\n\n\n\ttab\n \n      six\n"
	_, err := t.printsRaw(ctx, "blanks", text, text)
	return err
}

// megabyteOut has the numbers printed that fill a little more than 1,000,000
// bytes, one on a line. Whether a program counts from 0 or from 1 is asked first.
func megabyteOut(ctx context.Context, t *trial) error {
	first, err := t.firstNumber(ctx)
	if err != nil {
		return err
	}
	const lines = 160_000
	r, err := t.eval(ctx, "print_lines", withNumber(t.adapter.Samples.PrintLines, lines))
	if err != nil {
		return err
	}
	if r.Bytes < 1_000_000 {
		return failf("%d bytes arrived; %d lines are more than 1,000,000", r.Bytes, lines)
	}
	if r.Truncated {
		return failf("the output of %d bytes was truncated within a window of 1 MiB", r.Bytes)
	}
	if err := consecutive(r.Output, first, lines); err != nil {
		return err
	}
	return t.usable(ctx, "after 1 MB")
}

func (t *trial) firstNumber(ctx context.Context) (int, error) {
	r, err := t.eval(ctx, "print_lines", withNumber(t.adapter.Samples.PrintLines, 3))
	if err != nil {
		return 0, err
	}
	for first := range 2 {
		if consecutive(r.Output, first, 3) == nil {
			return first, nil
		}
	}
	return 0, failf("samples.print_lines with n = 3 should print three numbers from 0 or from 1, one on a line")
}

// consecutive requires a line for each number from first on, in order and next
// to each other; what a REPL adds before and after is passed over.
func consecutive(output string, first, count int) error {
	next := first
	for line := range strings.Lines(output) {
		line = strings.TrimRight(line, " \r\n")
		switch {
		case line == strconv.Itoa(next):
			next++
		case next > first && next < first+count:
			return failf("line %d should be %d, but is %s", next-first+1, next, quoted(cut(line, 80)))
		}
	}
	if next < first+count {
		return failf("%d of %d lines arrived; the last is %d", next-first, count, next-1)
	}
	return nil
}

func longLineIn(ctx context.Context, t *trial) error {
	// The whole line is as long as that: in some languages no text may be.
	length := 64<<10 - len(withText(t.adapter.Samples.Print, ""))
	if _, err := t.prints(ctx, "a line of 64 KB", pattern(length)); err != nil {
		return err
	}
	return t.usable(ctx, "after the long line")
}

// pattern is text of that length in which every place is different, so that a
// lost or doubled piece is found.
func pattern(length int) string {
	var b strings.Builder
	for i := 0; b.Len() < length; i++ {
		fmt.Fprintf(&b, "%d.", i)
	}
	return b.String()[:length]
}

// longBlockIn sends a block of prints and requires each text, in order.
func longBlockIn(ctx context.Context, t *trial) error {
	const length = 24 << 10
	var block strings.Builder
	var texts []string
	for block.Len() < length {
		text := fmt.Sprintf("%s of the block", token("line"))
		texts = append(texts, text)
		block.WriteString(withText(t.adapter.Samples.Print, text) + "\n")
	}
	began := t.run.now()
	if err := t.usable(ctx, "one line of the block"); err != nil {
		return err
	}
	limit := max(blockTimeout(t.run.now().Sub(began), len(texts)), t.run.options.Timeout)
	bounded, cancel := context.WithTimeout(ctx, limit)
	r, err := t.eval(bounded, "a block of 24 KB", strings.TrimSuffix(block.String(), "\n"))
	cancel()
	if err != nil {
		return err
	}
	rest := r.Output
	for i, text := range texts {
		_, after, found := strings.Cut(rest, text)
		if !found {
			return failf("line %d of %d of the block did not print its text (delivery: %s)", i+1, len(texts), delivery(t.adapter))
		}
		rest = after
	}
	return t.usable(ctx, "after the block")
}

// blockTimeout gives the lines of a block the time that they need one by one, for
// programs that compile each of them.
func blockTimeout(line time.Duration, lines int) time.Duration {
	return max(defaultTimeout, 2*line*time.Duration(lines))
}

func delivery(a *schema.Adapter) schema.MultilineDelivery {
	if a.Input.MultilineDelivery == "" {
		return schema.DeliverDirect
	}
	return a.Input.MultilineDelivery
}
