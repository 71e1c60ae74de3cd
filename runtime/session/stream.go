package session

import (
	"bytes"
	"slices"
	"strings"
	"time"

	"example.org/ripple/runtime/internal/echo"
	"example.org/ripple/runtime/internal/prompt"
)

// stream classifies the text between the markers: startup, a prompt, unsolicited text, or output.
// It holds back text that may still become a prompt.
//
// Its methods return text that has been classified; those bytes are valid until the next call.
type stream struct {
	lines            int  // how many lines a prompt recognized by a pattern may span; 0: there are no patterns
	keepsUnsolicited bool // text between commands is kept

	region        region
	leaving       bool // the program was asked to exit: nothing is kept from here on
	unconfirmed   unconfirmed
	used          bool   // a command was sent
	startup       []byte // the end of the startup text, for messages
	prompt        []byte // the prompt that is being printed
	whole         int    // length at which it equaled the previous prompt, so that text after it comes from other programs; 0: it never did
	shown         []byte // the latest prompt, including escape sequences
	undrawn       bool   // the first line was sent when the first prompt had no text, or whole lines
	early         []byte // these lines: the prompt's, or those of other programs
	late          []byte // the text in which the rest of that prompt arrived
	held          []byte // the end of the output, which may be a prompt
	spare         []byte // the other buffer for held
	more          []byte // text since F
	endsMore      bool   // this program announces the end of continuation prompts (G)
	begins        bool   // it announces the beginning of output (C)
	ends          bool   // it announces the end of its prompts (B)
	arrived       bool   // this read has text that is not a prompt
	unsolicitedAt time.Time
}

// region says how to classify the text that arrives now.
type region uint8

const (
	regionStartup region = iota // before the first prompt
	regionPrompt                // the prompt's own text: after A, up to B
	regionIdle                  // at the prompt; unsolicited
	regionOutput                // a line was sent: its echo, then the command's output
	regionHook                  // after D: the command has ended, its prompt has not arrived
	regionMore                  // a continuation prompt without an answer: after F, up to the next marker
)

// keptStartup is how many bytes of text other than output are kept.
const keptStartup = 64 << 10

func newStream(p *program) stream {
	s := stream{keepsUnsolicited: p.unsolicited.enabled}
	if !p.prompts.patterns.Empty() {
		s.lines = p.prompts.lines
	}
	return s
}

// classified is text with its classification: output or unsolicited text, or nothing so far.
type classified struct {
	output      []byte
	unsolicited []byte // belongs to no command
}

// text classifies output of the program.
func (s *stream) text(b []byte) (out classified) {
	if s.unconfirmed.open {
		out.output = s.holdUnconfirmed(b)
	}
	switch s.region {
	case regionPrompt: // it does not concern the command
		if s.whole == 0 && s.keepsUnsolicited && endsWithLine(s.prompt, s.shown) {
			s.whole = len(s.prompt)
		}
		s.prompt = append(s.prompt, b...)
		if len(s.prompt) > keptStartup { // too long for a prompt
			out.unsolicited = s.splitOverlong()
		}
		return out
	case regionMore:
		s.more = appendBounded(s.more, b, keptStartup)
		return out
	case regionStartup:
		s.startup = appendBounded(s.startup, b, keptStartup)
	case regionIdle, regionHook:
		if !s.used {
			s.startup = appendBounded(s.startup, b, keptStartup)
		}
		out.unsolicited, s.unsolicitedAt = b, time.Now()
	default:
		out.output = s.hold(b)
	}
	s.arrived = true
	return out
}

// tail returns the text that may contain a prompt.
func (s *stream) tail() []byte {
	if s.region == regionStartup {
		return s.startup
	}
	return s.held
}

// hold holds back the last lines while they may be a prompt, and returns the text before them.
func (s *stream) hold(b []byte) []byte {
	if s.lines == 0 {
		return b
	}
	s.held = append(s.held, b...)
	cut := max(0, len(s.held)-promptLine)
	if i := lastLines(s.held, s.lines); i > cut {
		cut = i
	}
	return s.release(cut)
}

// release returns the first n bytes of the text held back.
func (s *stream) release(n int) []byte {
	if n == 0 {
		return nil
	}
	out := s.held[:n]
	s.held, s.spare = append(s.spare[:0], s.held[n:]...), out
	return out
}

// flush returns all text held back: it was not a prompt.
func (s *stream) flush() classified { return classified{output: s.release(len(s.held))} }

// unasked returns the text since an F without the end of that prompt: the command has ended, so the
// program did not ask for more.
func (s *stream) unasked() (out classified) {
	if s.region == regionMore {
		s.region = regionOutput
		out.output = s.hold(s.more)
		s.more = s.more[:0]
	}
	return out
}

// outputEnds handles A or D: no text held back is a prompt.
func (s *stream) outputEnds() classified {
	if s.region == regionMore {
		s.region = regionOutput
		s.held = append(s.held, s.more...)
		s.more = s.more[:0]
	}
	return s.flush()
}

// promptBegins notes that a prompt follows.
func (s *stream) promptBegins() { s.region, s.prompt, s.whole = regionPrompt, s.prompt[:0], 0 }

// promptEnds handles B.
func (s *stream) promptEnds() (out classified) {
	s.unconfirmed.promptEnd = len(s.unconfirmed.text)
	if s.region == regionPrompt {
		out.unsolicited = s.splitPrompt()
		s.region, s.ends = regionIdle, true
	}
	return out
}

// promptMatched notes that the text held back from start on is the prompt.
func (s *stream) promptMatched(start int) classified {
	out := s.release(min(start, len(s.held)))
	s.held, s.region = s.held[:0], regionIdle
	return classified{output: out}
}

// announced handles a literal marker, which is a whole prompt.
func (s *stream) announced(marker string) {
	if !s.used { // a message may quote it
		s.startup = appendBounded(s.startup, []byte(marker), keptStartup)
	}
	s.region = regionIdle
}

// lateEnds handles B of the first prompt after the first line was sent; text arrived since then. The
// next prompt shows which of the lines before that are the prompt's.
func (s *stream) lateEnds(text []byte) {
	s.undrawn, s.ends, s.early, s.late, s.shown = false, true, s.shown, bytes.Clone(text), nil
}

// exits returns the text held back when the program has ended: no prompt follows.
func (s *stream) exits() classified {
	return classified{output: s.release(len(s.held)), unsolicited: s.early}
}

// commandEnded handles D for a command of the session.
func (s *stream) commandEnded(prompting bool) {
	switch {
	case s.region == regionPrompt:
	case prompting: // D comes after A: the prompt's text follows
		s.promptBegins()
	default:
		s.region = regionHook
	}
}

// wantsMore handles F for a command without further lines.
func (s *stream) wantsMore() { s.region, s.more = regionMore, s.more[:0] }

// moreEnds handles G.
func (s *stream) moreEnds() {
	s.endsMore = true
	if s.region == regionMore {
		s.region, s.more = regionOutput, s.more[:0]
	}
}

// lineSent notes that the following text belongs to a command.
func (s *stream) lineSent() (out classified) {
	switch {
	case s.region != regionPrompt:
	case s.ends && s.keepsUnsolicited: // the program reads, and draws its prompt later
		out.unsolicited = s.splitLines(bytes.Count(s.prompt, []byte("\n")) - bytes.Count(s.shown, []byte("\n")))
	default: // nothing announces the prompt's end
		s.undrawn = s.shown == nil && lastLines(s.prompt, 1) == len(s.prompt)
		out.unsolicited = s.splitPrompt()
	}
	s.outputBegins()
	return out
}

// outputBegins notes that a command's output follows.
func (s *stream) outputBegins() { s.region, s.held = regionOutput, s.held[:0] }

// splitPrompt separates the prompt from other text that arrived with it. The prompt is known from
// before; a changed prompt is the text after as many lines as exceed its own.
func (s *stream) splitPrompt() (unsolicited []byte) {
	if s.late != nil {
		unsolicited = s.learnPrompt()
	}
	return append(unsolicited, s.splitKnownPrompt()...)
}

// learnPrompt learns the prompt whose end came late from the next one: the lines that both have, and
// the last line, which may change. It returns the lines before it that are those of other programs.
func (s *stream) learnPrompt() (unsolicited []byte) {
	last := lastLines(s.prompt, 1)
	first := slices.Concat(s.early, s.late[:lastLines(s.late, 1)])
	known, _ := commonLines(s.prompt[:last], first)
	_, unsolicited = commonLines(s.early, known)
	s.shown = append(append([]byte{}, known...), s.prompt[last:]...) // not nil: an empty prompt is known
	s.early, s.late = nil, nil
	return unsolicited
}

// splitKnownPrompt is splitPrompt for a prompt that is known, or cannot be.
func (s *stream) splitKnownPrompt() (unsolicited []byte) {
	text := s.prompt
	if s.shown == nil || !s.keepsUnsolicited || bytes.Equal(text, s.shown) {
		s.shown = append(s.shown[:0], text...)
		return nil
	}
	if s.whole > 0 {
		begin := s.whole - len(s.shown)
		unsolicited = slices.Concat(text[:begin], bytes.TrimSuffix(text[s.whole:], s.shown)) // it may have been redrawn
		s.prompt = append(text[:0], s.shown...)
		return unsolicited
	}
	// A prompt that has grown within its line, by a directory or a level, is the prompt.
	if lines, rest, ok := echo.Cut(s.shown, text); ok && len(lines) > 0 {
		unsolicited = bytes.Clone(lines)
		s.shown = append(s.shown[:0], rest...)
		s.prompt = append(text[:0], rest...)
		return unsolicited
	}
	unsolicited = s.splitLines(bytes.Count(text, []byte("\n")) - bytes.Count(s.shown, []byte("\n")))
	s.shown = append(s.shown[:0], s.prompt...)
	return unsolicited
}

// splitOverlong separates text that is too long for a prompt: its complete lines, or all of it if the
// last line alone is too long. A prompt before it stays.
func (s *stream) splitOverlong() (unsolicited []byte) {
	text := s.prompt
	if i := lineThatBegins(text, s.shown); s.whole == 0 && s.keepsUnsolicited && i >= 0 { // they arrived together
		s.whole = i + len(s.shown)
	}
	begin := max(s.whole-len(s.shown), 0)
	end := s.whole + lastLines(text[s.whole:], 1)
	if s.whole-begin+len(text)-end > keptStartup {
		end = len(text)
	}
	unsolicited = slices.Concat(text[:begin], text[s.whole:end])
	s.prompt = append(text[:copy(text, text[begin:s.whole])], text[end:]...)
	s.whole -= begin
	return unsolicited
}

// lineThatBegins returns where prefix is at the beginning of a line of text, or -1. An empty prefix is
// nowhere.
func lineThatBegins(text, prefix []byte) int {
	switch {
	case len(prefix) == 0:
		return -1
	case bytes.HasPrefix(text, prefix):
		return 0
	}
	i := bytes.Index(text, append([]byte{'\n'}, prefix...))
	if i < 0 {
		return -1
	}
	return i + 1
}

// maxPromptLines is how many of the last lines of a text are looked at for those of a prompt.
const maxPromptLines = 100

// commonLines returns the lines of b that other has among its last maxPromptLines, too, in that order,
// and the rest of b. The latest lines are preferred, and carriage returns and escape sequences are not
// compared.
func commonLines(b, other []byte) (common, rest []byte) {
	visible := func(line []byte) string { return strings.ReplaceAll(prompt.Visible(line), "\r", "") }
	var lines []string
	for line := range bytes.Lines(other[lastLines(other, maxPromptLines):]) {
		lines = append(lines, visible(line))
	}
	var of [][]byte
	for line := range bytes.Lines(b) {
		of = append(of, line)
	}
	known := make([]bool, len(of))
	for i := len(of) - 1; i >= 0 && len(lines) > 0; i-- {
		line := visible(of[i])
		at := len(lines) - 1
		for at >= 0 && lines[at] != line {
			at--
		}
		if at >= 0 {
			known[i], lines = true, lines[:at]
		}
	}
	for i, line := range of {
		if known[i] {
			common = append(common, line...)
		} else {
			rest = append(rest, line...)
		}
	}
	return common, rest
}

// endsWithLine reports whether b ends with text that starts at the beginning of a line.
func endsWithLine(b, text []byte) bool {
	before, ends := bytes.CutSuffix(b, text)
	return ends && len(text) > 0 && (len(before) == 0 || before[len(before)-1] == '\n')
}

// splitLines removes the first n lines from the prompt.
func (s *stream) splitLines(n int) (unsolicited []byte) {
	text, end := s.prompt, 0
	for ; n > 0; n-- {
		end += bytes.IndexByte(text[end:], '\n') + 1
	}
	if len(bytes.TrimSpace([]byte(prompt.Visible(text[:end])))) > 0 {
		unsolicited = bytes.Clone(text[:end])
	}
	s.prompt = text[:copy(text, text[end:])]
	return unsolicited
}

// lastLines returns the offset at which the last n lines of b begin.
func lastLines(b []byte, n int) int {
	for ; n > 0; n-- {
		i := bytes.LastIndexByte(b, '\n')
		if i < 0 {
			return 0
		}
		if n == 1 {
			return i + 1
		}
		b = b[:i]
	}
	return 0
}

func appendBounded(kept, b []byte, limit int) []byte {
	kept = append(kept, b...)
	if len(kept) > limit {
		kept = kept[:copy(kept, kept[len(kept)-limit:])]
	}
	return kept
}
