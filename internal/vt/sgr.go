package vt

// sgr handles SGR (CSI m): the style of the next characters.
func (c *gridCell) sgr(p *Params) {
	for i := 0; i < p.Len(); i++ {
		n := p.Get(i)
		switch {
		case n == 38 || n == 48 || n == 58:
			i += c.extended(n, i, p)
		case n == 4:
			style := 1
			if sub := p.Sub(i); len(sub) > 0 && sub[0] >= 0 && sub[0] <= 5 {
				style = int(sub[0])
			}
			c.underline(style)
		default:
			c.sgrPlain(n)
		}
	}
}

func (c *gridCell) underline(style int) {
	c.attr = c.attr&^UnderlineMask | Attr(style)<<underlineShift
}

func (c *gridCell) sgrPlain(n int) {
	switch {
	case n == 0:
		*c = gridCell{attr: c.attr & protected, width: 1}
	case n < len(sgrOn) && sgrOn[n] != 0:
		c.attr |= sgrOn[n]
	case n == 21:
		c.underline(2)
	case n == 24:
		c.underline(0)
	case n < len(sgrOff) && sgrOff[n] != 0:
		c.attr &^= sgrOff[n]
	case n >= 30 && n <= 37:
		c.fg = palette | Color(n-30)
	case n >= 40 && n <= 47:
		c.bg = palette | Color(n-40)
	case n >= 90 && n <= 97:
		c.fg = palette | Color(n-90+8)
	case n >= 100 && n <= 107:
		c.bg = palette | Color(n-100+8)
	case n == 39:
		c.fg = defaultColor
	case n == 49:
		c.bg = defaultColor
	}
}

var (
	sgrOn  = [...]Attr{1: Bold, 2: Dim, 3: Italic, 5: Blink, 7: Inverse, 8: Invisible, 9: Strike, 53: Overline}
	sgrOff = [...]Attr{22: Bold | Dim, 23: Italic, 25: Blink, 27: Inverse, 28: Invisible, 29: Strike, 55: Overline}
)

// extended handles 38, 48 and 58: a color of the palette, or red, green and blue, in further
// parameters or in sub-parameters (ITU T.416). It returns how many further parameters belong to it.
// The color of underlines is not kept.
func (c *gridCell) extended(n, i int, p *Params) int {
	var v [5]int // the kind and up to three values, or four with the color space
	sub := p.Sub(i)
	used := 0
	if len(sub) > 0 {
		for k := range min(len(sub), len(v)) {
			v[k] = int(max(sub[k], 0))
		}
		if v[0] == 2 && len(sub) > 4 {
			v[1], v[2], v[3] = v[2], v[3], v[4]
		}
	} else {
		used = 1
		switch p.Get(i + 1) {
		case 2:
			used = 4
		case 5:
			used = 2
		}
		for k := range used {
			v[k] = p.Get(i + 1 + k)
		}
	}
	color := defaultColor
	switch v[0] {
	case 5:
		color = palette | Color(v[1]&0xff)
	case 2:
		color = rgb | Color(v[1]&0xff)<<16 | Color(v[2]&0xff)<<8 | Color(v[3]&0xff)
	default:
		return used
	}
	switch n {
	case 38:
		c.fg = color
	case 48:
		c.bg = color
	}
	return used
}
