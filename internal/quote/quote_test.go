//go:build unix

package quote

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A shell gives the program exactly the argument, and plain words stay readable.
func TestShell(t *testing.T) {
	for _, arg := range []string{
		"", "plain", "agent/w-2", "a b", "it's", `"x"`, "$(id)", "`id`", `a\b`, "a;b&c|d", "*?[x]", "{a,b}", "~", "!x", "#x", "tab\there", "line\nend", "<in>", "(x)",
		"a\u202eb", "\u200b", "-\u2066 100% 2'\\x", "\x1b[31mred", "no \xff utf8", "a\u00a0b\n\n", "\x9b2J", "=ls", "a=b", "\u202e!x", "\u202e=ls",
	} {
		out, err := exec.Command("sh", "-c", "printf %s "+Shell(arg)).Output()
		require.NoError(t, err, arg)
		assert.Equal(t, arg, string(out))
		assert.False(t, strings.ContainsFunc(Shell(arg), isHidden), "%q", Shell(arg))
	}
	assert.Equal(t, "agent/w-2", Shell("agent/w-2"))
	assert.Equal(t, `'it'\''s'`, Shell("it's"))
	assert.Equal(t, `"$(printf 'a\342\200\256b')"`, Shell("a\u202eb"))
	assert.Equal(t, `"$(printf '\342\200\256\041x')"`, Shell("\u202e!x"), "bash expands ! between double quotes")
	assert.Equal(t, `'=ls'`, Shell("=ls"), "zsh expands it")
	assert.Equal(t, "a=b", Shell("a=b"))
}

func TestName(t *testing.T) {
	assert.Equal(t, "agent/über-w", Name("agent/über-w"))
	assert.Equal(t, `"a\u202eb"`, Name("a\u202eb"))
	assert.Equal(t, `"a\x1b[31mb"`, Name("a\x1b[31mb"))
}
