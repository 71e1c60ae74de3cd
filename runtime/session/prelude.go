package session

import (
	"bytes"

	"ripple/runtime/internal/echo"
)

// prelude is what comes between a line that was sent and C, the announced
// beginning of its output: the line's echo, and what others print meanwhile.
// Where no C is expected all is output.
type prelude struct {
	expected bool // C
	text     []byte
	limit    int
	redrawAt int // where in the text a prompt began that may be a redraw; -1: nowhere
	echo     echo.Config
	typed    *typedLine // until its end has been shown
}

const (
	// echoSlack is how much more than the sent bytes may come before C until we
	// conclude that this program announces no C for this command.
	echoSlack = 32 << 10
	// beginSlack is the same for a program that has announced C before.
	beginSlack = 1 << 20
)

// newPrelude expects the echo e of that many bytes. announces says that the program has announced C before.
func newPrelude(e echo.Config, sent int, expected, announces bool) prelude {
	p := prelude{expected: expected, limit: 4*sent + echoSlack, redrawAt: -1, echo: e}
	if announces {
		p.limit = 4*sent + beginSlack
	}
	return p
}

// feed returns what is output.
func (p *prelude) feed(b []byte) (output []byte) {
	if p.typed != nil {
		return p.line(b)
	}
	if !p.expected {
		return b
	}
	p.text = append(p.text, b...)
	if len(p.text) > p.limit {
		return p.giveUp()
	}
	return nil
}

// line is what comes while a person's line is shown, with the line feed of its end.
func (p *prelude) line(b []byte) (output []byte) {
	i := bytes.IndexByte(b, '\n')
	if i < 0 {
		p.typed.take(b)
		return nil
	}
	p.typed.take(b[:i+1])
	p.typed = nil
	return b[i+1:]
}

// giveUp says that no C will come: what was taken for echo is output, minus the
// echo as far as it can be recognised.
func (p *prelude) giveUp() (output []byte) {
	if !p.expected {
		return nil
	}
	output = p.text
	p.expected, p.text = false, nil
	return output
}

// redraws says that a prompt begins, which may be that of before drawn again.
func (p *prelude) redraws() { p.redrawAt = len(p.text) }

// begin is C. It returns what came before it.
func (p *prelude) begin() (text []byte) {
	p.typed = nil
	p.redrawAt = -1
	return p.giveUp()
}

// end is the end of the command: a prompt that began was no redraw.
func (p *prelude) end() (output []byte) {
	if p.expected && p.redrawAt >= 0 {
		p.text = p.text[:p.redrawAt]
	}
	return p.giveUp()
}
