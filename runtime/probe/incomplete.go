package probe

import (
	"context"
	"slices"
	"strings"

	"example.org/ripple/schema"
)

const (
	ctrlC = "\x03"
	ctrlD = "\x04"
)

// unfinished is how the program handles incomplete input.
type unfinished struct {
	shown  []string // prompts that ask for the rest
	silent bool     // it waits for the rest without a prompt
	escape string   // input that returns to the prompt
	tried  bool
}

// findContinuation is experiment 4: the beginning of a longer construct, sent alone.
func findContinuation(ctx context.Context, l *lab) error {
	l.log.experiment(4, "something incomplete")
	if l.startup < slowStart {
		l.atPrompt = false // the program might ask about a name that is already defined
	}
	t := &l.tongue
	begin, _, several := strings.Cut(withNumber(t.found["multiline"], 4711), "\n")
	var beginnings []string
	if several {
		beginnings = append(beginnings, begin)
	}
	for _, open := range append(slices.Clone(t.language.Open), "(", `"`) {
		if !slices.Contains(beginnings, open) {
			beginnings = append(beginnings, open)
		}
	}
	for i, open := range beginnings {
		if err := l.ready(ctx); err != nil {
			return err
		}
		r := l.sendLine(ctx, open)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		first := i == 0 && several
		sortBeginning(ctx, l, open, r, first || l.draft.find("input.empty_line") == nil, first && t.direct)
	}
	concludeContinuation(l)
	return nil
}

// sortBeginning classifies the answer to incomplete input. Silence certainly means waiting for the
// first line of a block, and for any input if the program answers even an empty line (certain).
// After the first line of a block that is known to work (begun), any line other than the prompt
// asks for the rest.
func sortBeginning(ctx context.Context, l *lab, open string, r reply, certain, begun bool) {
	u := &l.unfinished
	last, before := r.last(), r.body()
	if l.echoes {
		before = withoutEcho(before, open)
	}
	switch {
	case l.silent:
		l.atPrompt = false // the two kinds of silence cannot be distinguished
		return
	case !r.idle() || isExactPrompt(l, r):
		return
	case last != "" && !l.prompts.has(last) && (begun || strings.TrimSpace(before) == ""):
		if !slices.ContainsFunc(u.shown, func(s string) bool { return skeleton(s) == skeleton(last) }) {
			u.shown = append(u.shown, last)
		}
		l.log.say("after %q the program asks for the rest with %q", open, last)
	case last == "" && r.how == waits && strings.TrimSpace(before) == "" && !l.silent && certain:
		u.silent = true
		l.log.say("after %q the program waits for the rest without a prompt", open)
	default:
		l.atPrompt = false
		return
	}
	l.atPrompt = false
	if !u.tried {
		u.tried = true
		u.escape = findEscape(ctx, l, open)
	}
}

// isExactPrompt reports whether the line in which the program waits is its prompt and nothing else.
func isExactPrompt(l *lab, r reply) bool {
	if l.trailing != "" || l.silent {
		return l.isPrompt(r)
	}
	return r.idle() && l.prompts.has(r.last()) && len(l.prompts.lines) > 0
}

// findEscape looks for input that returns from incomplete input to the prompt, so that the next input
// is not taken as part of it.
func findEscape(ctx context.Context, l *lab, open string) string {
	keys := []string{ctrlC, ctrlC + l.way.ending}
	for _, end := range append(slices.Clone(l.tongue.language.End), ";", ")", ".", "\"", "end", "") {
		keys = append(keys, end+l.way.ending)
	}
	keys = append(keys, ctrlD)
	for i, k := range keys {
		if i > 0 {
			if l.ready(ctx) != nil {
				return ""
			}
			l.sendLine(ctx, open)
		}
		r := l.sendKeys(ctx, k, l.o.patience().answer)
		if ctx.Err() != nil {
			return ""
		}
		if l.atPrompt = isExactPrompt(l, r); !l.atPrompt {
			continue
		}
		if a, err := l.eval(ctx, l.tongue.spelling); err == nil && a.ok && fortyTwo().MatchString(withoutEcho(a.text(), l.tongue.spelling)) {
			l.log.say("%q returns to the prompt", k)
			return k
		}
		l.atPrompt = false
	}
	return ""
}

func concludeContinuation(l *lab) {
	d, u := l.draft, &l.unfinished
	switch brackets := l.tongue.language.Brackets; {
	case brackets != nil:
		d.set("input.multiline_detect", string(schema.DetectBalancedParens), likely, 3, "the language uses brackets: incomplete input is refused before it is sent")
		d.plain("input.balanced_parens", ordered(brackets))
	case len(u.shown) == 0 && !u.silent:
		d.set("input.multiline_detect", string(schema.DetectNone), likely, 4, "the program never asked for the rest of an input")
	default:
		d.plain("input.multiline_detect", string(schema.DetectPromptBased))
	}
	switch {
	case len(u.shown) > 0:
		var patterns []string
		for _, s := range u.shown {
			patterns = append(patterns, anyLength(s))
		}
		pattern := "^" + patterns[0] + "$"
		if len(patterns) > 1 {
			pattern = "^(?:" + strings.Join(patterns, "|") + ")$"
		}
		d.set("prompt.continuation", number().ReplaceAllString(pattern, `\d+`), sure, 4, "the prompt for the rest of an input")
	case u.silent && !l.way.echo:
		d.set("prompt.continuation", `\A\z`, sure, 4, "the program waits for the rest of an input without a prompt")
	}
	if !u.tried {
		return
	}
	switch u.escape {
	case ctrlC:
	case "":
		d.unknown("prompt.continuation_escape", "nothing that was tried returns from incomplete input to the prompt")
	default:
		d.set("prompt.continuation_escape", u.escape, sure, 4, "Ctrl-C does not return to the prompt")
	}
}

// ordered returns a mapping in the order in which a file has it.
func ordered(m map[string]any) (list []field) {
	for _, key := range []string{
		"open", "close", "string_delims", "escape", "escape_symbols", "line_comment", "block_comment", "block_comment_flat",
		"char_literal_prefix", "datum_comment_prefix",
	} {
		if v, ok := m[key]; ok {
			list = append(list, field{key, v})
		}
	}
	return list
}
