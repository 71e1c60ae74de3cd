package prompt

import (
	"bytes"
	"strings"

	"example.org/ripple/internal/vt"
)

// maxMarker bounds a marker up to the first byte of its terminator, in bytes.
// The longest that shells send is 633;E, a command line, or a path (PATH_MAX is
// 4,096) with \xHH escapes; beyond 8 KiB it is an attack or garbage.
const maxMarker = 8 << 10

// pair is the length of ESC ] and of ESC \.
const pair = 2

// heads are how markers begin. The number decides, so 7 must not match 777.
var heads = [...]struct {
	bytes    string
	protocol int
}{{"633;", 633}, {"133;", 133}, {"7;", 7}}

// Marker is one complete sequence of a shell integration.
type Marker struct {
	Code     byte     // the letter after 633; or 133;, or '7' for OSC 7
	Protocol int      // 633, 133 or 7
	Params   []string // what follows the letter, split at ';', still escaped; for OSC 7 the whole payload. Valid during the callback
	Raw      []byte   // the sequence as it arrived, valid during the callback: a receiver who does not trust it has text
}

// Markers divides what a program prints into text and shell-integration
// markers. Its zero value is ready to use; it is not safe for concurrent use.
//
// A marker is an operating system command that starts with ESC ], is numbered
// 633 (VS Code), 133 (FinalTerm) or 7 (working directory) and ends with BEL or
// ST (ESC \). Everything else is text and is passed on byte for byte, in order:
// other sequences, and every candidate that turns out not to be a marker:
//
//   - with a control character in it, or canceled by one;
//   - complete, but without a code letter (ESC ] 633 ; x BEL);
//   - longer than any marker;
//   - unfinished at the end of the stream (Flush).
//
// Splitting the input differently changes nothing but how the text is cut into
// pieces. At most an unfinished command is held back.
type Markers struct {
	tokens vt.Parser
	handle func(*vt.Token)
	params []string
	last   [32]string // what markers said, by their letters

	// Of the piece that is being fed.
	text   func([]byte)
	marker func(Marker)
	b      []byte
	at     int64 // of b in the stream
	from   int   // length of the part of b that was passed on
	end    int   // length of the part of b that is in complete tokens
}

// Feed parses b and calls text and marker in the order of the stream. Their
// arguments are valid during the call. text never gets an empty slice.
func (s *Markers) Feed(b []byte, text func([]byte), marker func(Marker)) {
	if s.handle == nil {
		s.tokens, s.handle = vt.ForText(), s.token
		s.tokens.CommandsOnly = true
	}
	s.text, s.marker, s.b, s.from, s.end = text, marker, b, 0, 0
	s.tokens.Feed(b, s.handle)
	s.release(s.end)
	s.at += int64(len(b))
	s.text, s.marker, s.b = nil, nil, nil
}

// Flush passes on an unfinished sequence as text; the stream ended or its owner
// cannot wait any longer.
func (s *Markers) Flush(text func([]byte)) {
	s.tokens.Flush(func(t *vt.Token) { text(t.Raw) })
}

// token notes that t is complete. Text and other sequences are passed on together.
func (s *Markers) token(t *vt.Token) {
	if t.Inside {
		return
	}
	at := int(t.Offset - s.at)
	s.end = at + len(t.Raw)
	m, ok := s.decode(t)
	switch {
	case ok:
		s.release(at)
		s.from = s.end
		s.marker(m)
	case at < 0: // it began in an earlier piece
		s.from = s.end
		s.text(t.Raw)
	}
}

func (s *Markers) release(end int) {
	if end > s.from {
		s.text(s.b[s.from:end])
		s.from = end
	}
}

// decode reads t, of a parser made by vt.ForText; ok is false if t is not a marker.
func (s *Markers) decode(t *vt.Token) (m Marker, ok bool) {
	if t.Kind != vt.OSC || t.Cancelled || t.Partial || t.Continued || t.Raw[1] != ']' { // something else is within the introducer
		return m, false
	}
	body := pair + len(t.Data)
	end := string(t.Raw[body:])
	if end != "\a" && len(end) != pair || body >= maxMarker { // BEL or ST
		return m, false
	}
	for _, h := range heads {
		payload, ok := bytes.CutPrefix(t.Data, []byte(h.bytes))
		if !ok || hasControl(payload) {
			continue
		}
		m = Marker{Protocol: h.protocol, Raw: t.Raw}
		if m.Protocol == 7 {
			m.Code, m.Params = '7', s.split(string(payload))
			return m, true
		}
		return s.letter(m, s.said(payload))
	}
	return m, false
}

// said is a payload as text. Most markers say what the last one with their letter said.
func (s *Markers) said(payload []byte) string {
	const short = 1 << 10
	if len(payload) == 0 || len(payload) > short {
		return string(payload)
	}
	last := &s.last[payload[0]%byte(len(s.last))]
	if *last != string(payload) {
		*last = string(payload)
	}
	return *last
}

func hasControl(b []byte) bool {
	for _, c := range b {
		if c < 0x20 {
			return true
		}
	}
	return false
}

// letter reads "X" or "X;param;…" with X in A–Z.
func (s *Markers) letter(m Marker, payload string) (Marker, bool) {
	if payload == "" || payload[0] < 'A' || payload[0] > 'Z' {
		return m, false
	}
	m.Code = payload[0]
	if len(payload) == 1 {
		return m, true
	}
	if payload[1] != ';' {
		return m, false
	}
	m.Params = s.split(payload[2:])
	return m, true
}

func (s *Markers) split(payload string) []string {
	s.params = s.params[:0]
	for {
		param, rest, more := strings.Cut(payload, ";")
		s.params = append(s.params, param)
		if !more {
			return s.params
		}
		payload = rest
	}
}
