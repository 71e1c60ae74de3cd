package birth_test

import (
	"fmt"
	"os"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/internal/birth"
)

// The soft limit is what a shell around us has set, and not what the Go runtime
// has made of it since.
func TestFilesIsTheLimitBeforeGoRaisedIt(t *testing.T) {
	if os.Getenv("BIRTH_SHOW") != "" {
		fmt.Printf("soft %d\n", birth.Files.Soft)
		return
	}
	cmd := exec.Command("sh", "-c", `ulimit -S -n 123; exec "$0" -test.run=TestFiles`, os.Args[0])
	cmd.Env = append(os.Environ(), "BIRTH_SHOW=1")
	out, err := cmd.Output()
	require.NoError(t, err)
	assert.Contains(t, string(out), "soft 123\n")
}
