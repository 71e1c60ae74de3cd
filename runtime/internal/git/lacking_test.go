package git

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A setting of the repository, which an agent may have written, does not make ripple print the names of programs elsewhere.
func TestHooksOutsideOfTheProjectAreNotNamed(t *testing.T) {
	for _, tt := range []struct {
		name, path, link string // link is the target, if the directory of hooks is a link
		missing          string
		hooks            []string
	}{
		{"in the project, missing", "hooks", "", "hooks", nil},
		{"in the project", "tracked", "", "", []string{"tracked/own"}},
		{"in the project, through a link", "linked", "tracked", "", []string{"linked/committed", "linked/own"}},
		{"outside", "../home/bin", "", "", nil},
		{"outside, through a link", "linked", "../home/bin", "", nil},
		{"outside, through the project", "tracked/../../home/bin", "", "", nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := newRepo(t)
			program := func(path string) {
				require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
				require.NoError(t, os.WriteFile(path, []byte("#!/bin/sh\n"), 0o700))
			}
			program(filepath.Join(p.dir, "tracked", "committed"))
			p.commit("hooks")
			side := filepath.Join(p.dir, "in", "side")
			p.git("worktree", "add", "-q", "-b", "side", side)
			program(filepath.Join(p.dir, "hooks", "own"))
			program(filepath.Join(p.dir, "tracked", "own"))
			program(filepath.Join(filepath.Dir(p.dir), "home", "bin", "secret"))
			t.Cleanup(func() { assert.NoError(t, os.RemoveAll(filepath.Join(filepath.Dir(p.dir), "home"))) })
			require.NoError(t, os.MkdirAll(filepath.Join(p.dir, "in", "home", "bin"), 0o700)) // what ../home/bin is for the linked tree
			if tt.link != "" {
				require.NoError(t, os.Symlink(tt.link, filepath.Join(p.dir, tt.path)))
				require.NoError(t, os.Mkdir(filepath.Join(side, tt.path), 0o700))
			}
			p.git("config", "core.hooksPath", tt.path)
			w := &Worktree{&Repo{Top: side}, "side", "main"}
			missing, hooks, err := w.absentHooks(t.Context(), p.dir)
			require.NoError(t, err)
			assert.Equal(t, tt.missing, missing)
			assert.Equal(t, tt.hooks, hooks)
		})
	}
}
