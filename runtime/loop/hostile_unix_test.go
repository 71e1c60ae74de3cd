//go:build unix

package loop

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/internal/layout"
	"example.org/ripple/internal/testkit"
	"example.org/ripple/runtime/loop/record"
)

// For any kind of file under the name of a loop file, a run and a resumed one neither change nor
// read a file outside the project, and end.
func TestHostileFilesOfALoop(t *testing.T) {
	t.Parallel()
	type hostileFile struct{ what, name string }
	var all []hostileFile
	puts := map[string]func(path, outside string) error{
		"link to a file":      func(path, outside string) error { return os.Symlink(filepath.Join(outside, "secret"), path) },
		"dangling link":       func(path, outside string) error { return os.Symlink(filepath.Join(outside, "new"), path) },
		"link to a directory": func(path, outside string) error { return os.Symlink(outside, path) },
		"hard link":           func(path, outside string) error { return os.Link(filepath.Join(outside, "secret"), path) },
		"pipe":                func(path, _ string) error { return syscall.Mkfifo(path, 0o600) },
		"device":              func(path, _ string) error { return os.Symlink("/dev/zero", path) },
	}
	for _, what := range slices.Sorted(maps.Keys(puts)) {
		for _, name := range append([]string{""}, append(layout.Written, layout.Records...)...) {
			if name != "" || what != "hard link" { // not possible for a directory
				all = append(all, hostileFile{what, name})
			}
		}
	}
	for _, h := range testkit.FewerOf(t, 15, testkit.Sample(t, 60, all)) {
		t.Run(h.what+" "+h.name, func(t *testing.T) {
			outside := t.TempDir()
			require.NoError(t, os.WriteFile(filepath.Join(outside, "secret"), []byte("SECRET\n"), 0o600))
			r := newRig(t, works, claims)
			r.write(".ralph/@fix_plan.md", "- [ ] one\n")
			r.write(".ralph/logs/old.log", "")
			path := filepath.Join(r.dir, layout.Dir, h.name)
			o := r.options(false)
			require.NoError(t, os.RemoveAll(path))
			require.NoError(t, puts[h.what](path, outside))
			New(o).Run(t.Context())
			o.Resume = true
			New(o).Run(t.Context())
			text, err := os.ReadFile(filepath.Join(outside, "secret"))
			require.NoError(t, err)
			assert.Equal(t, "SECRET\n", string(text), path)
			list, err := os.ReadDir(outside)
			require.NoError(t, err)
			assert.Len(t, list, 1, path)
		})
	}
}

// A record of a tree being created is used only for the loop's own trees.
func TestANoteOfAWorkingTreeMovesNothingElse(t *testing.T) {
	outside := filepath.Join(t.TempDir(), "precious")
	require.NoError(t, os.MkdirAll(outside, 0o755))
	r := newRig(t, claims)
	r.project.git("init", "-q", "-b", "main")
	r.project.git("config", "user.name", "t")
	r.project.git("config", "user.email", "t@example.org")
	r.commit("first")
	r.flags["worktree"] = "b"
	r.write(".ralph/"+layout.MakingFile, `{"dir":"`+outside+`","branch":"b"}`)
	r.run()
	assert.DirExists(t, outside)
}

// The tree that a killed loop was creating is moved to the logs, also if another one was in the same second.
func TestWorkingTreesThatWereCutInTheSameSecond(t *testing.T) {
	r := newRig(t, claims)
	r.project.git("init", "-q", "-b", "main")
	r.project.git("config", "user.name", "t")
	r.project.git("config", "user.email", "t@example.org")
	r.commit("first")
	r.flags["worktree"] = "b"
	dir := worktreeDir(r.dir, "b")
	o := r.options(false)
	now := time.Now()
	o.Now = func() time.Time { return now }
	aside := filepath.Join(r.dir, ".ralph", layout.LogsDir, "worktree_"+record.Stamp(now)+"_cut")
	for n, want := range []string{aside, aside + "-2", aside + "-3"} {
		require.NoError(t, os.RemoveAll(dir))
		r.project.git("worktree", "prune")
		require.NoError(t, os.MkdirAll(dir, 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(dir, "half"), []byte(strconv.Itoa(n)), 0o600))
		r.write(".ralph/"+layout.MakingFile, `{"dir":"`+dir+`","branch":"b"}`)
		r.runWith(o)
		text, err := os.ReadFile(filepath.Join(want, "half"))
		require.NoError(t, err)
		assert.Equal(t, strconv.Itoa(n), string(text))
	}
}

// A filter that an agent adds to the settings of the repository is not run: the loop stops, and keeps the turn's work.
func TestAFilterOfATurnIsNotRun(t *testing.T) {
	t.Parallel()
	r := newRig(t, func(d *doing) {
		d.writes("a.txt", "b\n")
		d.writes(".git/config", "[filter \"x\"]\n\tclean = \": > ran; cat\"\n")
	}, claims)
	r.project.git("init", "-q", "-b", "main")
	r.write("a.txt", "a\n")
	r.write(".gitattributes", "a.txt filter=x\n")
	r.project.git("-c", "user.name=t", "-c", "user.email=t@example.org", "commit", "-qm", "first", "--allow-empty")
	r.project.git("add", "a.txt", ".gitattributes")
	stop := r.run()
	assert.Equal(t, ReasonConflict, stop.Reason)
	assert.Contains(t, stop.Message, "filter.x.clean = : > ran; cat")
	assert.Equal(t, "b\n", r.read("a.txt"))
	assert.NoFileExists(t, filepath.Join(r.dir, "ran"))
	assert.Len(t, r.fake.requests, 1)

	o := r.options(true)
	top, accepted, err := GitRisks(t.Context(), r.dir)
	require.NoError(t, err)
	assert.Equal(t, r.dir, top)
	o.GitAccepted = accepted
	stop = r.runWith(o)
	assert.True(t, stop.Done(), "%v", stop)
	assert.FileExists(t, filepath.Join(r.dir, "ran"))
}
