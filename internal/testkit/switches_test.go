package testkit

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A test binary that is guarded (proctree.Guard) starts itself again, and only that process runs tests.
func TestThoroughOfAGuardedProcess(t *testing.T) {
	const depth = "TESTKIT_DEPTH"
	again := func(env ...string) string {
		cmd := exec.Command(os.Args[0], "-test.run=^TestThoroughOfAGuardedProcess$", "-test.v")
		cmd.Env = append(os.Environ(), env...)
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "%s", out)
		return string(out)
	}
	switch os.Getenv(depth) {
	case "":
		for _, value := range []string{"1", ""} {
			out := again(depth+"=outer", "RIPPLE_THOROUGH="+value, "TEST_THOROUGH=")
			assert.Equal(t, value != "", strings.Contains(out, "all cases"), out)
			assert.Equal(t, value == "", strings.Contains(out, "a sample"), out)
		}
	case "outer":
		t.Log(again(depth + "=inner"))
	case "inner":
		_, seen := os.LookupEnv("RIPPLE_THOROUGH")
		assert.False(t, seen, "programs of adapters see no such variable")
		t.Log(map[bool]string{true: "all cases", false: "a sample"}[Thorough])
	}
}
