package session

import (
	"fmt"
	"strings"
	"unicode"

	"example.org/ripple/runtime/pty"
	"example.org/ripple/schema"
)

// shown says what was shown on the terminal besides the program's output.
type shown struct {
	bytes    int64
	unechoed bool // the program did not echo the latest code, although the adapter says so
}

// showCode shows a line on the terminal that is about to be sent, if neither the terminal nor the
// program will echo it. Code in a file, or in another form than that of its lines, is shown as the
// caller gave it. echo is the terminal's echo of the line: that of a line that runs a file is not
// shown. At a prompt where somebody has switched the echo off nothing is shown.
func (s *sender) showCode(c *command, line string, echo []byte) {
	if s.options.OnTerminal == nil || s.kernel.home != (pty.Place{}) && s.typist.secret() {
		return
	}
	if c.unshown != "" {
		line, c.unshown = c.unshown, ""
	}
	modes, err := s.term.Modes()
	silent := modes.Canonical() || s.prog.output.echo == schema.EchoNone || s.shown.unechoed && !s.plan.TTY.Echo
	switch {
	case err != nil:
		return
	case !modes.Echoes() && silent && !s.editorEchoes(&modes):
		echo = nil
	case c.file == "" || !modes.Echoes() || !modes.Canonical():
		return
	}
	s.show(readable(line), echo)
}

// show shows text on the terminal, if somebody may look at it: see [terminal.Terminal.Show].
func (c *core) show(text string, replaced []byte) {
	if c.options.OnTerminal != nil {
		c.shown.bytes += int64(len(text))
		c.term.Show([]byte(text), replaced)
	}
}

// Limits of the code that is shown.
const (
	shownLines      = 20
	shownCharacters = 1000 // of a line
)

// readable returns code as it is shown on a terminal, with the end of its last line. Blank lines before
// the code are omitted, control characters are visible, and further lines begin with two blanks.
func readable(code string) string {
	lines := strings.Split(strings.TrimRight(strings.ReplaceAll(code, "\r\n", "\n"), "\n"), "\n")
	for len(lines) > 1 && strings.TrimSpace(lines[0]) == "" {
		lines = lines[1:]
	}
	rest := len(lines) - shownLines
	if rest > 0 {
		lines = lines[:shownLines]
	}
	for i, line := range lines {
		line = strings.Map(func(r rune) rune {
			if unicode.IsControl(r) && r != '\t' || unicode.In(r, unicode.Bidi_Control, unicode.Zl, unicode.Zp) {
				return unicode.ReplacementChar
			}
			return r
		}, shownAs([]byte(line)))
		if all := []rune(line); len(all) > shownCharacters {
			line = fmt.Sprintf("%s… %d more characters", string(all[:shownCharacters]), len(all)-shownCharacters)
		}
		lines[i] = line
	}
	if rest == 1 {
		lines = append(lines, "… 1 more line")
	} else if rest > 1 {
		lines = append(lines, fmt.Sprintf("… %d more lines", rest))
	}
	return strings.Join(lines, "\r\n  ") + "\r\n"
}
