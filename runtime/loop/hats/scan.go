package hats

import (
	"strings"
	"unicode/utf8"
)

// MaxPayload bounds a payload, in bytes; what is longer is cut.
const MaxPayload = 4 << 10

// maxPublished bounds what a turn can publish.
const maxPublished = 50

// Published is a topic as an agent published it.
type Published struct {
	Topic   string `json:"topic"`
	Payload string `json:"payload,omitempty"`
	Cut     bool   `json:"cut,omitempty"`     // the payload was longer
	Emitted bool   `json:"emitted,omitempty"` // by `ripple emit`, else in the agent's text
}

// NewPublished makes one of a topic and its payload, which it cuts.
func NewPublished(topic, payload string) Published {
	p := Published{Topic: topic}
	payload = strings.ToValidUTF8(payload, "")
	if len(payload) > MaxPayload {
		at := MaxPayload
		for !utf8.RuneStart(payload[at]) {
			at--
		}
		payload, p.Cut = payload[:at], true
	}
	p.Payload = payload
	return p
}

// Scanner finds <event topic="…">payload</event> in an agent's text: at the start of a
// line, outside of fenced code. What the prompt has too, after the same line, is an echo
// of it. What is never closed is none; another that begins inside is the one that counts.
// It holds no more of a text than one payload.
type Scanner struct {
	found []Published
	more  int // beyond maxPublished

	fence  string // of the code that the text is in; "" outside of code
	before string // the last line of words
	open   *tag
	echoes map[echo]bool
}

// tag is one that is not closed yet.
type tag struct {
	topic, before string
	payload       strings.Builder
	cut           bool
	fence         string // inside the payload
}

// echo is a tag with the line before it.
type echo struct {
	before string
	Published
}

// NewScanner makes one for a turn with this prompt.
func NewScanner(prompt string) *Scanner {
	s := &Scanner{}
	echoes := map[echo]bool{}
	s.lines(prompt, func(e echo) { echoes[e] = true })
	return &Scanner{echoes: echoes}
}

// Text takes in a whole block of text.
func (s *Scanner) Text(text string) {
	s.lines(text, func(e echo) {
		switch {
		case s.echoes[e]:
		case len(s.found) == maxPublished:
			s.more++
		default:
			s.found = append(s.found, e.Published)
		}
	})
}

// Found is what the text published, in its order; more is what was beyond the bound.
func (s *Scanner) Found() (list []Published, more int) { return s.found, s.more }

func (s *Scanner) lines(text string, found func(echo)) {
	for line := range strings.Lines(text) {
		s.line(strings.TrimRight(line, "\r\n"), found)
	}
}

func (s *Scanner) line(line string, found func(echo)) {
	if s.open != nil && !(s.open.fence == "" && begins(line)) {
		s.inside(line, found)
		return
	}
	topic, rest, is := "", "", false
	if s.fence == "" {
		topic, rest, is = cutTag(line)
	}
	if is {
		s.open = &tag{topic: topic, before: s.before}
		s.inside(rest, found)
		return
	}
	if s.open != nil { // what looks like another ends nothing
		s.open = nil
	}
	s.fence = fenced(s.fence, line)
	if words := strings.TrimSpace(line); words != "" {
		s.before = words[:min(len(words), MaxTopic*2)]
	}
}

// inside takes in a line of a payload.
func (s *Scanner) inside(line string, found func(echo)) {
	t := s.open
	payload, after, closed := strings.Cut(line, "</event>")
	t.add(payload, !closed)
	if !closed {
		t.fence = fenced(t.fence, line)
		return
	}
	p := NewPublished(t.topic, strings.TrimSpace(t.payload.String()))
	p.Cut = p.Cut || t.cut
	found(echo{t.before, p})
	s.open, s.before = nil, "</event>"+after[:min(len(after), MaxTopic)]
}

// add keeps as much of a payload as counts.
func (t *tag) add(text string, whole bool) {
	room := MaxPayload + utf8.UTFMax - t.payload.Len()
	if len(text) > room {
		text, t.cut = text[:max(0, room)], true
	}
	t.payload.WriteString(text)
	if whole && !t.cut {
		t.payload.WriteByte('\n')
	}
}

const tagBegin = "<event"

// begins says whether a line begins with a tag of an event.
func begins(line string) bool {
	_, _, is := cutTag(line)
	return is
}

// cutTag takes <event topic="…"> from the beginning of a line.
func cutTag(line string) (topic, rest string, is bool) {
	rest, is = strings.CutPrefix(line, tagBegin)
	trimmed := strings.TrimLeft(rest, " \t")
	if !is || trimmed == rest {
		return "", "", false
	}
	rest, is = strings.CutPrefix(trimmed, "topic=")
	if !is || rest == "" || rest[0] != '"' && rest[0] != '\'' {
		return "", "", false
	}
	topic, rest, is = strings.Cut(rest[1:], rest[:1])
	if !is || strings.Contains(topic, "<") {
		return "", "", false
	}
	rest, is = strings.CutPrefix(strings.TrimLeft(rest, " \t"), ">")
	return topic[:min(len(topic), 2*MaxTopic)], rest, is
}

// fenced is the fence of the code that follows a line, "" for none
// (https://spec.commonmark.org/0.31.2/#fenced-code-blocks).
func fenced(fence, line string) string {
	text := strings.TrimLeft(line, " ")
	if len(line)-len(text) > 3 || text == "" || text[0] != '`' && text[0] != '~' {
		return fence
	}
	info := strings.TrimLeft(text, text[:1])
	marks := text[:len(text)-len(info)]
	switch {
	case len(marks) < 3:
	case fence == "" && (marks[0] == '~' || !strings.Contains(info, "`")):
		return marks
	case fence != "" && marks[0] == fence[0] && len(marks) >= len(fence) && strings.TrimSpace(info) == "":
		return ""
	}
	return fence
}
