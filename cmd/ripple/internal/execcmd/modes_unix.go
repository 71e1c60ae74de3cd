//go:build unix

package execcmd

import (
	"os"

	"golang.org/x/sys/unix"
)

// terminalModes are the modes of a terminal; nil: they could not be read, and are left alone.
type terminalModes struct{ found *unix.Termios }

func modesOf(f *os.File) terminalModes {
	m, err := unix.IoctlGetTermios(int(f.Fd()), getTermios)
	if err != nil {
		return terminalModes{}
	}
	return terminalModes{m}
}

// lines reports whether the terminal was found to give whole lines.
func (m terminalModes) lines() bool { return m.found == nil || m.found.Lflag&unix.ICANON != 0 }

func (m terminalModes) set(f *os.File, as typing) {
	if m.found == nil {
		return
	}
	t := *m.found
	if as != asFound {
		t.Lflag &^= unix.ECHO | unix.ECHONL
	}
	if as == silentKeys {
		t.Lflag &^= unix.ICANON
		t.Cc[unix.VMIN], t.Cc[unix.VTIME] = 1, 0
	}
	_ = unix.IoctlSetTermios(int(f.Fd()), setTermios, &t) // the terminal is gone, and its modes with it
}

// flush puts back what was found and drops what was typed.
func (m terminalModes) flush(f *os.File) {
	if m.found != nil {
		_ = unix.IoctlSetTermios(int(f.Fd()), flushTermios, m.found) // as in set
	}
}
