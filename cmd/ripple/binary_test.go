package main

import (
	"testing"

	"example.org/ripple/internal/testkit"
)

// atEnd are functions to call after all tests.
var atEnd []func()

// withEnd calls those functions.
type withEnd struct{ *testing.M }

func (w withEnd) Run() int {
	defer func() {
		for _, f := range atEnd {
			f()
		}
	}()
	return testkit.Main(w.M, "python3")
}

// binary returns the path of the real command, for tests that the scripts cannot express: killed
// processes, and terminals.
func binary() (string, error) { return testkit.Binary() }
