package session

import (
	"iter"
	"unicode/utf8"

	"ripple/runtime/internal/echo"
	"ripple/runtime/internal/prompt"
	"ripple/schema"
)

// detector is the first stage: it finds what announces prompts in the stream,
// markers anywhere and patterns at its end.
type detector struct {
	markers    *prompt.Markers // nil: sequences announce nothing
	classifier *prompt.Classifier
	literal    *prompt.Literal // nil: no literal marker with a nonce
	injected   *echo.Stripper  // until the echo of the injected text has passed
	patterns   *prompt.Patterns
	match      prompt.Match // the latest candidate
	usual      int          // length of the latest proven prompt in characters

	yield    func(piece) bool // while a piece of the stream is looked through
	onText   func([]byte)
	onMarker func(prompt.Marker)
}

// piece is a stretch of the stream. Its bytes are valid until the next one.
type piece struct {
	kind   pieceKind
	raw    []byte // of all but literal markers
	event  prompt.Event
	marker prompt.Marker // pieceMarker, pieceForged
	more   bool          // pieceLiteral: it announces a continuation prompt
}

type pieceKind uint8

const (
	pieceText    pieceKind = iota
	pieceForged            // a marker that is not to be trusted: text
	pieceMarker            // means event
	pieceLiteral           // a literal marker with the nonce
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

// pieces takes what the program printed apart, in its order.
func (t *detector) pieces(b []byte, yield func(piece) bool) {
	t.begin(yield)
	if t.markers == nil {
		t.text(b)
		return
	}
	t.markers.Feed(b, t.onText, t.onMarker)
}

// rest is what was held back; the stream has ended.
func (t *detector) rest() iter.Seq[piece] {
	return func(yield func(piece) bool) {
		t.begin(yield)
		if t.markers != nil {
			t.markers.Flush(t.onText)
		}
		if t.literal != nil {
			t.literal.Flush(t.plain)
		}
	}
}

func (t *detector) begin(yield func(piece) bool) {
	t.yield = yield
	if t.onText == nil {
		t.onText, t.onMarker = t.text, t.judge
	}
}

// text looks for literal markers. The echo of an injected script may hold the very
// markers that it defines, so it is taken out before.
func (t *detector) text(b []byte) {
	if t.injected != nil {
		b = t.injected.Feed(b)
	}
	if t.literal == nil {
		t.plain(b)
		return
	}
	t.literal.Feed(b, t.plain, func(index int) {
		t.yield(piece{kind: pieceLiteral, more: index == literalContinuation})
	})
}

func (t *detector) plain(b []byte) { t.yield(piece{kind: pieceText, raw: b}) }

// judge tells our markers from somebody else's.
func (t *detector) judge(m prompt.Marker) {
	e, trusted := t.classifier.Classify(m)
	kind := pieceMarker
	if !trusted {
		kind = pieceForged
	}
	t.yield(piece{kind: kind, raw: m.Raw, event: e, marker: m})
}

// name is a marker for a timeline: its letter and first parameter.
func (p *piece) name() string {
	name := string(p.marker.Code)
	if len(p.marker.Params) > 1 {
		name += ";" + p.marker.Params[0]
	}
	return name
}

// inject expects the echo of what is typed now.
func (t *detector) inject(sent string) {
	t.injected = echo.New(echo.Config{Strategy: string(schema.EchoDeterministicByte), Sent: []byte(sent)})
}

// promptLine is the longest unfinished line that is tried as a prompt.
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

// proven is the text of the prompt found last, which was one.
func (t *detector) proven() string {
	t.usual = utf8.RuneCountInString(t.match.Text)
	return t.match.Text
}
