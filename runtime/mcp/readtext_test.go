package mcp

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"example.org/ripple/runtime/console"
)

// A read reports missing output only if it was requested.
func TestReadTextReportsWhatIsMissing(t *testing.T) {
	found := console.Lines{
		Command: console.Command{ID: 3, Lost: 7, LostReason: "no space"}, Lines: []console.Line{{Number: 5, Text: "five"}}, Total: 9, Dropped: 4,
	}
	head := "[a #3] 9 lines, shown 1 of them from 5 to 5"
	assert.Contains(t, readText("a", found, ""), head+"\n")
	found.Missing = "the first 4 bytes of its output are no longer kept"
	assert.Contains(t, readText("a", found, ""), head+"; "+found.Missing+"\n")
}
