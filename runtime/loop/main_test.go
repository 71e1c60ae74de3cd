package loop

import (
	"os"
	"testing"

	"example.org/ripple/internal/testkit"
)

func TestMain(m *testing.M) {
	testkit.SideBySide()
	code := m.Run()
	_ = os.RemoveAll(firstCommit.dir) // an error does not change the result
	os.Exit(code)
}
