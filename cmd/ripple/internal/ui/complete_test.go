package ui

import (
	"regexp"
	"testing"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/assert"
)

// A shell evaluates what it has completed, and the values of some flags are from a file of a project.
func TestACompletionIsNotExecuted(t *testing.T) {
	values := []string{"plan", "ask\tA description; of `this`.", "acceptEdits", "a,b:c/d-e_f", "é", regexp.QuoteMeta("adds 1 + 1"), regexp.QuoteMeta("a$(touch x)")}
	bad := []string{"plan`touch x`a", "a$(touch x)", "a${x}", `a\\$(x)`, `a\`, "a;b", "a&b", "a|b", "a>b", "a<b", "a\nb", "a\\\nb", "!a", "a\x1b[31m", "a\u009bm", "a\u202eb", regexp.QuoteMeta("\\`x`")}
	cmd := &cobra.Command{}
	cmd.Flags().String("mode", "", "")
	Choices(cmd, "mode", append(bad, values...)...)
	complete, _ := cmd.GetFlagCompletionFunc("mode")
	list, _ := complete(cmd, nil, "")
	assert.Equal(t, values, list)
}
