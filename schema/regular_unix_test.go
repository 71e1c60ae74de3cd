//go:build unix

package schema

import (
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// scripted is an adapter with a script.
const scripted = head + "init: {delivery: pty_inject, script_resource: a.sh}\n"

// Who only looks at a project waits for no terminal and no pipe that it has put there.
func TestNothingButFilesIsRead(t *testing.T) {
	for name, put := range map[string]func(string) error{
		"pipe":           func(path string) error { return syscall.Mkfifo(path, 0o600) },
		"terminal":       func(path string) error { return os.Symlink("/dev/tty", path) },
		"standard input": func(path string) error { return os.Symlink("/dev/stdin", path) },
		"device":         func(path string) error { return os.Symlink("/dev/zero", path) },
	} {
		t.Run(name, func(t *testing.T) {
			if name == "standard input" {
				r, w, err := os.Pipe() // which nobody writes to; go test itself may have a file there
				require.NoError(t, err)
				defer func() { assert.NoError(t, r.Close()); assert.NoError(t, w.Close()) }()
				put = func(path string) error { return os.Symlink("/dev/fd/"+strconv.Itoa(int(r.Fd())), path) }
			}
			dir := t.TempDir()
			require.NoError(t, put(filepath.Join(dir, "a.sh")))
			_, ds := Parse("x.yaml", []byte(scripted), Options{}.ForFile(filepath.Join(dir, "x.yaml")))
			require.NotEmpty(t, ds)
			assert.Contains(t, ds[len(ds)-1].Message+ds[0].Message, "put a regular file there")
			_, ds = Load(filepath.Join(dir, "a.sh"), Options{})
			require.NotEmpty(t, ds)
			assert.Contains(t, ds[0].Message, "put a regular file there")
		})
	}
}

// Another user can put scripts near an adapter file whose directory, or the one above it, everybody may write.
func TestScriptsOfAnotherUserAreNotUsed(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root can give files to another user")
	}
	for _, script := range []string{"shared/mine/a.sh", "shared/mine/integration-scripts/a.sh", "shared/integration-scripts/a.sh"} {
		for _, open := range []string{"shared", "shared/mine"} { // everybody may write there
			top := t.TempDir()
			path := func(name string) string { return filepath.Join(top, name) }
			for _, dir := range []string{path("shared/mine"), filepath.Dir(path(script))} {
				require.NoError(t, os.MkdirAll(dir, 0o755))
			}
			require.NoError(t, os.WriteFile(path("shared/mine/x.yaml"), []byte(scripted), 0o644))
			require.NoError(t, os.WriteFile(path(script), []byte("text"), 0o644))
			load := func() string {
				a, _ := Load(path("shared/mine/x.yaml"), Options{Scripts: []fs.FS{fstest.MapFS{"a.sh": {Data: []byte("built in")}}}})
				require.NotNil(t, a)
				return a.Script
			}
			require.NoError(t, os.Chmod(path(open), 0o777|os.ModeSticky))
			assert.Equal(t, "text", load(), "it is the user's")
			require.NoError(t, os.Lchown(path(script), 65534, 65534))
			made := filepath.Dir(script) // where the other user made something
			if dir, is := strings.CutSuffix(made, "/integration-scripts"); is {
				require.NoError(t, os.Lchown(path(made), 65534, 65534))
				made = dir
			}
			assert.Equal(t, map[bool]string{true: "built in", false: "text"}[made == open], load(), "%s, if everybody may write %s", script, open)
		}
	}
}
