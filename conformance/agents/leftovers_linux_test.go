package agents

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// leftovers returns the command lines of the processes with this home.
func leftovers(t *testing.T, home string) []string {
	t.Helper()
	files, err := filepath.Glob("/proc/[0-9]*/environ")
	require.NoError(t, err)
	var list []string
	for _, file := range files {
		environ, err := os.ReadFile(file)
		if err != nil || !bytes.Contains(environ, []byte("HOME="+home+"\x00")) {
			continue // it has ended, or belongs to another user
		}
		line, _ := os.ReadFile(filepath.Join(filepath.Dir(file), "cmdline")) // the same
		if len(line) > 0 {
			list = append(list, string(bytes.ReplaceAll(line, []byte{0}, []byte{' '})))
		}
	}
	return list
}
