package projectfile

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestLibraries(t *testing.T) {
	base, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	for _, dir := range []string{"project/.ralph", "project/lib", "own/lib"} {
		require.NoError(t, os.MkdirAll(filepath.Join(base, dir), 0o755))
	}
	require.NoError(t, os.Symlink(base+"/project/lib", base+"/in"))
	require.NoError(t, os.Symlink(base+"/own/lib", base+"/project/out"))
	all := base + "/project/lib:" + base + "/own/lib:" + base + "/project/none;" + base + "/in:" + base + "/project/out::lib"
	assert.Equal(t, []string{"A=" + all, "LD_LIBRARY_PATH=" + base + "/own/lib", "LD_PRELOAD=libx.so:/x/y.so", "DYLD_LIBRARY_PATH=", "LD_DEBUG"},
		Libraries([]string{"A=" + all, "LD_LIBRARY_PATH=" + all, "LD_PRELOAD=libx.so /x/y.so ./z.so " + base + "/project/lib/x.so", "DYLD_LIBRARY_PATH=lib", "LD_DEBUG"}))
}
