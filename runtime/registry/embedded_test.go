package registry

import (
	"errors"
	"io/fs"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/adapters"
	scripts "example.org/ripple/integration-scripts"
	"example.org/ripple/schema"
)

// The adapters that come with ripple are valid, and the registry, which does not validate
// them, loads them as if it had.
func TestTheEmbeddedAdaptersAreValid(t *testing.T) {
	o := schema.Options{Scripts: []fs.FS{scripts.FS}}
	l, err := openEmbedded(adapters.FS, o)
	require.NoError(t, err)
	require.NotEmpty(t, l.files)
	for _, f := range l.files {
		data, err := fs.ReadFile(adapters.FS, f.path[len(OriginEmbedded)+1:])
		require.NoError(t, err)
		want, diagnostics := schema.Parse(f.path, data, o)
		for _, d := range diagnostics {
			t.Error(d.Format())
		}
		e, err := f.result()
		require.NoError(t, err)
		assert.Equal(t, want, e.Adapter)
	}
}

// A look at the first lines of an adapter that comes with ripple finds all of its names, so
// that no other file is parsed to find one.
func TestTheEmbeddedAdaptersNameThemselvesAtTheTop(t *testing.T) {
	l, err := openEmbedded(adapters.FS, schema.Options{Scripts: []fs.FS{scripts.FS}})
	require.NoError(t, err)
	for _, f := range l.files {
		assert.True(t, f.header().plain, f.path)
		assert.Equal(t, f.name(), f.header().name, f.path)
		assert.Equal(t, f.name(), f.base(), "the file has the adapter's name")
		assert.Equal(t, append([]string{f.name()}, f.aliases()...), f.names(), f.path)
		for _, alias := range f.aliases() {
			assert.Contains(t, f.header().text, alias, "%s: alias beyond the first %d bytes", f.path, maxEmbeddedHead)
		}
	}
}

// A name that no adapter has is answered at once: no embedded file is parsed for it.
func TestAnUnknownNameParsesNothing(t *testing.T) {
	r := open(t, Sources{Embedded: adapters.FS, Scripts: []fs.FS{scripts.FS}})
	_, err := r.Find("gnu-bsh")
	notFound, is := errors.AsType[*NotFoundError](err)
	require.True(t, is, "%v", err)
	assert.Contains(t, notFound.Suggestions, "gnu-bash")
	assert.Contains(t, notFound.Known, "bash")
	r.each(func(_ *layer, f *file) { assert.Nil(t, f.entry.Adapter, f.path) })
}

func TestABrokenEmbeddedAdapter(t *testing.T) {
	r := open(t, Sources{Embedded: embedded(map[string]string{
		"bash.yaml": adapterYAML("bash", "x") + "\naliases: {",
		"fish.yaml": "name: fish\ninit: {script_resource: missing.fish}\n",
	})})
	for name, message := range map[string]string{"bash": "embedded/bash.yaml:", "fish": "missing.fish not found"} {
		_, err := r.Find(name)
		var broken *BrokenError
		require.ErrorAs(t, err, &broken, name)
		assert.ErrorContains(t, err, message)
	}
}
