package pty

import (
	"errors"
	"io"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/internal/testkit"
)

// parked reads from cat in the background, and returns when that read is parked.
func parked(t *testing.T) (p *PTY, ended <-chan error, got *[16]byte) {
	t.Helper()
	p, err := Start(Command{Path: "/bin/cat", Argv: []string{"cat"}, Size: Size{80, 24}, Canonical: true})
	require.NoError(t, err)
	t.Cleanup(func() { _ = p.Close() })
	done := make(chan error, 1)
	got = new([16]byte)
	go func() {
		_, err := p.Read(got[:])
		done <- err
	}()
	awaitParked(t, p)
	return p, done, got
}

func awaitParked(t *testing.T, p *PTY) {
	t.Helper()
	require.Eventually(t, func() bool {
		park := &p.dev.parking
		park.mu.Lock()
		defer park.mu.Unlock()
		return park.parked
	}, testkit.Patience(30*time.Second), time.Millisecond)
}

func TestParkedRead(t *testing.T) {
	tests := []struct {
		name string
		wake func(*PTY) error
		want []error // one of these
	}{
		{"output", func(p *PTY) error { _, err := p.Write([]byte("x\n")); return err }, []error{nil}},
		{"a past deadline", func(p *PTY) error { return p.SetReadDeadline(time.Unix(1, 0)) }, []error{os.ErrDeadlineExceeded}},
		{"a future deadline", func(p *PTY) error { return p.SetReadDeadline(time.Now().Add(time.Millisecond)) }, []error{os.ErrDeadlineExceeded}},
		{"a deadline that was removed", func(p *PTY) error {
			for _, at := range []time.Time{time.Now().Add(time.Hour), {}} {
				if err := p.SetReadDeadline(at); err != nil {
					return err
				}
			}
			_, err := p.Write([]byte("x\n"))
			return err
		}, []error{nil}},
		{"close, which ends the program first", func(p *PTY) error { return p.Close() }, []error{os.ErrClosed, io.EOF}},
		{"the end of the program", func(p *PTY) error { _, err := p.Write([]byte{4}); return err }, []error{io.EOF}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p, ended, _ := parked(t)
			require.NoError(t, tt.wake(p))
			select {
			case err := <-ended:
				assert.True(t, slices.ContainsFunc(tt.want, func(want error) bool { return errors.Is(err, want) }), "%v", err)
			case <-time.After(testkit.Patience(30 * time.Second)):
				t.Fatal("it is still parked")
			}
		})
	}
}

// A wake-up is consumed by one read, and each read gets its own deadline.
func TestParkedAgain(t *testing.T) {
	p, ended, got := parked(t)
	for range 50 {
		require.NoError(t, p.SetReadDeadline(time.Now().Add(time.Hour)))
		_, err := p.Write([]byte("again\n"))
		require.NoError(t, err)
		require.NoError(t, <-ended)
		for got[0] != 0 {
			*got = [16]byte{}
			if err := p.SetReadDeadline(time.Now().Add(time.Millisecond)); err != nil {
				require.NoError(t, err)
			}
			if _, err := p.Read(got[:]); err != nil {
				require.ErrorIs(t, err, os.ErrDeadlineExceeded)
			}
		}
		require.NoError(t, p.SetReadDeadline(time.Time{}))
		again := make(chan error, 1)
		go func() {
			_, err := p.Read(got[:])
			again <- err
		}()
		awaitParked(t, p)
		ended = again
	}
}

// Repeated long waits open no new descriptors, which would look like a leak.
func TestParkingOpensNoDescriptor(t *testing.T) {
	descriptors := func() int {
		open, err := os.ReadDir("/proc/self/fd")
		require.NoError(t, err)
		return len(open)
	}
	p, err := Start(Command{Path: "/bin/cat", Argv: []string{"cat"}, Size: Size{80, 24}, Canonical: true})
	require.NoError(t, err)
	defer p.Close()
	before := descriptors()
	ended := make(chan error, 1)
	go func() {
		_, err := p.Read(make([]byte, 16))
		ended <- err
	}()
	awaitParked(t, p)
	assert.Equal(t, before, descriptors())
	require.NoError(t, p.Close())
	<-ended
}
