package loop

import (
	"os"
	"testing"

	"example.org/ripple/internal/testkit"
)

func TestMain(m *testing.M) {
	code := testkit.Main(m)
	_ = os.RemoveAll(firstCommit.dir) // an error does not change the result
	os.Exit(code)
}
