//go:build unix

package projectfile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// hostile are things under the name f, each with its message.
var hostile = []struct {
	what, words string
	put         func(dir, outside string) error
}{
	{"link to a file", "symbolic link", func(dir, outside string) error { return os.Symlink(filepath.Join(outside, "secret"), dir+"/f") }},
	{"link inside", "symbolic link", func(dir, _ string) error {
		return errors.Join(os.WriteFile(dir+"/g", nil, 0o600), os.Symlink("g", dir+"/f"))
	}},
	{"dangling link", "symbolic link", func(dir, outside string) error { return os.Symlink(filepath.Join(outside, "new"), dir+"/f") }},
	{"device", "symbolic link", func(dir, _ string) error { return os.Symlink("/dev/zero", dir+"/f") }},
	{"pipe", "pipe", func(dir, _ string) error { return syscall.Mkfifo(dir+"/f", 0o600) }},
	{"directory", "is a directory", func(dir, _ string) error { return os.Mkdir(dir+"/f", 0o700) }},
	{"hard link", "hard link", func(dir, outside string) error { return os.Link(filepath.Join(outside, "secret"), dir+"/f") }},
	{"the directory is a link", "symbolic link", func(dir, outside string) error {
		return errors.Join(os.Remove(dir), os.Symlink(outside, dir))
	}},
}

func TestNothingButFilesIsOpened(t *testing.T) {
	for _, h := range hostile {
		t.Run(h.what, func(t *testing.T) {
			base, outside := t.TempDir(), t.TempDir()
			require.NoError(t, os.WriteFile(filepath.Join(outside, "secret"), []byte("SECRET"), 0o600))
			require.NoError(t, os.Mkdir(filepath.Join(base, "d"), 0o700))
			require.NoError(t, h.put(filepath.Join(base, "d"), outside))
			d := In(base, "d")
			refused := func(err error) {
				t.Helper()
				e, is := errors.AsType[*RefusedError](err)
				require.True(t, is, "%v", err)
				assert.Contains(t, e.Error(), h.words)
			}
			_, err := d.Create("f")
			refused(err)
			_, err = d.Update("f")
			refused(err)
			if h.what != "hard link" { // it may be read
				_, err = d.Read("f", 100)
				refused(err)
			}
			text, err := os.ReadFile(filepath.Join(outside, "secret"))
			require.NoError(t, err)
			assert.Equal(t, "SECRET", string(text))
			list, err := os.ReadDir(outside)
			require.NoError(t, err)
			assert.Len(t, list, 1)
		})
	}
}

func TestReadIsBounded(t *testing.T) {
	base := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(base, "f"), make([]byte, 101), 0o600))
	_, err := In(base, ".").Read("f", 100)
	assert.ErrorContains(t, err, "is larger than 100 bytes")
	data, err := In(base, ".").Read("f", 101)
	require.NoError(t, err)
	assert.Len(t, data, 101)
	_, err = Read("/dev/zero", 100)
	assert.ErrorContains(t, err, "is a device")
	data, err = Read("/proc/self/mounts", 100) // a file that the kernel makes, such as /proc/kmsg, may wait for its reader
	if !errors.Is(err, fs.ErrNotExist) {
		require.NoError(t, err)
		assert.Empty(t, data)
	}
}

func TestReplacingALinkReplacesTheLink(t *testing.T) {
	base, outside := t.TempDir(), filepath.Join(t.TempDir(), "secret")
	require.NoError(t, os.WriteFile(outside, []byte("SECRET"), 0o600))
	require.NoError(t, os.Symlink(outside, filepath.Join(base, "f")))
	require.NoError(t, In(base, ".").Write("f", ".tmp-", []byte("new")))
	data, err := In(base, ".").Read("f", 100)
	require.NoError(t, err)
	assert.Equal(t, "new", string(data))
	text, err := os.ReadFile(outside)
	require.NoError(t, err)
	assert.Equal(t, "SECRET", string(text))
}

// A file has the new text and the new permissions, or is as it was; no other file is left.
func TestReplace(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "f")
	require.NoError(t, Replace(file, []byte("one"), 0o644))
	require.NoError(t, Replace(file, []byte("two"), 0o600))
	data, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.Equal(t, "two", string(data))
	info, err := os.Stat(file)
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o600), info.Mode().Perm())

	sub := filepath.Join(dir, "sub")
	require.NoError(t, os.MkdirAll(filepath.Join(sub, "full"), 0o700))
	require.Error(t, Replace(sub, []byte("three"), 0o600), "it is a directory")
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, entries, 2)
	assert.Equal(t, []string{"f", "sub"}, []string{entries[0].Name(), entries[1].Name()})
}

// A command that only inspects a project waits for no terminal and no pipe that is in place of one of
// its files.
func TestOnlyFilesInsideAreOpened(t *testing.T) {
	r, w, err := os.Pipe() // which nobody writes to
	require.NoError(t, err)
	defer func() { assert.NoError(t, r.Close()); assert.NoError(t, w.Close()) }()
	for name, c := range map[string]struct {
		put  func(string) error
		says string
	}{
		"pipe":           {func(path string) error { return syscall.Mkfifo(path, 0o600) }, "is a pipe"},
		"terminal":       {func(path string) error { return os.Symlink("/dev/tty", path) }, "symbolic link"},
		"standard input": {func(path string) error { return os.Symlink("/dev/fd/"+strconv.Itoa(int(r.Fd())), path) }, "symbolic link"},
		"device":         {func(path string) error { return os.Symlink("/dev/zero", path) }, "leads out of "},
		"directory":      {func(path string) error { return os.Mkdir(path, 0o700) }, "is a directory"},
		"8 GB":           {func(path string) error { return errors.Join(os.WriteFile(path, nil, 0o600), os.Truncate(path, 8<<30)) }, "is larger than 16 MB"},
	} {
		dir := t.TempDir()
		require.NoError(t, c.put(filepath.Join(dir, "f")))
		for _, read := range []func() error{
			func() error { _, err := ReadInside(dir, filepath.Join(dir, "f"), MaxText); return err },
			func() error {
				f, err := FS(dir, dir).Open("f")
				if err == nil {
					_, err = readAll(f.(*os.File), MaxText)
				}
				return err
			},
		} {
			err := read()
			_, is := errors.AsType[*RefusedError](err)
			assert.True(t, is, "%s: %v", name, err)
			assert.ErrorContains(t, err, c.says, name)
		}
	}
}

// In a directory that a group shares, new files and directories can be written by the group, whatever the umask is.
func TestGroupsShareNewFiles(t *testing.T) {
	defer syscall.Umask(syscall.Umask(0o022))
	for mode, want := range map[fs.FileMode]fs.FileMode{
		0o775 | fs.ModeSetgid: 0o060,
		0o755 | fs.ModeSetgid: 0o040,
		0o775:                 0o040,
		0o700:                 0o040,
	} {
		dir := t.TempDir()
		require.NoError(t, os.Chmod(dir, mode))
		d := In(dir, ".")
		require.NoError(t, d.Mkdir("logs", 0o777))
		for _, write := range []func(name string) error{
			func(name string) error { f, err := d.Update(name); return errors.Join(err, f.Close()) },
			func(name string) error { return d.Write(name, ".w", []byte("x")) },
			func(name string) error { return d.CreateNew(name, []byte("x")) },
		} {
			require.NoError(t, write("f"))
			info, err := d.Stat("f")
			require.NoError(t, err)
			assert.Equal(t, want, info.Mode()&0o060, "%v", mode)
			require.NoError(t, d.Remove("f"))
		}
		info, err := d.Stat("logs")
		require.NoError(t, err)
		assert.Equal(t, want, info.Mode()&0o060, "%v", mode)
		f, err := d.OpenFile("private", os.O_CREATE|os.O_RDWR, 0o600)
		require.NoError(t, errors.Join(err, f.Close()))
		info, err = d.Stat("private")
		require.NoError(t, err)
		assert.Zero(t, info.Mode()&0o077)
	}
}

// A repository that another user made around a directory does not allow links out of that directory.
func TestRepositoriesOfAnotherUser(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root can give files to another user")
	}
	base, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	here := filepath.Join(base, "here")
	for _, dir := range []string{here, filepath.Join(base, ".git")} {
		require.NoError(t, os.Mkdir(dir, 0o755))
	}
	for _, file := range []string{".git/HEAD", "outside", "here/inside"} {
		require.NoError(t, os.WriteFile(filepath.Join(base, file), nil, 0o644))
	}
	require.NoError(t, os.Symlink("../outside", filepath.Join(here, "link")))
	for _, theirs := range []bool{false, true} {
		project := base
		if theirs {
			project = here
			require.NoError(t, os.Lchown(filepath.Join(base, ".git"), 65534, 65534))
		}
		top, ours := RepositoryOf(here)
		assert.Equal(t, base, top)
		assert.Equal(t, !theirs, ours)
		_, err := ReadInside(here, filepath.Join(here, "link"), MaxText)
		_, refused := errors.AsType[*RefusedError](err)
		assert.Equal(t, theirs, refused, "%v", err)
		_, err = ReadInside(base, filepath.Join(here, "link"), MaxText)
		assert.NoError(t, err, "the user is at the top")
		assert.Equal(t, project, ProjectOf(here, filepath.Join(here, "inside")))
		assert.Equal(t, base, ProjectOf(here, filepath.Join(base, "outside")))
		assert.Equal(t, base, ProjectOf(filepath.Join(base, "elsewhere"), filepath.Join(here, "inside")))
	}
}
