package pty

import (
	"fmt"
	"io"
	"os"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"example.org/ripple/internal/testkit"
)

// The program's side of the terminal belongs to the master that this process holds, even if the
// garbage collector moves the stack while the terminal is opened: when the kernel wrote the number
// to the old address of a variable, the program got /dev/pts/0.
func TestBothSidesBelongToOneTerminal(t *testing.T) {
	first, firstTTY, err := openPair() // further terminals do not get number 0
	require.NoError(t, err)
	defer first.Close()
	defer firstTTY.Close()
	stop := make(chan struct{})
	defer close(stop)
	go func() {
		for {
			select {
			case <-stop:
				return
			default:
				runtime.GC()
			}
		}
	}()
	for range testkit.Times(t, 500, 2000) {
		done := make(chan error)
		go func() { // each on its own stack, which can shrink
			grow(1000)
			done <- sides()
		}()
		require.NoError(t, <-done)
	}
}

// A watch reports that input was read by any process, and neither input that waits nor output.
func TestReadWatch(t *testing.T) {
	master, tty, err := openPair()
	require.NoError(t, err)
	defer master.Close()
	defer tty.Close()
	w, err := watchReads(tty.Name())
	require.NoError(t, err)
	_, err = master.WriteString("one\ntwo")
	require.NoError(t, err)
	_, err = tty.WriteString("output")
	require.NoError(t, err)
	_, err = master.Read(make([]byte, 100))
	require.NoError(t, err)
	assert.False(t, w.seen())
	_, err = tty.Read(make([]byte, 100))
	require.NoError(t, err)
	assert.True(t, w.seen())
	assert.False(t, w.seen())
	require.NoError(t, w.Close())
}

func sides() error {
	master, tty, err := openPair()
	if err != nil {
		return err
	}
	defer master.Close()
	defer tty.Close()
	number, err := unix.IoctlGetUint32(int(master.Fd()), unix.TIOCGPTN)
	if name := fmt.Sprintf("/dev/pts/%d", number); err == nil && tty.Name() != name {
		err = fmt.Errorf("the master belongs to %s, the program got %s", name, tty.Name())
	}
	return err
}

//go:noinline
func grow(depth int) (sum byte) {
	var frame [64]byte
	if depth > 0 {
		frame[depth%len(frame)] = grow(depth-1) + 1
	}
	for _, b := range frame {
		sum += b
	}
	return sum
}

// A deadline that has passed, because the reader's thread was scheduled late, loses no output.
func TestAvailableOutputIsReadAfterDeadline(t *testing.T) {
	p := launch(t, Command{}, "sh", "-c", "printf first; read x; printf last; exit 7")
	until(t, p, "first") // so little that the next read would wait before it tries
	require.NoError(t, p.SetReadDeadline(time.Now().Add(-time.Second)))
	buf := make([]byte, 100)
	_, err := p.Read(buf)
	require.ErrorIs(t, err, os.ErrDeadlineExceeded)
	_, err = p.Write([]byte("\n"))
	require.NoError(t, err)
	<-p.Exited()
	n, err := p.Read(buf)
	require.NoError(t, err)
	assert.Contains(t, string(buf[:n]), "last")
	_, err = p.Read(buf)
	require.ErrorIs(t, err, io.EOF)
}
