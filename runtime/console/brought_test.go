//go:build unix

package console

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/runtime/console/place"
)

// notFiles put something else than a file under a path; outside is a directory of the user with the file secret.
var notFiles = map[string]func(path, outside string) error{
	"link":          func(path, outside string) error { return os.Symlink(filepath.Join(outside, "secret"), path) },
	"dangling link": func(path, outside string) error { return os.Symlink(filepath.Join(outside, "new"), path) },
	"hard link":     func(path, outside string) error { return os.Link(filepath.Join(outside, "secret"), path) },
	"pipe":          func(path, _ string) error { return syscall.Mkfifo(path, 0o600) },
	"device":        func(path, _ string) error { return os.Symlink("/dev/zero", path) },
}

// outsideDir returns a directory with the file secret, which must stay as it is.
func outsideDir(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "secret"), []byte("SECRET\n"), 0o644))
	t.Cleanup(func() {
		text, err := os.ReadFile(filepath.Join(dir, "secret"))
		assert.NoError(t, err)
		assert.Equal(t, "SECRET\n", string(text))
		entries, err := os.ReadDir(dir)
		assert.NoError(t, err)
		assert.Len(t, entries, 1)
	})
	return dir
}

// A home directory that a project brings may have anything in place of a line history: it is not read, waited for or written.
func TestALineHistoryIsAFile(t *testing.T) {
	for name, put := range notFiles {
		t.Run(name, func(t *testing.T) {
			state, outside := t.TempDir(), outsideDir(t)
			h := historyOf(func(name string) string { return map[string]string{"XDG_STATE_HOME": state}[name] }, "bash")
			require.NoError(t, os.MkdirAll(filepath.Dir(h.file), 0o700))
			require.NoError(t, put(h.file, outside))
			if name != "hard link" { // which shows only what the user may read
				assert.Empty(t, h.open().Lines)
			}
			h.add("echo a line that the user types")
		})
	}
	t.Run("directory", func(t *testing.T) {
		state, outside := t.TempDir(), outsideDir(t)
		require.NoError(t, os.Mkdir(filepath.Join(state, "ripple"), 0o700))
		require.NoError(t, os.Symlink(outside, filepath.Join(state, "ripple", "history")))
		h := historyOf(func(name string) string { return map[string]string{"XDG_STATE_HOME": state}[name] }, "secret")
		assert.Empty(t, h.open().Lines)
		h.add("x")
	})
	for _, link := range []string{"state", "state/ripple"} { // which may be the user's
		top, elsewhere := t.TempDir(), t.TempDir()
		require.NoError(t, os.MkdirAll(filepath.Join(top, filepath.Dir(link)), 0o700))
		require.NoError(t, os.Symlink(elsewhere, filepath.Join(top, link)))
		h := historyOf(func(name string) string {
			return map[string]string{"XDG_STATE_HOME": filepath.Join(top, "state")}[name]
		}, "bash")
		h.add("one")
		h.add("two")
		assert.Equal(t, []string{"one", "two"}, h.open().Lines, link)
	}
}

// A record of a console that a project brings may have anything in place of its files: nothing waits for them or writes to them.
func TestARecordHasOnlyFiles(t *testing.T) {
	status, err := json.Marshal(Status{Name: "c"})
	require.NoError(t, err)
	command, err := json.Marshal(Command{ID: 1, Bytes: 4, Lines: 2})
	require.NoError(t, err)
	output := segmentName(0)
	// read returns the lines of the last command, twice, by its number and without it, from a record in which put replaces a file.
	read := func(t *testing.T, file string, put func(path, outside string) error) string {
		home, outside := privateDir(t), outsideDir(t)
		dir := filepath.Join(home, "state", "ripple", "consoles", "c")
		require.NoError(t, os.MkdirAll(dir, 0o700))
		for name, text := range map[string]string{statusName: string(status), indexName: string(command) + "\n", output: "1\n2\n"} {
			require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
		}
		require.NoError(t, put(filepath.Join(dir, file), outside))
		getenv := func(name string) string {
			return map[string]string{"XDG_RUNTIME_DIR": home, "XDG_STATE_HOME": filepath.Join(home, "state")}[name]
		}
		_, err := List(t.Context(), getenv)
		require.NoError(t, err)
		c := newClient(Status{Name: "c"}, place.Files{Socket: filepath.Join(home, "c.sock"), Lock: filepath.Join(home, "c.lock"), Record: dir})
		var all []Line
		for _, id := range []int{0, 1} {
			lines, _ := c.Read(ReadRequest{Command: id, From: -2}) // it may refuse
			all = append(all, lines.Lines...)
		}
		return fmt.Sprint(all)
	}
	t.Run("files", func(t *testing.T) {
		assert.Equal(t, "[{1 1 0 0} {2 2 0 0} {1 1 0 0} {2 2 0 0}]", read(t, output, func(string, string) error { return nil }))
	})
	for i, file := range []string{statusName, statusName + ".new", indexName, output} {
		for kind, put := range notFiles {
			t.Run(kind+strconv.Itoa(i), func(t *testing.T) {
				lines := read(t, file, func(path, outside string) error {
					_ = os.Remove(path)
					return put(path, outside)
				})
				if kind != "hard link" {
					assert.NotContains(t, lines, "SECRET")
				}
			})
		}
	}
}
