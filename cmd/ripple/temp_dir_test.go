//go:build unix

package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// Where no temporary files can be made, each command names TMPDIR, its value and what to do.
func TestUnusableTempDirIsNamed(t *testing.T) {
	missing := filepath.Join(t.TempDir(), "missing")
	for _, args := range []string{
		"exec sh true", "console start sh", "agent run --adapter rehearsal x", "run --adapter rehearsal --prompt x",
	} {
		t.Run(args, func(t *testing.T) {
			h := newHostile(t, nil)
			h.environ = append(h.environ, "TMPDIR="+missing)
			out, code := h.run(strings.Fields(args)...)
			assert.Equal(t, 1, code, out)
			out = strings.Join(strings.Fields(out), " ")
			assert.Contains(t, out, `TMPDIR is "`+missing+`": set it to a directory in which you can create files, or unset it`)
			assert.NotContains(t, out, "doctor")
		})
	}
}
