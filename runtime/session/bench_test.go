package session_test

import (
	"context"
	"testing"

	"example.org/ripple/runtime/session"
)

// BenchmarkEval measures one round trip through a shell; most of the time is the shell's.
func BenchmarkEval(b *testing.B) {
	s := open(b, "bash", session.Options{})
	b.ReportAllocs()
	for b.Loop() {
		if _, err := s.Eval(context.Background(), "true"); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkOpen measures a start to the first prompt and a stop.
func BenchmarkOpen(b *testing.B) {
	a := adapter(b, "bash")
	for b.Loop() {
		s, err := session.Open(context.Background(), a, session.Options{Env: []string{"HOME=/nonexistent"}})
		if err != nil {
			b.Fatal(err)
		}
		if err := s.Close(context.Background()); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkOutput measures a command that prints 1 MiB in lines.
func BenchmarkOutput(b *testing.B) {
	s := open(b, "bash", session.Options{})
	b.SetBytes(1 << 20)
	for b.Loop() {
		if _, err := s.Eval(context.Background(), "head -c 1048576 /dev/zero | tr '\\0' x | fold -w 63"); err != nil {
			b.Fatal(err)
		}
	}
}
