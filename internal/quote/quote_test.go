//go:build unix

package quote

import (
	"os/exec"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A shell gives the program exactly the argument, and plain words stay readable.
func TestShell(t *testing.T) {
	for _, arg := range []string{"", "plain", "agent/w-2", "a b", "it's", `"x"`, "$(id)", "`id`", `a\b`, "a;b&c|d", "*?[x]", "{a,b}", "~", "!x", "#x", "tab\there", "line\nend", "<in>", "(x)"} {
		out, err := exec.Command("sh", "-c", "printf %s "+Shell(arg)).Output()
		require.NoError(t, err, arg)
		assert.Equal(t, arg, string(out))
	}
	assert.Equal(t, "agent/w-2", Shell("agent/w-2"))
	assert.Equal(t, `'it'\''s'`, Shell("it's"))
}
