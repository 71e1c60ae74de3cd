//go:build unix

package schema

import (
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Who only looks at a project waits for no terminal and no pipe that it has put there.
func TestNothingButFilesIsRead(t *testing.T) {
	const head = "schema: 1\nname: x\nversion: 0.1.0\ndescription: x\nfamily: shell\ninit: {delivery: pty_inject, script_resource: a.sh}\n"
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
			_, ds := Parse("x.yaml", []byte(head), Options{}.ForFile(filepath.Join(dir, "x.yaml")))
			require.NotEmpty(t, ds)
			assert.Contains(t, ds[len(ds)-1].Message+ds[0].Message, "put a regular file there")
		})
	}
}
