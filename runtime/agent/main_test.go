package agent_test

import (
	"os"
	"testing"

	"github.com/dlclark/regexp2"
	"go.uber.org/goleak"

	"ripple/runtime/proctree"
)

// The test binary adopts the orphans of its turns, as the command does, and is an
// agent that plays a script.
func TestMain(m *testing.M) {
	if path := os.Getenv(scriptVariable); path != "" {
		playScript(path)
	}
	_ = proctree.Subreaper() // where the system has none, the tests that need one skip
	code := m.Run()
	regexp2.StopTimeoutClock()
	if err := goleak.Find(); err != nil && code == 0 {
		println(err.Error())
		code = 1
	}
	os.Exit(code)
}
