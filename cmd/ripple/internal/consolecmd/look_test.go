package consolecmd

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"example.org/ripple/runtime/console"
)

// The name of a directory cannot imitate another console in the list.
func TestAConsoleHasOneRow(t *testing.T) {
	row := listRow(console.Status{Name: "a", State: console.Idle, Cwd: "/d\nb              bash       idle"})
	assert.Contains(t, row, `"/d\nb `)
	assert.Zero(t, strings.Count(row, "\n"))
}
