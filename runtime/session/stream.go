package session

import (
	"bytes"
	"slices"
	"time"

	"ripple/runtime/internal/echo"
	"ripple/runtime/internal/prompt"
)

// stream says what the text between the markers is: of the start, of a prompt, of
// no command, or output. What may be a prompt yet it holds back.
//
// Its methods return what has been decided; those bytes are valid until the next
// call.
type stream struct {
	lines  int  // how many lines a prompt may span that is known by its looks; 0: none is
	asides bool // what comes between the commands is kept

	region   region
	leaving  bool // the program was asked to end: nothing is kept any more
	unproven unproven
	used     bool   // a command was sent
	startup  []byte // its end, for messages
	prompt   []byte // the one that is being printed
	whole    int    // up to here it was the one before when more came, which is others'; 0: it was not
	shown    []byte // the latest, with what it has of sequences
	held     []byte // the end of the output, which may be a prompt
	spare    []byte // the other buffer for it
	more     []byte // what came since F
	endsMore bool   // this program announces the end of such a prompt (G)
	begins   bool   // and the beginning of output (C)
	ends     bool   // and the end of its prompts (B)
	arrived  bool   // text that is not a prompt came in this read
	asideAt  time.Time
}

// region says what the text that arrives now is.
type region uint8

const (
	regionStartup region = iota // before the first prompt
	regionPrompt                // the prompt's own text: after A, up to B
	regionIdle                  // at the prompt; nobody asked for it
	regionOutput                // a line was sent: its echo, then what the command prints
	regionHook                  // after D: the command is over, the prompt is not there yet
	regionMore                  // a continuation prompt that has no answer: after F, up to the next marker
)

// keptStartup is how much is kept of text that is no output, in bytes.
const keptStartup = 64 << 10

func newStream(p *program) stream {
	s := stream{asides: p.asides.taken}
	if !p.prompts.patterns.Empty() {
		s.lines = p.prompts.lines
	}
	return s
}

// sorted is what text turned out to be: one of the two, or nothing yet.
type sorted struct {
	output []byte
	aside  []byte // of no command
}

// text sorts what the program printed.
func (s *stream) text(b []byte) (out sorted) {
	if s.unproven.open {
		out.output = s.doubt(b)
	}
	switch s.region {
	case regionPrompt: // says nothing about the command
		if s.whole == 0 && s.asides && endsWithLine(s.prompt, s.shown) {
			s.whole = len(s.prompt)
		}
		s.prompt = append(s.prompt, b...)
		if len(s.prompt) > keptStartup { // that is no prompt any more
			out.aside = s.splitLines(bytes.Count(s.prompt, []byte("\n")))
			s.prompt = appendBounded(s.prompt, nil, keptStartup)
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
		out.aside, s.asideAt = b, time.Now()
	default:
		out.output = s.hold(b)
	}
	s.arrived = true
	return out
}

// tail is where a prompt may stand.
func (s *stream) tail() []byte {
	if s.region == regionStartup {
		return s.startup
	}
	return s.held
}

// hold keeps back the last lines while they may be a prompt, and returns what is
// before them.
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

// release gives up the first n bytes of what is held back.
func (s *stream) release(n int) []byte {
	if n == 0 {
		return nil
	}
	out := s.held[:n]
	s.held, s.spare = append(s.spare[:0], s.held[n:]...), out
	return out
}

// flush gives up all that is held back: it was no prompt.
func (s *stream) flush() sorted { return sorted{output: s.release(len(s.held))} }

// unasked gives back what followed F without an end of that prompt: the command
// has ended, so nobody was asked for more.
func (s *stream) unasked() (out sorted) {
	if s.region == regionMore {
		s.region = regionOutput
		out.output = s.hold(s.more)
		s.more = s.more[:0]
	}
	return out
}

// outputEnds is A or D: nothing of what was held back is a prompt.
func (s *stream) outputEnds() sorted {
	if s.region == regionMore {
		s.region = regionOutput
		s.held = append(s.held, s.more...)
		s.more = s.more[:0]
	}
	return s.flush()
}

// promptBegins says that what follows is a prompt.
func (s *stream) promptBegins() { s.region, s.prompt, s.whole = regionPrompt, s.prompt[:0], 0 }

// promptEnds is B.
func (s *stream) promptEnds() (out sorted) {
	s.unproven.behind = len(s.unproven.text)
	if s.region == regionPrompt {
		out.aside = s.splitPrompt()
		s.region, s.ends = regionIdle, true
	}
	return out
}

// promptMatched says that what is held back from start on is the prompt.
func (s *stream) promptMatched(start int) sorted {
	out := s.release(min(start, len(s.held)))
	s.held, s.region = s.held[:0], regionIdle
	return sorted{output: out}
}

// announced is a literal marker, the whole of a prompt.
func (s *stream) announced(marker string) {
	if !s.used { // a message may quote it
		s.startup = appendBounded(s.startup, []byte(marker), keptStartup)
	}
	s.region = regionIdle
}

// commandEnded is D, of a command of ours.
func (s *stream) commandEnded(prompting bool) {
	switch {
	case s.region == regionPrompt:
	case prompting: // D comes after A: the prompt's text is still to come
		s.promptBegins()
	default:
		s.region = regionHook
	}
}

// wantsMore is F, of a command that has no more.
func (s *stream) wantsMore() { s.region, s.more = regionMore, s.more[:0] }

// moreEnds is G.
func (s *stream) moreEnds() {
	s.endsMore = true
	if s.region == regionMore {
		s.region, s.more = regionOutput, s.more[:0]
	}
}

// lineSent says that what follows is of a command.
func (s *stream) lineSent() (out sorted) {
	switch {
	case s.region != regionPrompt:
	case s.ends && s.asides: // the program reads, and draws its prompt later
		out.aside = s.splitLines(bytes.Count(s.prompt, []byte("\n")) - bytes.Count(s.shown, []byte("\n")))
	default: // nothing announces its end
		out.aside = s.splitPrompt()
	}
	s.outputBegins()
	return out
}

// outputBegins says that what follows is what a command prints.
func (s *stream) outputBegins() { s.region, s.held = regionOutput, s.held[:0] }

// splitPrompt takes the prompt out of what came where it was shown. It is known
// from before; one that changes is what comes after as many lines as are more
// than it has.
func (s *stream) splitPrompt() (aside []byte) {
	text := s.prompt
	if s.shown == nil || !s.asides || bytes.Equal(text, s.shown) {
		s.shown = append(s.shown[:0], text...)
		return nil
	}
	if s.whole > 0 {
		begin := s.whole - len(s.shown)
		aside = slices.Concat(text[:begin], bytes.TrimSuffix(text[s.whole:], s.shown)) // it may have been drawn again
		s.prompt = append(text[:0], s.shown...)
		return aside
	}
	// A prompt that has grown within its line, by a directory or a level, is the prompt.
	if lines, rest, ok := echo.Cut(s.shown, text); ok && len(lines) > 0 {
		aside = bytes.Clone(lines)
		s.shown = append(s.shown[:0], rest...)
		s.prompt = append(text[:0], rest...)
		return aside
	}
	aside = s.splitLines(bytes.Count(text, []byte("\n")) - bytes.Count(s.shown, []byte("\n")))
	s.shown = append(s.shown[:0], s.prompt...)
	return aside
}

// endsWithLine says that b ends with the text, where a line begins.
func endsWithLine(b, text []byte) bool {
	before, ends := bytes.CutSuffix(b, text)
	return ends && len(text) > 0 && (len(before) == 0 || before[len(before)-1] == '\n')
}

// splitLines takes the first n lines away from the prompt.
func (s *stream) splitLines(n int) (aside []byte) {
	text, end := s.prompt, 0
	for ; n > 0; n-- {
		end += bytes.IndexByte(text[end:], '\n') + 1
	}
	if len(bytes.TrimSpace([]byte(prompt.Visible(text[:end])))) > 0 {
		aside = bytes.Clone(text[:end])
	}
	s.prompt = text[:copy(text, text[end:])]
	return aside
}

// lastLines is the offset at which the last n lines of b begin.
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
