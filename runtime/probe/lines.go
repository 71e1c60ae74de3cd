package probe

import (
	"context"
	"fmt"
	"strings"
)

// lineSizes are tried from the longest on: what a line may have in buffers of the usual sizes.
var lineSizes = []int{70_000, 4094, 1022, 510, 254}

// findLineLimit is experiment 7: how long a line may be, and several lines at once.
func findLineLimit(ctx context.Context, l *lab) error {
	l.log.experiment(7, "long lines, and four lines at once")
	code := l.tongue.found["print"]
	if code == "" {
		return nil
	}
	for i, size := range lineSizes {
		text := counted(size - len(withText(code, "")))
		a, err := l.ask(ctx, withText(code, text))
		if err != nil {
			return err
		}
		if !strings.Contains(strings.ReplaceAll(string(a.raw), "\r\n", "\n"), text) || !a.ok {
			l.atPrompt = false
			continue
		}
		l.log.say("a line of %d bytes arrives whole", size)
		if i > 0 && l.tongue.load != "" {
			l.draft.set("input.max_line_bytes", size, sure, 7, fmt.Sprintf("a line of %d bytes does not arrive whole; longer ones go by a file", lineSizes[i-1]))
		} else if i > 0 {
			l.draft.unknown("input.max_line_bytes", fmt.Sprintf("a line of %d bytes arrives, one of %d does not, and no way to run a file is known", size, lineSizes[i-1]))
		}
		break
	}
	return together(ctx, l, code)
}

// counted is text of that length in which every place is different.
func counted(length int) string {
	var b strings.Builder
	for i := 0; b.Len() < length; i++ {
		fmt.Fprintf(&b, "%d.", i)
	}
	return b.String()[:max(length, 0)]
}

// together types four lines at once.
func together(ctx context.Context, l *lab, code string) error {
	if err := l.ready(ctx); err != nil {
		return err
	}
	var lines, texts []string
	for i := range 4 {
		texts = append(texts, fmt.Sprintf("line-%d-of-four", i+1))
		lines = append(lines, withText(code, texts[i]))
	}
	r := l.say(ctx, strings.Join(lines, l.way.ending))
	said, all := r.text(), true
	for _, text := range texts {
		var found bool
		_, said, found = strings.Cut(said, text)
		all = all && found
	}
	l.log.say("four lines at once are all taken: %v", all)
	l.atPrompt = false
	return ctx.Err()
}
