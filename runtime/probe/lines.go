package probe

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// lineSizes are tried from the longest on: lengths of lines that fit common buffer sizes.
var lineSizes = []int{70_000, 4094, 1022, 510, 254}

// findLineLimit is experiment 7: the maximum length of a line, and several lines at a time.
func findLineLimit(ctx context.Context, l *lab) error {
	l.log.experiment(7, "long lines, and four lines at once")
	code := l.tongue.found["print"]
	if code == "" {
		return nil
	}
	at, err := longestLine(ctx, l, code)
	if err != nil {
		return err
	}
	if at > 0 {
		if at, err = keepWhole(ctx, l, code, at); err != nil {
			return err
		}
	}
	switch {
	case at == 0:
	case at == len(lineSizes):
		l.draft.unknown("input.max_line_bytes", fmt.Sprintf("a line of only %d bytes does not produce its whole output", lineSizes[at-1]))
	case l.tongue.load != "":
		l.draft.set("input.max_line_bytes", lineSizes[at], sure, 7, fmt.Sprintf("a line of %d bytes does not arrive whole; longer code is run from a file", lineSizes[at-1]))
	default:
		l.draft.unknown("input.max_line_bytes", fmt.Sprintf("a line of %d bytes arrives, a line of %d does not, and the probe found no command that runs a file", lineSizes[at], lineSizes[at-1]))
	}
	return together(ctx, l, code)
}

// longestLine returns the first of the sizes for which a line produces its whole output.
func longestLine(ctx context.Context, l *lab, code string) (int, error) {
	short, err := l.eval(ctx, withText(code, "short"))
	if err != nil {
		return 0, err
	}
	for i, size := range lineSizes {
		text := counted(size - len(withText(code, "")))
		a, err := l.eval(ctx, withText(code, text))
		if err != nil {
			return i, err
		}
		if a.ok && shape(a.output, text) == shape(short.output, "short") {
			l.log.say("a line of %d bytes arrives whole", size)
			return i, nil
		}
		l.atPrompt = false
	}
	return len(lineSizes), nil
}

// shape returns the text around a text in an output.
func shape(output, text string) string {
	return strings.Replace(strings.ReplaceAll(output, "\r\n", "\n"), text, "{text}", 1)
}

// keepWhole tries the settings of the language against paging and line breaking, and keeps them if
// longer lines then produce their whole output.
func keepWhole(ctx context.Context, l *lab, code string, before int) (at int, err error) {
	whole := l.tongue.language.Whole
	if whole.Env == nil && whole.Commands == nil {
		return before, nil
	}
	if whole.Env != nil {
		l.draft.set("process.env", variables(whole.Env), sure, 7, "lines then arrive whole")
	}
	l.settings, l.atPrompt = whole.Commands, false
	if err := l.stop(); err != nil {
		return before, err
	}
	at, err = longestLine(ctx, l, code)
	if err != nil || at < before {
		l.log.say("with %v and %q longer lines arrive whole", whole.Env, whole.Commands)
		return at, err
	}
	l.draft.drop("process.env")
	l.settings, l.atPrompt = nil, false
	return before, nil
}

// variables returns an environment in order.
func variables(env map[string]string) (list []field) {
	for _, name := range slices.Sorted(maps.Keys(env)) {
		list = append(list, field{name, env[name]})
	}
	return list
}

// counted returns text of the given length that differs at every position.
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
	r := l.sendLine(ctx, strings.Join(lines, l.way.ending))
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
