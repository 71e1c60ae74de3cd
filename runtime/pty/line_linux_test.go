package pty

import (
	"bytes"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"example.org/ripple/internal/testkit"
)

// The line computed from typed keys equals the one that a program reads from the kernel,
// regardless of how the keys are split.
func TestLinesEqualKernel(t *testing.T) {
	for _, tt := range []struct {
		name string
		set  func(*unix.Termios)
	}{
		{"initial modes", func(*unix.Termios) {}},
		{"no UTF-8", func(m *unix.Termios) { m.Iflag &^= unix.IUTF8 }},
		{"not extended", func(m *unix.Termios) { m.Lflag &^= unix.IEXTEN }},
		{"no echo", func(m *unix.Termios) { m.Lflag &^= unix.ECHO }},
		{"no signals", func(m *unix.Termios) { m.Lflag &^= unix.ISIG }},
		{"interrupts keep the line", func(m *unix.Termios) { m.Lflag |= unix.NOFLSH }},
		{"carriage returns kept", func(m *unix.Termios) { m.Iflag &^= unix.ICRNL }},
		{"carriage returns ignored", func(m *unix.Termios) { m.Iflag |= unix.IGNCR }},
		{"no flow control", func(m *unix.Termios) { m.Iflag &^= unix.IXON }},
		{"another end of line", func(m *unix.Termios) { m.Cc[unix.VEOL] = ';' }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d, tty, err := open(Command{Size: Size{Cols: 80, Rows: 24}, Echo: true, Canonical: true})
			require.NoError(t, err)
			defer tty.Close()
			modes, err := d.modes()
			require.NoError(t, err)
			tt.set(&modes.t)
			require.NoError(t, unix.IoctlSetTermios(int(tty.Fd()), setTermios, &modes.t))
			unread := make(chan struct{})
			defer func() { <-unread }()
			defer d.close()
			go func() { // its echo
				defer close(unread)
				for buf := make([]byte, 4096); ; {
					if _, err := d.read(buf); err != nil {
						return
					}
				}
			}()
			for _, keys := range append(randomKeys(testkit.Fewer(t, 20, 100)), "two words\x17\x17_x\x08\x7f", "ü好\x7f\x7f", "a b-c_d  \x17", "gone\x15here", "x\x16\x15\x16\x7fy", "part\x04\x7f\x15rest", "of\x03on") {
				var line Line
				input := []byte(keys + end + "\n")
				cut := rand.IntN(len(input))
				modes.Edit(&line, input[:cut])
				modes.Edit(&line, input[cut:])
				_, err := d.write(input)
				require.NoError(t, err)
				// The kernel takes keys from a separate queue: a line that an interrupt is about to
				// discard could still be read before that.
				assert.Eventually(t, func() bool {
					ready, err := unix.IoctlGetInt(int(tty.Fd()), unix.TIOCINQ)
					return err == nil && ready == len(line.Bytes())
				}, testkit.Patience(10*time.Second), time.Millisecond, "%q", keys)
				assert.Equal(t, string(line.Bytes()), readLines(t, int(tty.Fd())), "%q", keys)
			}
		})
	}
}

func randomKeys(n int) (all []string) {
	keys := []string{"a", "B", "7", "_", " ", ".", ";", "ü", "好", "\x7f", "\x7f", "\x17", "\x15", "\x16", "\x12", "\x03", "\x13\x11", "\t", "\r", "\x1b[A"}
	for range n {
		var b []byte
		for range 1 + rand.IntN(12) {
			b = append(b, keys[rand.IntN(len(keys))]...)
		}
		all = append(all, string(b))
	}
	return all
}

// readLines returns the text that a program reads up to the end.
func readLines(t *testing.T, fd int) string {
	var all []byte
	for buf := make([]byte, 8192); !bytes.HasSuffix(all, []byte(end+"\n")); {
		n, err := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, 10_000)
		require.NoError(t, err)
		require.Equal(t, 1, n, "%q", all)
		n, err = unix.Read(fd, buf)
		require.NoError(t, err)
		all = append(all, buf[:n]...)
	}
	return string(all)
}
