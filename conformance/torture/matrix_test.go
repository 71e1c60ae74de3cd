//go:build linux

package torture

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var (
	matrix   = flag.String("matrix", "", "run the matrix: ci (a bounded part) or all")
	binary   = flag.String("binary", "", "the program under test; empty: ripple, built from this module")
	failures = flag.String("failures", "", "write the failures into this file, with commands that reproduce them")
)

// TestMatrix runs every case with every program for which it has a spelling:
//
//	go test ./conformance/torture -matrix all -run TestMatrix/prompts//zsh
func TestMatrix(t *testing.T) {
	if *matrix == "" {
		t.Skip("-matrix says which part is run: ci or all")
	}
	require.Contains(t, []string{"ci", "all"}, *matrix)
	p, classes, err := load()
	require.NoError(t, err)
	ripple := command(t)
	table := newTable(p, classes)
	t.Cleanup(func() { // after all cases, which run in parallel
		fmt.Print(table)
		if *failures != "" {
			assert.NoError(t, os.WriteFile(*failures, []byte(table.failures()), 0o600))
		}
		assert.Positive(t, table.ran, "nothing was run")
	})
	for _, c := range classes {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			for i, one := range c.Cases {
				t.Run(one.Name, func(t *testing.T) {
					t.Parallel()
					for _, in := range p.Programs {
						if one.applies(p, in) && (*matrix == "all" || one.inCI(p, in)) {
							t.Run(in.Name, func(t *testing.T) {
								t.Parallel()
								d := &drive{programs: p, program: in, tortureCase: one, binary: ripple, root: t.TempDir()}
								d.mark = fmt.Sprintf("%s-%d-%s-%d", c.name, i, in.Name, os.Getpid())
								table.run(t, c.name, d)
							})
						}
					}
				})
			}
		})
	}
}

// command returns the program under test.
func command(t *testing.T) string {
	if *binary != "" {
		path, err := filepath.Abs(*binary)
		require.NoError(t, err)
		return path
	}
	path := filepath.Join(t.TempDir(), "ripple")
	out, err := exec.Command("go", "build", "-o", path, "example.org/ripple/cmd/ripple").CombinedOutput()
	require.NoError(t, err, "%s", out)
	return path
}

// run runs a case and records the result in the table.
func (tab *table) run(t *testing.T, class string, d *drive) {
	if reason := tab.missing(d.binary, d.program.Name); reason != "" {
		tab.enter(class, d, skipped, nil)
		t.Skip(reason)
	}
	problems, err := d.run(t.Context())
	require.NoError(t, err)
	if len(problems) == 0 {
		tab.enter(class, d, passed, nil)
		return
	}
	tab.enter(class, d, failed, problems)
	t.Errorf("%s\n  %s\n  %s", d.Because, strings.Join(problems, "\n  "), d.reproduction())
}
