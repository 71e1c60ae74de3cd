//go:build unix

package execcmd

import (
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// A terminal that was given back is left as it is, by whatever still runs.
func TestARestoredKeyboardIsLeftAlone(t *testing.T) {
	in, out, err := os.Pipe()
	require.NoError(t, err)
	require.NoError(t, out.Close())
	defer in.Close()
	k := &keyboard{file: in}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for range 1000 {
			k.take(silentLines)
			k.leave()
		}
	}()
	k.restore()
	<-done
	was := k.takes
	k.take(silentKeys)
	assert.Equal(t, was, k.takes)
	assert.Nil(t, k.read(), "it is no longer read")
}

// What is typed gets the end of a line only where the terminal gives whole lines.
func TestOnlyWholeLinesAreEnded(t *testing.T) {
	for _, tt := range []struct {
		flags unix.Termios
		want  string
	}{{unix.Termios{Lflag: unix.ICANON}, "y\r"}, {unix.Termios{}, "y"}} {
		k := &keyboard{enter: "\r", modes: terminalModes{&tt.flags}}
		assert.Equal(t, tt.want, string(k.input([]byte("y"))))
	}
}
