package registry

//go:generate go test . -run TestReadyMade -update

import (
	"flag"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.com/ripple/adapters"
	scripts "example.com/ripple/integration-scripts"
	"example.com/ripple/schema"
)

var update = flag.Bool("update", false, "rewrite the precompiled adapters")

// The precompiled form of each adapter equals its YAML.
func TestReadyMade(t *testing.T) {
	dir := os.DirFS("../../adapters")
	o := schema.Options{Scripts: []fs.FS{scripts.FS}}
	want, err := Generate(dir, o)
	require.NoError(t, err)
	there, err := fs.Glob(dir, readyDir+"/*")
	require.NoError(t, err)
	if *update {
		kept := map[string][]byte{} // another version of Go compresses to other bytes
		for _, name := range there {
			kept[name], err = fs.ReadFile(dir, name)
			require.NoError(t, err)
			require.NoError(t, os.Remove(filepath.Join("../../adapters", name)))
		}
		require.NoError(t, os.MkdirAll("../../adapters/"+readyDir, 0o755))
		for name, data := range want {
			if old, err := unpacked(kept, name); err == nil {
				now, err := unpacked(want, name)
				require.NoError(t, err)
				if assert.ObjectsAreEqual(old, now) {
					data = kept[name]
				}
			}
			require.NoError(t, os.WriteFile(filepath.Join("../../adapters", name), data, 0o644))
		}
		return
	}
	assert.Len(t, there, len(want), "go generate ./runtime/registry")
	got := map[string][]byte{}
	for name := range want {
		got[name], err = fs.ReadFile(adapters.FS, name)
		require.NoError(t, err, "go generate ./runtime/registry")
	}
	for name := range want {
		says, err := unpacked(want, name)
		require.NoError(t, err)
		said, err := unpacked(got, name)
		require.NoError(t, err, "%s: go generate ./runtime/registry", name)
		assert.Equal(t, string(says), string(said), "%s: go generate ./runtime/registry", name)
	}
	index := readyMade(adapters.FS)
	names, err := yamlFiles(adapters.FS)
	require.NoError(t, err)
	for _, name := range names {
		data, err := fs.ReadFile(adapters.FS, name)
		require.NoError(t, err)
		a, _ := schema.Parse("embedded/"+name, data, o)
		require.Contains(t, index, name)
		require.Equal(t, a, index[name].load(adapters.FS, "embedded/"+name, o), name)
	}
}

// unpacked returns one precompiled file without its compression.
func unpacked(files map[string][]byte, name string) ([]byte, error) {
	data, there := files[name]
	if !there {
		return nil, fs.ErrNotExist
	}
	if path.Ext(name) == ".deflate" {
		var dictionary []byte
		if adapter, is := strings.CutSuffix(path.Base(name), ".yaml.deflate"); is {
			var err error
			if dictionary, err = inflate(files[readyFile(adapter+".yaml")], nil); err != nil {
				return nil, err
			}
		}
		var err error
		if data, err = inflate(data, dictionary); err != nil {
			return nil, err
		}
	}
	return data, nil
}

// Recordings are the same in the binary as in the repository, by the same names.
func TestTestdata(t *testing.T) {
	dir := os.DirFS("../../adapters")
	seen := 0
	require.NoError(t, fs.WalkDir(dir, "testdata", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		seen++
		want, err := fs.ReadFile(dir, name)
		require.NoError(t, err)
		got, err := adapters.FS.ReadFile(name)
		require.NoError(t, err, "go generate ./runtime/registry")
		assert.Equal(t, string(want), string(got), name)
		return nil
	}))
	require.NotZero(t, seen)
	for _, name := range []string{"testdata/claude/none", "testdata/none/plain.ndjson", "testdata/claude/../x"} {
		_, err := adapters.FS.ReadFile(name)
		require.ErrorContains(t, err, path.Base(name))
		require.Error(t, err, name)
	}
}

// The precompiled form is used; the YAML is parsed if that form is damaged.
func TestABrokenReadyMadeForm(t *testing.T) {
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
	files["x.yaml"] = &fstest.MapFile{Data: []byte(adapterYAML("x", "second"))}
	require.Equal(t, "first", find().Description)
	files["ready/x.json.deflate"] = &fstest.MapFile{Data: []byte("{")}
	require.Equal(t, "second", find().Description)
}
