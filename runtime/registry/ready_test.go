package registry

//go:generate go test . -run TestReadyMade -update

import (
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"ripple/adapters"
	scripts "ripple/integration-scripts"
	"ripple/schema"
)

var update = flag.Bool("update", false, "write the ready-made adapters anew")

// What was made of each adapter is what its YAML says now.
func TestReadyMade(t *testing.T) {
	dir := os.DirFS("../../adapters")
	o := schema.Options{Scripts: []fs.FS{scripts.FS}}
	want, err := Generate(dir, o)
	require.NoError(t, err)
	there, err := fs.Glob(dir, readyDir+"/*")
	require.NoError(t, err)
	if *update {
		for _, name := range there {
			require.NoError(t, os.Remove(filepath.Join("../../adapters", name)))
		}
		require.NoError(t, os.MkdirAll("../../adapters/"+readyDir, 0o755))
		for name, data := range want {
			require.NoError(t, os.WriteFile(filepath.Join("../../adapters", name), data, 0o644))
		}
		return
	}
	assert.Len(t, there, len(want), "go generate ./runtime/registry")
	for name, data := range want {
		got, err := fs.ReadFile(adapters.FS, name)
		require.NoError(t, err, "go generate ./runtime/registry")
		assert.Equal(t, string(data), string(got), "%s: go generate ./runtime/registry", name)
	}
	index := readyMade(adapters.FS)
	names, err := yamlFiles(adapters.FS)
	require.NoError(t, err)
	for _, name := range names {
		data, err := fs.ReadFile(adapters.FS, name)
		require.NoError(t, err)
		a, _ := schema.Parse("embedded/"+name, data, o)
		require.Equal(t, checksum(data), index[name].sum)
		require.Equal(t, a, index[name].load(adapters.FS, "embedded/"+name, o), name)
	}
}

// A YAML that was changed since is parsed; so is one whose ready-made form is
// broken.
func TestReadyMadeOfAnotherFile(t *testing.T) {
	files := embedded(map[string]string{"x.yaml": adapterYAML("x", "first")})
	made, err := Generate(files, schema.Options{})
	require.NoError(t, err)
	for name, data := range made {
		files[name] = &fstest.MapFile{Data: data}
	}
	find := func() *schema.Adapter {
		e, err := open(t, Sources{Embedded: files}).Find("x")
		require.NoError(t, err)
		return e.Adapter
	}
	require.Equal(t, "first", find().Description)
	files["x.yaml"] = &fstest.MapFile{Data: []byte(adapterYAML("y", "second", "x"))}
	require.Equal(t, "second", find().Description)
	require.Equal(t, "y", find().Name, "a name that the index does not know")
	files["x.yaml"] = &fstest.MapFile{Data: []byte(adapterYAML("x", "first"))}
	files["ready/x.json"] = &fstest.MapFile{Data: []byte("{")}
	require.Equal(t, "first", find().Description)
}
