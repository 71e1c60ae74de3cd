package session_test

import (
	"os"
	"testing"

	"ripple/runtime/proctree"
	_ "ripple/schema/validate"
)

// The tests end orphans too, so this process adopts them.
func TestMain(m *testing.M) {
	_ = proctree.Subreaper() // where it is not supported the orphan tests say so
	os.Exit(m.Run())
}
