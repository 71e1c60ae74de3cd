package session_test

import (
	"os"
	"testing"

	"example.com/ripple/internal/testkit"
	"example.com/ripple/runtime/proctree"
	_ "example.com/ripple/schema/validate"
)

// The tests end orphans too, so this process adopts them.
func TestMain(m *testing.M) {
	_ = proctree.Subreaper() // if it is not supported the orphan tests report that
	testkit.SideBySide()
	os.Exit(m.Run())
}
