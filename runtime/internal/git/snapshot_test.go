package git

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/internal/testkit"
)

func take(t testing.TB, tr *Tree) Snapshot {
	t.Helper()
	s, err := tr.Snapshot(t.Context())
	require.NoError(t, err)
	return s
}

// nothing is left out.
func nothing(string) bool { return false }

func TestSnapshotBeforeTheFirstCommit(t *testing.T) {
	p := newProject(t)
	p.git("init", "-q")
	tr, err := OpenTree(t.Context(), p.dir, nothing)
	require.NoError(t, err)
	before := take(t, tr)
	assert.Empty(t, before.Head)
	p.write("a", "1")
	assert.Equal(t, []string{"a"}, before.Changed(take(t, tr)))
}

// A file may be written twice within one tick of the clock, with one size.
func TestSnapshotSeesAQuickSecondWrite(t *testing.T) {
	p := newRepo(t)
	tr, err := OpenTree(t.Context(), p.dir, nothing)
	require.NoError(t, err)
	for i := range testkit.Times(t, 15, 200) {
		p.write("n", fmt.Sprint(i%2))
		before := take(t, tr)
		p.write("n", fmt.Sprint((i+1)%2))
		require.Equal(t, []string{"n"}, before.Changed(take(t, tr)), i)
	}
}

// A sparse file takes hours to read and no space in an archive.
func TestSnapshotReadsNoFileOfTerabytes(t *testing.T) {
	p := newProject(t)
	file := filepath.Join(p.dir, "disk.img")
	p.write("disk.img", "")
	if err := os.Truncate(file, 1<<42); err != nil {
		t.Skipf("the file system has no sparse files of this size: %v", err)
	}
	tr, err := OpenTree(t.Context(), p.dir, nothing)
	require.NoError(t, err)
	before := take(t, tr)
	assert.True(t, before.Equal(take(t, tr)))
	require.NoError(t, os.Chtimes(file, time.Time{}, time.Now().Add(-time.Hour)))
	now := take(t, tr)
	assert.Equal(t, []string{"disk.img"}, before.Changed(now), "written to")
	require.NoError(t, os.Truncate(file, 1<<42+1))
	assert.Equal(t, []string{"disk.img"}, now.Changed(take(t, tr)), "longer")
}

func TestSnapshotReadsNoPipe(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no named pipes in directories there")
	}
	p := newProject(t)
	mkfifo(t, filepath.Join(p.dir, "pipe"))
	tr, err := OpenTree(t.Context(), p.dir, nothing)
	require.NoError(t, err)
	assert.Equal(t, map[string]string{"pipe": "special"}, take(t, tr).Files)
}

// BenchmarkSnapshot is of 50,000 files: tracked and clean, all of them untracked,
// and without git. The first snapshot is not measured.
func BenchmarkSnapshot(b *testing.B) {
	fill := func(p *project) {
		for i := range 50_000 {
			name := filepath.Join(p.dir, fmt.Sprintf("d%d/e%d/f%d.txt", i/5000, i/500, i))
			if i%500 == 0 {
				require.NoError(b, os.MkdirAll(filepath.Dir(name), 0o755))
			}
			require.NoError(b, os.WriteFile(name, fmt.Appendf(nil, "content of file %d\n", i), 0o644))
		}
	}
	for _, kind := range []string{"tracked", "untracked", "nogit"} {
		b.Run(kind, func(b *testing.B) {
			p := newProject(b)
			if kind != "nogit" {
				p = newRepo(b)
			}
			fill(p)
			if kind == "tracked" {
				p.commit("all")
				p.write("d0/e0/f1.txt", "changed")
			}
			tr, err := OpenTree(b.Context(), p.dir, nothing)
			require.NoError(b, err)
			started := time.Now()
			before := take(b, tr)
			b.ReportMetric(float64(time.Since(started).Milliseconds()), "ms-cold")
			p.write("d1/e10/f5001.txt", "changed")
			for b.Loop() {
				require.False(b, before.Equal(take(b, tr)))
			}
		})
	}
}

// A tree that is only watched reads no more than its bounds of files that are not tracked; every change is seen all the same.
func TestSnapshotWithinBounds(t *testing.T) {
	p := newRepo(t)
	p.write("tracked", "0")
	p.git("add", "tracked")
	p.git("commit", "-qm", "tracked")
	p.write("tracked", strings.Repeat("t", 5000)) // larger than the bound
	p.write("big", strings.Repeat("b", 2000))
	for i := range 5 {
		p.write(fmt.Sprintf("small%d", i), "s")
	}
	open := func() *Tree {
		tr, err := OpenTree(t.Context(), p.dir, nothing)
		require.NoError(t, err)
		tr.Bound(1000, 3*perFile)
		return tr
	}
	changed := func(tr *Tree, a, b Snapshot) []string {
		list, err := tr.Changed(t.Context(), a, b)
		require.NoError(t, err)
		return list
	}
	tr := open()
	first := take(t, tr)
	read := 0
	for name, content := range first.Files {
		if !strings.HasPrefix(content, large) {
			read++
			assert.NotEqual(t, "big", name)
		}
	}
	assert.Equal(t, 3, read, "the tracked file, and two small ones")
	assert.False(t, strings.HasPrefix(first.Files["tracked"], large))
	assert.Equal(t, first, take(t, tr))

	// Another process reads other files, and sees no change in those that are the same.
	require.NoError(t, os.Remove(filepath.Join(p.dir, "small0")))
	other := open()
	second := take(t, other)
	assert.Equal(t, []string{"small0"}, changed(other, first, second))
	assert.Equal(t, []string{"small0"}, changed(other, second, first))

	later := time.Now().Add(time.Hour)
	for _, name := range []string{"tracked", "big", "small1", "small4"} {
		info, err := os.Stat(filepath.Join(p.dir, name))
		require.NoError(t, err)
		p.write(name, strings.Repeat("x", int(info.Size())))
		require.NoError(t, os.Chtimes(filepath.Join(p.dir, name), later, later))
	}
	assert.Equal(t, []string{"big", "small0", "small1", "small4", "tracked"}, changed(other, first, take(t, other)))

	// Of a tracked file the content counts, whatever its time says.
	before := take(t, tr)
	p.write("tracked", strings.Repeat("y", 5000))
	require.NoError(t, os.Chtimes(filepath.Join(p.dir, "tracked"), later, later.Add(time.Second)))
	assert.Equal(t, []string{"tracked"}, changed(tr, before, take(t, tr)))
}
