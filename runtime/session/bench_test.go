package session_test

import (
	"context"
	"testing"

	"ripple/runtime/session"
)

// BenchmarkEval is one round trip through a shell, most of which is the shell.
func BenchmarkEval(b *testing.B) {
	s := open(b, "bash", session.Options{})
	b.ReportAllocs()
	for b.Loop() {
		if _, err := s.Eval(context.Background(), "true"); err != nil {
			b.Fatal(err)
		}
	}
}
