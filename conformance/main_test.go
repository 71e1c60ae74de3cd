package conformance

import (
	"os"
	"testing"

	"example.org/ripple/internal/testkit"
)

func TestMain(m *testing.M) {
	os.Exit(testkit.Main(m, "python3"))
}
