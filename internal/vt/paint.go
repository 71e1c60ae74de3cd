package vt

import "unicode/utf8"

// char writes the character of c. A NUL prevents a character with a width from joining the previous
// one.
func (p *painter) char(c gridCell) {
	p.style(c)
	if c.width > 0 && c.ch < utf8.RuneSelf {
		p.out = append(p.out, byte(c.ch))
		p.joined = false
		return
	}
	p.text = p.s.clusters.append(p.text[:0], c)
	if c.width > 0 {
		width := clusterWidth(p.text)
		p.widths(width == 0 || width == int(c.width))
	}
	first, _ := utf8.DecodeRune(p.text)
	if c.width == 0 || mayExtend(first, p.joined) {
		p.out = append(p.out, 0)
	}
	p.out = append(p.out, p.text...)
	p.joined = endsInJoiner(p.text)
}

// widths selects whether further text is measured in clusters or in code points.
func (p *painter) widths(clusters bool) {
	if p.codePoints == clusters {
		p.codePoints = !clusters
		p.write(clusterMode(clusters))
	}
}

// placeCursor moves the cursor to column x of cols, after the cluster c, for a terminal that
// disagrees about its width.
func (p *painter) placeCursor(c gridCell, x, cols int) {
	if c.width == 2 && c.ch&cluster != 0 && x < cols {
		p.writef("\x1b[%dG", x+1)
		p.joined = false
	}
}

func clusterMode(on bool) string {
	if on {
		return "\x1b[?2027h"
	}
	return "\x1b[?2027l"
}
