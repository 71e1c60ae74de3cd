package probe

import (
	"context"
	"errors"
	"strings"

	"example.org/ripple/internal/lazyregexp"
)

// fortyTwo matches the number 42, not as part of another number.
var (
	fortyTwo  = lazyregexp.New(`(?m)(?:^|[^\d.])42(?:\D|$)`)
	fiftyFour = lazyregexp.New(`(?m)(?:^|[^\d.])54(?:\D|$)`)
)

// evaluates runs experiments 2 and 3 on the current terminal: it finds the prompt and a spelling of
// 6*7. An empty spelling means that none was answered.
func evaluates(ctx context.Context, l *lab, first reply) (spelling string, a answer, err error) {
	l.lost = 0
	if err := sendEmptyLines(ctx, l, first); err != nil {
		return "", a, err
	}
	l.log.experiment(3, "6*7, in all spellings until 42 comes back")
	l.o.progress("how the program evaluates code")
	for _, s := range spellings() {
		a, err := l.eval(ctx, s)
		if errors.Is(err, errLost) {
			l.lost++
			return "", a, nil
		} else if err != nil {
			return "", a, err
		}
		if a.how == ended || a.how == busy {
			if l.lost++; l.lost > 8 {
				return "", a, nil
			}
		}
		if !fortyTwo().MatchString(withoutEcho(a.text(), s)) {
			// A program that answers with its prompt alone may be waiting for the rest, or be in
			// another mode.
			clear := isExactPrompt(l, a.reply) && strings.TrimSpace(a.output) != ""
			l.atPrompt = l.atPrompt && (clear || l.startup > slowStart)
			continue
		}
		if confirm(ctx, l, s, &a) {
			return s, a, nil
		}
	}
	return "", answer{}, ctx.Err()
}

// confirm evaluates 6*9 in the same way, and records the prompts of both answers.
func confirm(ctx context.Context, l *lab, s string, a *answer) bool {
	if !a.idle() {
		return false
	}
	if !isExactPrompt(l, a.reply) && len(l.prompts.lines) > 0 { // the input before may have led to another mode
		l.atPrompt = false
		again, err := l.eval(ctx, s)
		if err != nil {
			return false
		}
		*a = again
	}
	addPrompt(l, a.reply)
	nine := strings.ReplaceAll(s, "7", "9")
	b, err := l.eval(ctx, nine)
	if err != nil || !fiftyFour().MatchString(withoutEcho(b.text(), nine)) {
		return false
	}
	addPrompt(l, b.reply)
	l.echoes = strings.Contains(a.text(), s) && strings.Contains(b.text(), nine)
	a.output = asFortyTwo(b.output) // no output of the start precedes this answer
	l.log.say("%s is 42 and %s is 54, so the program evaluates them; it echoes input: %v", s, nine, l.echoes)
	return true
}

// asFortyTwo turns an output of 54 into that of 42.
func asFortyTwo(output string) string {
	return fiftyFour().ReplaceAllStringFunc(output, func(found string) string { return strings.Replace(found, "54", "42", 1) })
}

// addPrompt adds the line in which the program waits after an evaluation, which is its prompt even
// if it first looked different.
func addPrompt(l *lab, r reply) {
	last := r.last()
	switch {
	case l.trailing != "" || l.silent && last == "":
	case l.silent:
		l.silent, l.prompts.lines = false, []string{last}
	case l.prompts.endsIn(r.text()):
		n := len([]rune(l.prompts.lines[0]))
		if len([]rune(last)) <= n+3 {
			l.prompts.add(last)
		}
	case last != "":
		l.prompts.lines = []string{last}
	}
	l.atPrompt = l.isPrompt(r)
}

// withoutEcho returns the text after the echo of typed.
func withoutEcho(text, typed string) string {
	if at := strings.Index(text, typed); at >= 0 {
		return text[at+len(typed):]
	}
	return text
}
