package conformance

import (
	"os"
	"testing"

	"example.com/ripple/internal/testkit"
)

func TestMain(m *testing.M) {
	testkit.SideBySide()
	os.Exit(m.Run())
}
