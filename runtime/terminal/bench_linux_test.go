package terminal

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"example.org/ripple/runtime/pty"
)

// BenchmarkLines measures a program's lines without a screen, with a screen that may be
// read, with a subscriber that follows, and with one that never reads.
func BenchmarkLines(b *testing.B) {
	const lines, size = 100_000, 101 * 100_000
	for name, o := range map[string]Options{"nobody": {}, "screen": {Screen: true}, "follower": {Screen: true}, "sleeper": {Screen: true}} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(size)
			b.ReportAllocs()
			for b.Loop() {
				c := pty.Command{Size: pty.Size{Cols: 120, Rows: 40}, Canonical: true}
				s := startQuiet(b, o, c, "lines", "100000")
				if name != "nobody" && name != "screen" {
					sub := s.Subscribe()
					for name == "follower" {
						if _, err := sub.Next(context.Background()); err != nil {
							break
						}
					}
				}
				<-s.Done()
				require.NoError(b, s.Close(context.Background()))
			}
		})
	}
}

// startQuiet is start without keeping the program's output.
func startQuiet(b *testing.B, o Options, c pty.Command, argv ...string) *Terminal {
	return launch(b, o, c, nil, argv...).Terminal
}

// BenchmarkFrame measures the redraw of a full colored screen of 120×50 cells, from the program to
// the end of a subscriber's piece: 60 per second are smooth.
func BenchmarkFrame(b *testing.B) {
	s := startQuiet(b, Options{Screen: true}, pty.Command{Size: pty.Size{Cols: 120, Rows: 50}}, "frames")
	sub := s.Subscribe()
	_, err := sub.Next(context.Background())
	require.NoError(b, err)
	size, end := int64(len(frame(0))), int64(0)
	b.SetBytes(size)
	b.ReportAllocs()
	for b.Loop() {
		_, err := s.Write([]byte("x"))
		require.NoError(b, err)
		for end += size; ; {
			p, err := sub.Next(context.Background())
			require.NoError(b, err)
			if p.End >= end {
				break
			}
		}
	}
	b.StopTimer()
	require.NoError(b, s.Close(context.Background()))
}

// BenchmarkSnapshot measures the cost of a new subscriber: the screen of BenchmarkFrame with a
// thousand lines above it.
func BenchmarkSnapshot(b *testing.B) {
	s := startQuiet(b, Options{Screen: true}, pty.Command{Size: pty.Size{Cols: 120, Rows: 50}, Canonical: true}, "lines", "2000")
	<-s.Done()
	b.ReportAllocs()
	for b.Loop() {
		sub := s.Subscribe()
		p, err := sub.Next(context.Background())
		require.NoError(b, err)
		b.SetBytes(int64(len(p.Bytes)))
		sub.Close()
	}
	require.NoError(b, s.Close(context.Background()))
}
