package session

import (
	"iter"
	"unicode/utf8"

	"example.org/ripple/runtime/internal/echo"
	"example.org/ripple/runtime/internal/prompt"
	"example.org/ripple/schema"
)

// detector is the first stage: it finds prompts in the stream, by markers anywhere and by patterns
// at its end.
type detector struct {
	markers    *prompt.Markers // nil: escape sequences do not announce prompts
	classifier *prompt.Classifier
	literal    *prompt.Literal // nil: no literal marker with a nonce
	injected   *echo.Stripper  // removes the echo of the injected text; nil once it has passed
	patterns   *prompt.Patterns
	match      prompt.Match // the latest candidate
	usual      int          // length in characters of the latest confirmed prompt
	fed        int64        // bytes of the stream
	yielded    int64        // those that were yielded, or removed

	yield    func(segment) bool // set while the stream is examined
	onText   func([]byte)
	onMarker func(prompt.Marker)
}

// segment is a part of the stream. Its bytes are valid until the next segment.
type segment struct {
	kind   segmentKind
	raw    []byte // not set for literal markers
	event  prompt.Event
	marker prompt.Marker // pieceMarker, pieceForged
	more   bool          // pieceLiteral: the marker announces a continuation prompt
}

type segmentKind uint8

const (
	segmentText    segmentKind = iota
	segmentForged              // an untrusted marker, treated as text
	segmentMarker              // a trusted marker, decoded in event
	segmentLiteral             // a literal marker with the nonce
)

func newDetector(pr *prompts) detector {
	t := detector{patterns: pr.patterns}
	if pr.markers != nil {
		t.markers, t.classifier = &prompt.Markers{}, prompt.NewClassifier(*pr.markers, pr.nonce)
	}
	if pr.literals != nil {
		t.literal = prompt.NewLiteral(pr.literals...)
	}
	return t
}

// pieces splits output of the program into segments, in order.
func (t *detector) pieces(b []byte, yield func(segment) bool) {
	t.begin(yield)
	t.fed += int64(len(b))
	if t.markers == nil {
		t.text(b)
		return
	}
	t.markers.Feed(b, t.onText, t.onMarker)
}

// rest yields the segments held back, after the end of the stream.
func (t *detector) rest() iter.Seq[segment] {
	return func(yield func(segment) bool) {
		t.begin(yield)
		if t.markers != nil {
			t.markers.Flush(t.onText)
		}
		if t.literal != nil {
			t.literal.Flush(t.plain)
		}
	}
}

func (t *detector) begin(yield func(segment) bool) {
	t.yield = yield
	if t.onText == nil {
		t.onText, t.onMarker = t.text, t.judge
	}
}

// text looks for literal markers. The echo of an injected script may contain the very markers that
// the script defines, so it is removed first.
func (t *detector) text(b []byte) {
	if t.injected != nil {
		before := len(b)
		b = t.injected.Feed(b)
		t.yielded += int64(before - len(b))
	}
	if t.literal == nil {
		t.plain(b)
		return
	}
	t.literal.Feed(b, t.plain, func(index int) {
		t.yield(segment{kind: segmentLiteral, more: index == literalContinuation})
		t.yielded += int64(t.literal.Len(index))
	})
}

func (t *detector) plain(b []byte) {
	t.yield(segment{kind: segmentText, raw: b})
	t.yielded += int64(len(b))
}

// judge separates trusted markers from forged ones.
func (t *detector) judge(m prompt.Marker) {
	e, trusted := t.classifier.Classify(m)
	kind := segmentMarker
	if !trusted {
		kind = segmentForged
	}
	t.yield(segment{kind: kind, raw: m.Raw, event: e, marker: m})
	t.yielded += int64(len(m.Raw))
}

// interrupted notes that an interrupt was sent to the program, which may print its prompt again.
func (t *detector) interrupted() {
	if t.classifier != nil {
		t.classifier.Interrupted()
	}
}

// name returns the marker for a timeline: its letter and first parameter.
func (p *segment) name() string {
	name := string(p.marker.Code)
	if len(p.marker.Params) > 1 {
		name += ";" + p.marker.Params[0]
	}
	return name
}

// inject sets the text that is sent now, whose echo is expected.
func (t *detector) inject(sent string) {
	t.injected = echo.New(echo.Config{Strategy: string(schema.EchoDeterministicByte), Sent: []byte(sent)})
}

// promptLine is the length in bytes of the longest unfinished line that is tried as a prompt.
const promptLine = 1024

// prompt looks for a prompt at the end of the stream.
func (t *detector) prompt(tail []byte) (found bool, err error) {
	if t.patterns.Empty() || len(tail)-lastLines(tail, 1) > promptLine {
		return false, nil
	}
	m, found, err := t.patterns.AtEnd(tail, t.usual)
	if found && err == nil {
		t.match = m
	}
	return found, err
}

// confirm confirms the latest match as a prompt, and returns its text.
func (t *detector) confirm() string {
	t.usual = utf8.RuneCountInString(t.match.Text)
	return t.match.Text
}
