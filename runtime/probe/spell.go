package probe

import (
	"context"
	"errors"
	"strings"

	"ripple/internal/lazyregexp"
)

// fortyTwo is the number 42, and no part of another one.
var (
	fortyTwo  = lazyregexp.New(`(?m)(?:^|[^\d.])42(?:\D|$)`)
	fiftyFour = lazyregexp.New(`(?m)(?:^|[^\d.])54(?:\D|$)`)
)

// evaluates is experiments 2 and 3 on the present terminal: the prompt, and how the
// program is asked for 6*7. An empty spelling: it did not answer to any.
func evaluates(ctx context.Context, l *lab, first reply) (spelling string, a answer, err error) {
	l.lost = 0
	if err := empties(ctx, l, first); err != nil {
		return "", a, err
	}
	l.log.experiment(3, "6*7, in all spellings until 42 comes back")
	l.o.progress("how it evaluates")
	for _, s := range spellings() {
		a, err := l.ask(ctx, s)
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
			// What answers with its prompt alone may wait for the rest, or be elsewhere.
			clear := exactly(l, a.reply) && strings.TrimSpace(a.output) != ""
			l.atPrompt = l.atPrompt && (clear || l.startup > slowStart)
			continue
		}
		if confirm(ctx, l, s, &a) {
			return s, a, nil
		}
	}
	return "", answer{}, ctx.Err()
}

// confirm asks for 6*9 in the same way, and takes both prompts for what they are.
func confirm(ctx context.Context, l *lab, s string, a *answer) bool {
	if !a.idle() {
		return false
	}
	if !exactly(l, a.reply) && len(l.prompts.lines) > 0 { // what went before may have led elsewhere
		l.atPrompt = false
		again, err := l.ask(ctx, s)
		if err != nil {
			return false
		}
		*a = again
	}
	takePrompt(l, a.reply)
	nine := strings.ReplaceAll(s, "7", "9")
	b, err := l.ask(ctx, nine)
	if err != nil || !fiftyFour().MatchString(withoutEcho(b.text(), nine)) {
		return false
	}
	takePrompt(l, b.reply)
	l.echoes = strings.Contains(a.text(), s) && strings.Contains(b.text(), nine)
	a.output = asFortyTwo(b.output) // nothing of its start stands before this one
	l.log.say("%s is 42 and %s is 54: it evaluates; it echoes what is typed: %v", s, nine, l.echoes)
	return true
}

// asFortyTwo is an output of 54 as that of 42 would be.
func asFortyTwo(output string) string {
	return fiftyFour().ReplaceAllStringFunc(output, func(found string) string { return strings.Replace(found, "54", "42", 1) })
}

// takePrompt adds the line in which the program waits after an evaluation, which is its
// prompt whatever it looked like at first.
func takePrompt(l *lab, r reply) {
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

// withoutEcho is text behind what was typed.
func withoutEcho(text, typed string) string {
	if at := strings.Index(text, typed); at >= 0 {
		return text[at+len(typed):]
	}
	return text
}
