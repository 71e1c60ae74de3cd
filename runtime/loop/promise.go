package loop

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"example.org/ripple/runtime/event"
	"example.org/ripple/runtime/loop/hats"
	"example.org/ripple/runtime/loop/record"
)

// read finds the status signals in the answer. A turn that hit a limit of the provider has none.
func (e *ended) read(promise string) {
	text := e.said.text.String()
	e.last, e.errors = lastSentence(text), signatures(e.said.errors)
	if e.said.topics != nil {
		e.missed = missedTag(e.said.topics.Missed(), e.prompt)
	}
	if e.waits() {
		return
	}
	rest, gave := cutPromise(text, promise)
	e.gavePromise, e.block = gave, parseBlock(rest, e.prompt)
	switch {
	case gave && e.block.denies():
		e.uncounted = "EXIT_SIGNAL: false is in the same answer"
		e.odd = fmt.Sprintf("it said %s and EXIT_SIGNAL: false in one answer, so it does not count as done", promise)
	default:
		e.odd = odd(rest, e.prompt, e.block)
	}
	if e.odd == "" && !gave {
		e.odd = oddPromise(text, e.prompt, promise)
	}
	e.wrong = e.odd
}

// denies reports whether the block explicitly says that the work is unfinished.
func (b *block) denies() bool { return b != nil && b.NotDone }

// cutPromise removes the completion promise, if it is the last line of a text. Characters that a terminal
// does not show are ignored.
func cutPromise(text, promise string) (rest string, gave bool) {
	before, last := text, ""
	for last == "" && before != "" { // the last lines may show nothing
		before = strings.TrimRight(before, " \t\r\n")
		at := strings.LastIndexByte(before, '\n') + 1
		before, last = before[:at], visible(before[at:])
	}
	if promise == "" || last != visible(promise) {
		return text, false
	}
	return before, true
}

// visible returns a line as a terminal shows it.
func visible(line string) string {
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		if unicode.In(r, unicode.Cf, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector) {
			return -1
		}
		return r
	}, event.Printable(line)))
}

// markup has the characters that may surround a promise by mistake.
const markup = " \t*_`~#>-.,:;!\"'“”()[]"

// oddPromise describes the error of text that resembles the completion promise, or returns "".
func oddPromise(text, prompt, promise string) string {
	if promise == "" {
		return ""
	}
	isLast, inFence := true, false
	promise = visible(promise)
	for _, line := range slices.Backward(strings.Split(text, "\n")) {
		line = strings.TrimRight(line, "\r")
		shown := visible(line[strings.LastIndexByte(line, '\r')+1:]) // a terminal returns to the beginning of the line
		line = visible(line)
		switch {
		case line == "":
			continue
		case isLast && !inFence && hats.Fence("```", line) == "": // the end of fenced code
			inFence = true
			continue
		case isLast && line == promise:
			return fmt.Sprintf("the %s of its answer does not count: it is in fenced code", promise)
		case isLast && strings.EqualFold(strings.Trim(line, markup), strings.Trim(promise, markup)):
			return fmt.Sprintf("the last line %q is not the promise: it must be %s and nothing else", record.OneLine(line, 60), promise)
		case isLast && strings.HasSuffix(line, " "+promise), isLast && shown == promise:
			return fmt.Sprintf("%s does not count at the end of other text: it must be alone on the last line", promise)
		case line == promise && !slices.Contains(strings.Split(prompt, "\n"), line):
			return fmt.Sprintf("the %s of its answer does not count: it must be the last line, but other text follows", promise)
		}
		isLast = false
	}
	return ""
}

// missedTag describes why an event tag does not count, or returns "". Lines that the prompt also
// contains are ignored.
func missedTag(list []hats.Miss, prompt string) string {
	for _, m := range list {
		if !strings.Contains(prompt, strings.TrimSpace(m.Line)) {
			return fmt.Sprintf("its tag %q is ignored: %s", record.OneLine(m.Line, 60), m.Why)
		}
	}
	return ""
}
