package testkit

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TooLongPath makes a directory whose path from the root is too long for the system, and a link to it, with which programs can use
// it. It returns the path of the link, docs in the directory base.
func TooLongPath(t testing.TB, base string) string {
	t.Helper()
	const part, depth = 200, 20
	dir, last := strings.Repeat("d", part), strings.Repeat("e", part/4)
	at, above := filepath.Join(base, "x"), filepath.Join(base, "y")
	require.NoError(t, os.MkdirAll(filepath.Join(at, last), 0o700))
	for range depth - 1 { // from the innermost outward, because no path may be that long
		require.NoError(t, os.Mkdir(above, 0o700))
		require.NoError(t, os.Rename(at, filepath.Join(above, dir)))
		require.NoError(t, os.Rename(above, at))
	}
	require.NoError(t, os.Rename(at, filepath.Join(base, dir)))
	link := filepath.Join(base, "docs")
	require.NoError(t, os.Symlink(strings.Repeat(dir+"/", depth)+last, link))
	return link
}
