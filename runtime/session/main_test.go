package session_test

import (
	"os"
	"testing"

	"example.org/ripple/internal/testkit"
	"example.org/ripple/runtime/proctree"
	_ "example.org/ripple/schema/validate"
)

// The tests end orphans too, so this process adopts them.
func TestMain(m *testing.M) {
	_ = proctree.SetSubreaper() // if it is not supported the orphan tests report that
	os.Exit(testkit.Main(m, "python3"))
}
