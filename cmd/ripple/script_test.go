package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/stretchr/testify/require"

	"example.org/ripple/cmd/ripple/internal/ui"
	"example.org/ripple/internal/testkit"
)

var update = flag.Bool("update", false, "rewrite the expected output inside the scripts")

// commands are what this test binary does when it is started under another name.
var commands = map[string]func(){"ripple": main, "ripple-released": released, "without_landlock": withoutLandlock}

// The scripts run the real command: testscript starts this test binary under the name ripple.
func TestMain(m *testing.M) {
	_ = os.Setenv(ui.TrustVariable, "always") // most tests are not about trust
	testscript.Main(withEnd{m}, commands)
}

// feedVariable is the environment variable with the feed of ripple-released.
const feedVariable = "TEST_FEED"

// released is the command as a release has it: with a version, and an address that reports the latest one.
func released() {
	releaseVersion, releaseFeed = "v1.0.0", os.Getenv(feedVariable)
	main()
}

// raceExit shortens the wait of a program built with -race for late reports at its end: one second,
// for each of the two processes of each ripple that a script starts. An outer setting follows it,
// and takes precedence.
const raceExit = "atexit_sleep_ms=20 "

func TestScripts(t *testing.T) {
	t.Parallel()
	builtIn, err := filepath.Abs("../../adapters")
	require.NoError(t, err)
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		UpdateScripts:       *update,
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(e *testscript.Env) error {
			e.Setenv("HOME", e.WorkDir+"/home")
			e.Setenv("GORACE", raceExit+os.Getenv("GORACE"))
			e.Setenv("LANG", "C.UTF-8")
			e.Setenv("NO_COLOR", "")
			e.Setenv("BIN", filepath.SplitList(e.Getenv("PATH"))[0]) // only the directory of ripple
			e.Setenv("ADAPTERS", builtIn)
			e.Setenv(ui.TrustVariable, "always") // most tests are not about trust
			return os.Mkdir(e.WorkDir+"/home", 0o700)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"exits": exits, "plays": plays},
		Condition: func(condition string) (bool, error) {
			if condition != "thorough" {
				return false, fmt.Errorf("unknown condition %q", condition)
			}
			return testkit.Thorough, nil
		},
	})
}
