package git

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func openIndex(t *testing.T) (*project, index) {
	p := newRepo(t)
	i, err := (&Repo{Top: p.dir}).index(t.Context())
	require.NoError(t, err)
	require.Equal(t, filepath.Join(p.dir, ".git/index.lock"), i.lock)
	return p, i
}

// A lock is removed only when it is the loop's own copy under another name.
func TestTheIndexLockOfAnotherProcessIsKept(t *testing.T) {
	tests := map[string]struct {
		lock func(i index) error
		free bool
	}{
		"of a loop that was killed": {func(i index) error { return os.Link(i.own, i.lock) }, true},
		"of another git":            {func(i index) error { return os.WriteFile(i.lock, nil, 0o600) }, false},
		"with the same content": {func(i index) error {
			data, err := os.ReadFile(i.own)
			if err != nil {
				return err
			}
			return os.WriteFile(i.lock, data, 0o600)
		}, false},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			_, i := openIndex(t)
			c, err := i.copy()
			require.NoError(t, err)
			require.NoError(t, tt.lock(i))
			done, err := i.replace(c)
			require.NoError(t, err)
			require.False(t, done, "it is held")
			require.NoError(t, i.sweep())
			assert.NoFileExists(t, i.own)
			if tt.free {
				assert.NoFileExists(t, i.lock)
			} else {
				assert.FileExists(t, i.lock)
			}
		})
	}
}

// Files that are staged after the copy was made are not lost.
func TestAChangedIndexIsCopiedAgain(t *testing.T) {
	p, i := openIndex(t)
	c, err := i.copy()
	require.NoError(t, err)
	p.write("mine", "x")
	p.git("add", "mine")
	done, err := i.replace(c)
	require.NoError(t, err)
	assert.False(t, done)
	assert.NoFileExists(t, i.lock)
	assert.Equal(t, "A  mine\n", p.git("status", "--porcelain")+"\n")
}

func TestIndexOnAFileSystemWithoutLinks(t *testing.T) {
	p, i := openIndex(t)
	found := false
	for _, parent := range []string{"/dev/shm", "/tmp"} { // one of them has the test's own directory
		other, err := os.MkdirTemp(parent, "ripple-test-")
		if err != nil {
			continue
		}
		t.Cleanup(func() { os.RemoveAll(other) })
		i.own = filepath.Join(other, "index")
		if found = os.Link(i.path, i.own) != nil; found {
			break
		}
	}
	if !found {
		t.Skip("no second file system")
	}
	c, err := i.copy()
	require.NoError(t, err)
	done, err := i.replace(c)
	require.NoError(t, err)
	assert.True(t, done)
	assert.Empty(t, p.git("status", "--porcelain"))

	c, err = i.copy()
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(i.lock, nil, 0o600))
	done, err = i.replace(c)
	require.NoError(t, err)
	assert.False(t, done, "held")
	assert.FileExists(t, i.lock)
}

// The same size in the same tick of the clock: git looks into the file because
// its index is not younger, and the copy must not be either.
func TestIndexCopyIsAsOld(t *testing.T) {
	p, i := openIndex(t)
	old := time.Now().Add(-time.Hour).Truncate(time.Second)
	require.NoError(t, os.Chtimes(filepath.Join(p.dir, "a.txt"), old, old))
	p.git("update-index", "--refresh")
	p.write("a.txt", "b\n")
	require.NoError(t, os.Chtimes(filepath.Join(p.dir, "a.txt"), old, old))
	require.NoError(t, os.Chtimes(i.path, old, old))
	p.write("new", "x")
	require.NoError(t, (&Repo{Top: p.dir}).Stage(t.Context(), Change{There: []string{"new"}}))
	assert.Equal(t, "M a.txt\nA  new", p.git("status", "--porcelain"))
}

// The names of the branch and of the tag come from files of a project: no lock file outside of the repository is
// removed.
func TestNoLockOutsideTheRepositoryIsDropped(t *testing.T) {
	p := newRepo(t)
	lock := filepath.Join(t.TempDir(), "Cargo.lock")
	require.NoError(t, os.WriteFile(lock, nil, 0o600))
	name := func(below string) string {
		rel, err := filepath.Rel(filepath.Join(p.dir, ".git", below), strings.TrimSuffix(lock, ".lock"))
		require.NoError(t, err)
		return filepath.ToSlash(rel)
	}
	r := &Repo{Top: p.dir}
	hour := time.Hour
	require.NoError(t, r.Unlock(t.Context(), name("refs/tags"), time.Now().Add(-hour), time.Now().Add(hour)))
	assert.FileExists(t, lock)
	p.write(".git/HEAD", "ref: refs/heads/"+name("refs/heads")+"\n")
	_ = r.Unlock(t.Context(), "", time.Now().Add(-hour), time.Now().Add(hour)) // git may refuse the repository
	assert.FileExists(t, lock)
}

// A lock of the branch is dropped in the time of the git that was killed alone.
func TestBranchLocksAreDroppedInTheirTime(t *testing.T) {
	p := newProject(t)
	before := time.Now()
	note := before.Add(-time.Minute)
	for name, tt := range map[string]struct {
		at   time.Time
		stay bool
	}{
		"before the note":         {note.Add(-time.Second), true},
		"between the two":         {note.Add(time.Second), false},
		"after this loop started": {before.Add(time.Second), true},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(p.dir, "HEAD.lock")
			require.NoError(t, os.WriteFile(path, nil, 0o600))
			require.NoError(t, os.Chtimes(path, tt.at, tt.at))
			require.NoError(t, drop(t.Context(), path, note, before))
			if tt.stay {
				assert.FileExists(t, path)
			} else {
				assert.NoFileExists(t, path)
			}
		})
	}
}
