//go:build linux || darwin

package pty

import (
	"os"
	"slices"

	"golang.org/x/sys/unix"
)

// Modes are a terminal's input and output modes. The zero value, as for a closed terminal, passes
// everything on and echoes nothing.
type Modes struct{ t unix.Termios }

func (d *device) modes() (m Modes, err error) {
	err = d.control(func(fd int) error {
		t, err := unix.IoctlGetTermios(fd, getTermios)
		if err != nil {
			return os.NewSyscallError("read the terminal's modes", err)
		}
		m.t = *t
		return nil
	})
	return m, err
}

func (d *device) modesChanged() bool {
	m, err := d.modes()
	return err != nil || m != d.given
}

// Echoes reports whether the terminal echoes input.
func (m *Modes) Echoes() bool { return m.t.Lflag&unix.ECHO != 0 }

// EchoesErasing reports whether the terminal's echo, if it is on, shows the effect of keys that erase: ECHOE, ECHOK. Programs that
// turn the echo on, such as `stty sane`, mostly set both, and line editors, which turn only the echo off, leave them.
func (m *Modes) EchoesErasing() bool { return m.t.Lflag&(unix.ECHOE|unix.ECHOK) != 0 }

// Signals reports whether the terminal turns keys such as Ctrl-C into signals.
func (m *Modes) Signals() bool { return m.t.Lflag&unix.ISIG != 0 }

// Flow reports whether the terminal uses the key for flow control: to stop or resume output.
func (m *Modes) Flow(key byte) bool {
	return key != 0 && m.t.Iflag&unix.IXON != 0 && (key == m.t.Cc[unix.VSTOP] || key == m.t.Cc[unix.VSTART]) // 0: none
}

// Resumes reports whether the key resumes output.
func (m *Modes) Resumes(key byte) bool { return key != 0 && key == m.t.Cc[unix.VSTART] }

// Canonical reports whether the terminal edits lines itself.
func (m *Modes) Canonical() bool { return m.t.Lflag&unix.ICANON != 0 }

// Acts reports whether a key has an effect on programs at once even if the terminal edits lines: it ends the line, or sends a
// signal. After Ctrl-V it might not.
func (m *Modes) Acts(key byte) bool {
	is := func(keys ...int) bool {
		return key != 0 && slices.ContainsFunc(keys, func(k int) bool { return key == m.t.Cc[k] })
	}
	return key == '\n' || key == '\r' || is(unix.VEOF, unix.VEOL, unix.VEOL2) || m.Signals() && is(unix.VINTR, unix.VQUIT, unix.VSUSP)
}

// Shown returns the terminal's output for text that a program prints.
func (m *Modes) Shown(text []byte) []byte {
	shown := make([]byte, 0, len(text)+1) // a line
	for _, c := range text {
		shown = passed(&m.t, shown, c)
	}
	return shown
}

// Echo returns the terminal's echo of input, byte for byte; nil if it does not echo. Keys that
// erase are treated as text. It follows n_tty_receive_char_special, echo_char and do_output_char of
// Linux's drivers/tty/n_tty.c.
func (m *Modes) Echo(input []byte) (shown []byte) {
	if !m.Echoes() {
		return nil
	}
	t, canonical := &m.t, m.Canonical()
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

// passed appends the terminal's output for c, printed by a program.
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

// lower and upper are the kernel's functions, which treat each byte as a character of Latin-1.
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
