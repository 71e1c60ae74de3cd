package terminal

import "bytes"

// mask hides a text in output that arrives in chunks. It replaces the text by NULs, which
// terminals ignore, so that offsets do not change. The text is random: the output contains parts
// of it by chance only, and no part of it occurs in it twice.
type mask struct {
	text   []byte
	once   bool   // it comes once
	passed int    // length of the prefix of the text that ends the output passed on so far
	held   []byte // the output after that, which may be more of the text
	buf    []byte
}

// mostPassed is the length of a prefix of the text that is passed on at once, because it may be
// other output. It can be erased later: the backspaces and eraseRest fit into the rest of the
// text. A longer prefix is held back; the probability that it is other output is 2 to the power
// of -24.
const mostPassed = 6

var eraseRest = []byte("\x1b[K")

// hide returns the output to pass on; it is valid until the next call.
func (m *mask) hide(b []byte) []byte {
	if len(m.text) == 0 {
		return b
	}
	m.buf = append(append(m.buf[:0], m.held...), b...)
	m.held = m.held[:0]
	out := m.buf
	if rest := m.text[m.passed:]; m.passed > 0 && bytes.HasPrefix(out, rest) {
		n := copy(out, bytes.Repeat([]byte("\b"), m.passed))
		n += copy(out[n:], eraseRest)
		clear(out[n:len(rest)])
		if m.once {
			m.text = nil
			return out
		}
	} else if m.passed > 0 && bytes.HasPrefix(rest, out) {
		m.held = append(m.held, out...)
		return nil
	}
	for i := bytes.Index(out, m.text); i >= 0; i = bytes.Index(out, m.text) {
		clear(out[i : i+len(m.text)])
		if m.once {
			m.text = nil
			return out
		}
	}
	m.passed = min(len(out), len(m.text)-1)
	for !bytes.HasSuffix(out, m.text[:m.passed]) {
		m.passed--
	}
	if m.passed > mostPassed {
		whole := len(out) - m.passed
		m.held, m.passed = append(m.held, out[whole:]...), 0
		out = out[:whole]
	}
	return out
}

// end returns the output that is held back at the end of the stream.
func (m *mask) end() []byte { return m.held }

// curtain hides output that arrives in chunks, up to a text. It replaces the output by NULs, so that offsets do not change.
type curtain struct {
	until []byte // nil: nothing is hidden
	left  int    // number of bytes to hide at most
	held  []byte // the output so far, which may be the beginning of the text
}

// hide returns the output to pass on.
func (c *curtain) hide(b []byte) []byte {
	if c.until == nil {
		return b
	}
	out := append(c.end(), b...) // not b itself, which has other readers
	hidden := bytes.Index(out, c.until)
	switch {
	case hidden >= 0:
		c.until = nil
	case len(out) > c.left:
		c.until, hidden = nil, c.left
	default:
		begun := min(len(out), len(c.until)-1)
		for !bytes.HasSuffix(out, c.until[:begun]) {
			begun--
		}
		hidden = len(out) - begun
		out, c.held = out[:hidden], bytes.Clone(out[hidden:])
	}
	c.left -= hidden
	clear(out[:hidden])
	return out
}

// end returns the output that is held back, and forgets it.
func (c *curtain) end() []byte {
	held := c.held
	c.held = nil
	return held
}
