//go:build linux || darwin

package pty

import "golang.org/x/sys/unix"

func (d *device) echo(input []byte) []byte {
	t, err := d.termios()
	if err != nil {
		return nil
	}
	return echo(t, input)
}

func (d *device) shown(text []byte) (shown []byte) {
	t, err := d.termios()
	if err != nil {
		return text
	}
	for _, c := range text {
		shown = passed(t, shown, c)
	}
	return shown
}

// echo is how a line discipline with these modes shows input: n_tty_receive_char_special,
// echo_char and do_output_char of Linux's drivers/tty/n_tty.c.
func echo(t *unix.Termios, input []byte) (shown []byte) {
	if t.Lflag&unix.ECHO == 0 {
		return nil
	}
	canonical := t.Lflag&unix.ICANON != 0
	for _, c := range input {
		lineEnd := c == '\n' && canonical
		switch {
		case c == '\r' && t.Iflag&unix.IGNCR != 0, canonical && c == t.Cc[unix.VEOF] && c != 0:
			continue
		case c == '\r' && t.Iflag&unix.ICRNL != 0:
			c, lineEnd = '\n', true
		case c == '\n' && t.Iflag&unix.INLCR != 0:
			c, lineEnd = '\r', false
		case t.Iflag&lowersInput != 0 && t.Lflag&unix.IEXTEN != 0:
			c = lower(c)
		}
		if !lineEnd && c != '\t' && (c < ' ' || c == 0x7f) && t.Lflag&unix.ECHOCTL != 0 {
			shown = append(shown, '^', c^0x40)
			continue
		}
		shown = passed(t, shown, c)
	}
	return shown
}

// passed appends c as the terminal passes it on from a program.
func passed(t *unix.Termios, shown []byte, c byte) []byte {
	switch {
	case t.Oflag&unix.OPOST == 0:
	case c == '\n' && t.Oflag&unix.ONLCR != 0:
		return append(shown, '\r', '\n')
	case c == '\r' && t.Oflag&unix.OCRNL != 0:
		c = '\n'
	case t.Oflag&raisesOutput != 0:
		c = upper(c)
	}
	return append(shown, c)
}

// lower and upper are the kernel's, which takes each byte for a character of Latin-1.
func lower(c byte) byte {
	if 'A' <= c && c <= 'Z' || 0xc0 <= c && c <= 0xde && c != 0xd7 {
		return c + 'a' - 'A'
	}
	return c
}

func upper(c byte) byte {
	if 'a' <= c && c <= 'z' || 0xdf <= c && c <= 0xfe && c != 0xf7 {
		return c - 'a' + 'A'
	}
	return c
}
