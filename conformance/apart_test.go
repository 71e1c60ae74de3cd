package conformance

import (
	"io/fs"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/adapters"
	scripts "example.org/ripple/integration-scripts"
	"example.org/ripple/internal/testkit"
	"example.org/ripple/runtime/contract"
	"example.org/ripple/runtime/registry"
	"example.org/ripple/schema"
	_ "example.org/ripple/schema/validate"
)

// A declared test passes without those before it, so that --filter can select it: each passes
// in the opposite order, too.
func TestDeclaredTestsStandAlone(t *testing.T) {
	t.Parallel()
	all, err := registry.Open(registry.Sources{Embedded: adapters.FS, Scripts: []fs.FS{scripts.FS}})
	require.NoError(t, err)
	// The sample comes first: a shell, an interpreter and a debugger.
	programs := []string{"bash", "python", "perldb", "fish", "sqlite3", "zsh", "node", "lua", "php", "irb", "pry", "gdb", "pdb"}
	for _, name := range programs[:testkit.Times(t, 3, len(programs))] {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e, err := all.Find(name)
			require.NoError(t, err)
			report := contract.Run(t.Context(), backwards(e.Adapter), contract.Options{NoDerived: true})
			if report.Skipped != "" {
				t.Skip(report.Skipped)
			}
			for _, r := range report.Tests {
				assert.Contains(t, []contract.Status{contract.Passed, contract.NotApplicable}, r.Status, "%s: %s %+v", r.Name, r.Reason, r.Failure)
			}
		})
	}
}

func backwards(a *schema.Adapter) *schema.Adapter {
	b := *a
	b.Tests = slices.Clone(a.Tests)
	slices.Reverse(b.Tests)
	return &b
}
