package conformance

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// What is to be there before the program is initialised must not wait for packages
// that most of it waits for: see internal/keeper.
func TestEarlyImportsNothingThatIsLate(t *testing.T) {
	seen := notLate(t, module+"/cmd/ripple/internal/early", "unicode", "strings", "reflect")
	require.Contains(t, seen, "os/signal", "the way was followed")
}

// What starts programs while the rest is initialised must not wait for that.
func TestAheadImportsNothingThatIsLate(t *testing.T) {
	seen := notLate(t, module+"/cmd/ripple/internal/ahead", "net/netip", "github.com/santhosh-tekuri/jsonschema/v5", "github.com/itchyny/gojq")
	require.Contains(t, seen, "regexp", "the way was followed")
}

// notLate gives what a package needs, of which nothing is to be late.
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
