package agent

import (
	"slices"
	"strings"

	"example.org/ripple/runtime/event"
)

// result emits the final message of a turn as text, unless an earlier text has it: some answers,
// such as that to a command of the agent's own, are only in the finished event. If parts of a line
// were omitted, the message cannot be compared, and only an agent without text can have one.
func (r *reader) result(e event.Event) {
	if e.IsError || r.emitted.repeated(e.Result) || r.cut > 0 && r.answer != "" {
		return
	}
	r.text.WriteString(e.Result)
	r.emitBlock(&r.text)
}

// keptEmitted is the maximum length of the texts that are kept for comparison, in bytes.
const keptEmitted = 2 * maxBlock

// emitted has the last texts of a turn, by which a final result is recognized that repeats them. White
// space is ignored: agents join their texts in different ways.
type emitted struct {
	texts   []string // without white space, oldest first
	size    int      // of texts, in bytes
	dropped bool     // earlier texts are not kept
}

func (e *emitted) add(text string) {
	text = dense(text)
	e.texts, e.size = append(e.texts, text), e.size+len(text)
	for len(e.texts) > 1 && e.size > keptEmitted {
		e.size -= len(e.texts[0])
		e.texts, e.dropped = e.texts[1:], true
	}
}

// repeated reports whether a result says nothing new: it equals one of the texts, or the last of
// them one after another.
func (e *emitted) repeated(result string) bool {
	rest := dense(result)
	if rest == "" || slices.Contains(e.texts, rest) {
		return true
	}
	for _, text := range slices.Backward(e.texts) {
		before, ends := strings.CutSuffix(rest, text)
		if !ends {
			return false
		}
		if rest = before; rest == "" {
			return true
		}
	}
	return e.dropped
}

// dense returns a text without its white space.
func dense(text string) string { return strings.Join(strings.Fields(text), "") }
