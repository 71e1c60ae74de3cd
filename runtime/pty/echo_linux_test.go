package pty

import (
	"bytes"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"example.org/ripple/internal/testkit"
)

// The predicted echo equals the kernel's, in all modes in which a program may leave the
// terminal.
func TestEchoEqualsKernel(t *testing.T) {
	for _, tt := range []struct {
		name string
		set  func(*unix.Termios)
	}{
		{"initial modes", func(*unix.Termios) {}},
		{"raw", func(m *unix.Termios) {
			m.Iflag &^= unix.ICRNL | unix.IXON
			m.Oflag &^= unix.OPOST
			m.Lflag &^= unix.ICANON | unix.ISIG
		}},
		{"no lines", func(m *unix.Termios) { m.Lflag &^= unix.ICANON }},
		{"no signals", func(m *unix.Termios) { m.Lflag &^= unix.ISIG }},
		{"no output processing", func(m *unix.Termios) { m.Oflag &^= unix.OPOST }},
		{"no carriage returns", func(m *unix.Termios) { m.Oflag &^= unix.ONLCR }},
		{"capitals", func(m *unix.Termios) { m.Oflag |= unix.OLCUC }},
		{"small letters", func(m *unix.Termios) { m.Iflag |= unix.IUCLC }},
		{"carriage returns kept", func(m *unix.Termios) { m.Iflag &^= unix.ICRNL }},
		{"carriage returns ignored", func(m *unix.Termios) { m.Iflag |= unix.IGNCR }},
		{"line ends swapped", func(m *unix.Termios) { m.Iflag |= unix.INLCR }},
		{"carriage returns shown as line ends", func(m *unix.Termios) { m.Oflag |= unix.OCRNL; m.Iflag &^= unix.ICRNL; m.Lflag &^= unix.ECHOCTL }},
		{"control bytes unchanged", func(m *unix.Termios) { m.Lflag &^= unix.ECHOCTL }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d, tty, err := open(Command{Size: Size{Cols: 80, Rows: 24}, Echo: true, Canonical: true})
			require.NoError(t, err)
			defer d.close()
			defer tty.Close()
			modes, err := d.modes()
			require.NoError(t, err)
			tt.set(&modes.t)
			require.NoError(t, unix.IoctlSetTermios(int(tty.Fd()), setTermios, &modes.t))
			set, err := (&PTY{dev: d}).Modes()
			require.NoError(t, err)
			input := []byte("echo Hi; (exit 3)\na\tb\x01ü好\xd7\xdf\xf7\xff\x1b[1m\nx\ry\n\r\neof\x04\n" + end)
			want := set.Echo(input)
			_, err = d.write(input)
			require.NoError(t, err)
			assert.Equal(t, string(want), shown(t, d))
		})
	}
}

func TestNoEcho(t *testing.T) {
	d, tty, err := open(Command{Size: Size{Cols: 80, Rows: 24}, Canonical: true})
	require.NoError(t, err)
	defer d.close()
	defer tty.Close()
	modes, err := d.modes()
	require.NoError(t, err)
	assert.Nil(t, modes.Echo([]byte("a\n")))
}

// end is equal in all modes.
const end = "0042"

// shown returns the text that the terminal displays, up to the end.
func shown(t *testing.T, d *device) string {
	require.NoError(t, d.setReadDeadline(time.Now().Add(testkit.Patience(10*time.Second))))
	var all []byte
	for buf := make([]byte, 256); !bytes.HasSuffix(all, []byte(end)); {
		n, err := d.read(buf)
		require.NoError(t, err, "%q", all)
		all = append(all, buf[:n]...)
	}
	return string(all)
}
