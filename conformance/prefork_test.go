package conformance

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Code that runs before the program is initialized must not depend on packages that most of the
// program depends on: see internal/keeper.
func TestPreforkImportsNothingThatIsLate(t *testing.T) {
	seen := notLate(t, module+"/cmd/ripple/internal/prefork", "unicode", "strings", "reflect")
	require.Contains(t, seen, "os/signal", "imports were followed")
}

// Code that starts programs while the rest is initialized must not depend on the rest.
func TestPrestartImportsNothingThatIsLate(t *testing.T) {
	seen := notLate(t, module+"/cmd/ripple/internal/prestart", "net/netip", "github.com/santhosh-tekuri/jsonschema/v5", "github.com/itchyny/gojq")
	require.Contains(t, seen, "regexp", "imports were followed")
}

// notLate returns the dependencies of a package and checks that none of late is among them.
func notLate(t *testing.T, path string, late ...string) (seen map[string]bool) {
	imports := map[string][]string{}
	for _, p := range goList(t, "linux") {
		imports[p.ImportPath] = p.Imports
	}
	seen = map[string]bool{}
	var follow func(path string, way ...string)
	follow = func(path string, way ...string) {
		if seen[path] {
			return
		}
		seen[path] = true
		way = append(way, path)
		assert.Falsef(t, slices.Contains(late, path), "imported by way of %v", way)
		for _, imported := range imports[path] {
			follow(imported, way...)
		}
	}
	follow(path)
	return seen
}
