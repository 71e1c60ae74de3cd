package session

import (
	"bytes"

	"example.org/ripple/runtime/internal/echo"
)

// prelude is the text between a sent line and C, the announced beginning of its output: the line's
// echo, and output of other programs meanwhile. If C is not expected, all of it is output.
type prelude struct {
	expected bool // C is expected
	text     []byte
	limit    int
	redrawAt int // position in the text of a prompt that may be a redraw; -1: none
	echo     echo.Config
	typed    *typedLine // set until its end has been echoed
}

const (
	// echoSlack is how many bytes more than were sent may arrive before C until the session
	// concludes that this program does not announce C for this command.
	echoSlack = 32 << 10
	// beginSlack is the same limit for a program that has announced C before.
	beginSlack = 1 << 20
)

// newPrelude expects the echo e of that many sent bytes. announces says that the program has
// announced C before.
func newPrelude(e echo.Config, sent int, expected, announces bool) prelude {
	p := prelude{expected: expected, limit: 4*sent + echoSlack, redrawAt: -1, echo: e}
	if announces {
		p.limit = 4*sent + beginSlack
	}
	return p
}

// feed returns the part of b that is output.
func (p *prelude) feed(b []byte) (output []byte) {
	if !p.expected {
		return b
	}
	p.text = append(p.text, b...)
	if len(p.text) > p.limit {
		return p.giveUp()
	}
	return nil
}

// echoed reports whether the text contains the terminal's echo of the line, or the terminal does not echo.
func (p *prelude) echoed() bool { return bytes.Contains(p.text, p.echo.Kernel) }

// giveUp concludes that C will not come: the text so far is output, without the echo as far as it
// can be recognized.
func (p *prelude) giveUp() (output []byte) {
	if !p.expected {
		return nil
	}
	output = p.text
	p.expected, p.text = false, nil
	return output
}

// redraws notes that a prompt begins, which may be the previous one redrawn.
func (p *prelude) redraws() { p.redrawAt = len(p.text) }

// begin handles C. It returns the text before it.
func (p *prelude) begin() (text []byte) {
	p.redrawAt = -1
	return p.giveUp()
}

// end handles the end of the command: a prompt that began was not a redraw.
func (p *prelude) end() (output []byte) {
	if p.expected && p.redrawAt >= 0 {
		p.text = p.text[:p.redrawAt]
	}
	return p.giveUp()
}
