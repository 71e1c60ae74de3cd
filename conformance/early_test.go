package conformance

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// What is to be there before the program is initialised must not wait for packages
// that most of it waits for: see internal/keeper.
func TestEarlyImportsNothingThatIsLate(t *testing.T) {
	imports := map[string][]string{}
	for _, p := range goList(t, "linux") {
		imports[p.ImportPath] = p.Imports
	}
	late := map[string]bool{"unicode": true, "strings": true, "reflect": true}
	seen := map[string]bool{}
	var follow func(path string, way ...string)
	follow = func(path string, way ...string) {
		if seen[path] {
			return
		}
		seen[path] = true
		way = append(way, path)
		assert.Falsef(t, late[path], "imported by way of %v", way)
		for _, imported := range imports[path] {
			follow(imported, way...)
		}
	}
	follow(module + "/cmd/ripple/internal/early")
	require.Contains(t, seen, "os/signal", "the way was followed")
}
