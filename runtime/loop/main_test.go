package loop

import (
	"os"
	"testing"

	"example.org/ripple/internal/testkit"
)

func TestMain(m *testing.M) {
	testkit.SideBySide()
	os.Exit(m.Run())
}
