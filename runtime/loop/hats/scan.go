package hats

import (
	"strings"
	"unicode/utf8"
)

// MaxPayload is the maximum length of a payload, in bytes; longer ones are cut.
const MaxPayload = 4 << 10

// maxPublished is the maximum number of topics per turn.
const maxPublished = 50

// Published is a topic as an agent published it.
type Published struct {
	Topic   string `json:"topic"`
	Payload string `json:"payload,omitempty"`
	Cut     bool   `json:"cut,omitempty"`     // the payload was truncated
	Emitted bool   `json:"emitted,omitempty"` // published by `ripple emit`, else in the agent's text
	Assumed bool   `json:"-"`                 // published for a hat that published nothing, so no agent's word
}

// NewPublished returns a published topic; it truncates the payload.
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

// Scanner finds <event topic="…">payload</event> anywhere in an agent's text, as
// ralph-orchestrator does, except where it is quoted: in fenced code, in a Markdown quote, after
// a quotation mark or a backtick. A tag that the prompt also contains, after the same words, is
// an echo. An unclosed tag is ignored; a tag inside another replaces it. The scanner buffers at
// most one payload.
type Scanner struct {
	found  []Published
	more   int // number of topics beyond maxPublished
	misses []Miss

	fence  string // fence of the current code block; "" outside code
	before string // the words before the current position
	open   *tag
	echoes map[echo]bool
}

// Miss is text that resembles a tag and does not count.
type Miss struct {
	Line string // its line, shortened
	Why  string
}

// maxMisses is the maximum number of misses kept.
const maxMisses = 20

// tag is an open tag.
type tag struct {
	topic, before, line string
	payload             strings.Builder
	cut                 bool
	fence               string // fence inside the payload
}

// echo is a tag with the words before it.
type echo struct {
	before string
	Published
}

// NewScanner returns a scanner for a turn with the given prompt.
func NewScanner(prompt string) *Scanner {
	s := &Scanner{}
	echoes := map[echo]bool{}
	s.lines(prompt, func(e echo) { echoes[e] = true })
	return &Scanner{echoes: echoes}
}

// Text scans a whole block of text.
func (s *Scanner) Text(text string) {
	s.lines(text, func(e echo) {
		switch {
		case s.echoes[e] || e.Payload == examplePayload:
		case len(s.found) == maxPublished:
			s.more++
		default:
			s.found = append(s.found, e.Published)
		}
	})
}

// Found returns the published topics in order, and the number of topics beyond the limit.
func (s *Scanner) Found() (list []Published, more int) { return s.found, s.more }

// Missed returns the tags that do not count, up to a limit.
func (s *Scanner) Missed() []Miss {
	if s.open == nil {
		return s.misses
	}
	return append(s.misses[:len(s.misses):len(s.misses)], Miss{s.open.line, "</event> does not follow it"})
}

func (s *Scanner) miss(line, why string) {
	if len(s.misses) < maxMisses {
		s.misses = append(s.misses, Miss{shortened(line), why})
	}
}

func shortened(line string) string { return line[:min(len(line), 2*maxTopic)] }

func (s *Scanner) lines(text string, found func(echo)) {
	for line := range strings.Lines(text) {
		s.line(strings.TrimRight(line, "\r\n"), found)
	}
}

// line scans a line of the text.
func (s *Scanner) line(line string, found func(echo)) {
	if s.open == nil {
		now := Fence(s.fence, line)
		if s.fence != "" || now != "" {
			if s.fence != "" && strings.Contains(line, tagBegin+" ") {
				s.miss(line, "it is in fenced code")
			}
			s.fence = now
			s.keep(line)
			return
		}
	}
	l := lineScan{Scanner: s, line: line, close: -1}
	for l.next(found) {
	}
	if s.open != nil {
		s.open.add(line[l.at:], true)
		s.open.fence = Fence(s.open.fence, line)
		return
	}
	s.keep(line[l.at:])
}

// keep stores the words that precede the next text.
func (s *Scanner) keep(words string) {
	if words = strings.TrimSpace(words); words != "" {
		s.before = shortened(words)
	}
}

// add appends to the payload, up to its limit.
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

// Fence returns the fence of the code block after the line, or "" outside code
// (https://spec.commonmark.org/0.31.2/#fenced-code-blocks).
func Fence(fence, line string) string {
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
