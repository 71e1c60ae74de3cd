package agent_test

import (
	"os"
	"testing"

	"github.com/dlclark/regexp2"
	"go.uber.org/goleak"

	"example.org/ripple/internal/testkit"
	"example.org/ripple/runtime/proctree"
)

// The test binary adopts the orphans of its turns, like the command, and can also act as a
// scripted agent.
func TestMain(m *testing.M) {
	if path := os.Getenv(scriptVariable); path != "" {
		playScript(path)
	}
	_ = proctree.SetSubreaper() // if unsupported, the tests that need it skip
	code := testkit.Main(m)
	regexp2.StopTimeoutClock()
	if err := goleak.Find(); err != nil && code == 0 {
		println(err.Error())
		code = 1
	}
	os.Exit(code)
}
