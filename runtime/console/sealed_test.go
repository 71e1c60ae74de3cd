package console

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/runtime/console/place"
	"example.org/ripple/schema"
)

// An adapter that a confined program could change, or that makes this process write to paths chosen
// by the program, is refused.
func TestASandboxTrustsNoAdapterInIt(t *testing.T) {
	dir, outside := t.TempDir(), t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(dir, ".ripple", "adapters"), 0o700))
	inside := filepath.Join(dir, ".ripple", "adapters", "x.yaml")
	require.NoError(t, os.WriteFile(inside, nil, 0o600))
	require.NoError(t, os.Symlink(inside, filepath.Join(outside, "linked.yaml")))
	require.NoError(t, os.Symlink(filepath.Dir(inside), filepath.Join(outside, "dir")))
	for _, tt := range []struct {
		origin, template string
		refused          bool
	}{
		{"embedded", "", false},
		{"user " + filepath.Join(outside, "x.yaml"), "", false},
		{"project " + inside, "", true},
		{"file " + inside, "", true},
		{"user " + inside, "", true},
		{"file " + filepath.Join(outside, "linked.yaml"), "", true},
		{"file " + filepath.Join(outside, "dir", "x.yaml"), "", true},
		{"embedded", "{temp_dir}/x-{guid}", false},
		{"embedded", "/etc/cron.d/{guid}", true},
		{"embedded", "{temp_dir}/../{guid}", true},
		{"embedded", "{temp_dir}/link/{guid}", true},
		{"embedded", "x{temp_dir}/{guid}", true},
		{"embedded", `{temp_dir}/..\{guid}`, true},
	} {
		a := &schema.Adapter{Name: "x", Input: schema.Input{Tempfile: &schema.InputTempfile{PathTemplate: tt.template}}}
		spec := Spec{Sandbox: dir, Origin: tt.origin}
		if err := fitsSandbox(spec, a); tt.refused {
			assert.Error(t, err, "%s %s", tt.origin, tt.template)
		} else {
			assert.NoError(t, err, "%s %s", tt.origin, tt.template)
		}
		spec.Sandbox = ""
		assert.NoError(t, fitsSandbox(spec, a))
	}
}

// A host accepts a project's adapter only sealed.
func TestAHostAcceptsOnlySealedAdapters(t *testing.T) {
	t.Chdir(t.TempDir())
	require.NoError(t, os.MkdirAll(".ripple/adapters", 0o700))
	require.NoError(t, os.WriteFile(".ripple/adapters/bash.yaml", []byte("schema: 1\nname: bash\nversion: 9.9.9\ndescription: x\nfamily: shell\nprocess: {}\ninit: {strategy: regex}\nprompt: {strategy: regex, primary: '^> $'}\n"), 0o600))
	project, err := os.Getwd()
	require.NoError(t, err)
	order := place.Order{Spec: Spec{Adapter: "bash"}, From: project}
	getenv := func(string) string { return "" }
	t.Chdir("/") // like a host
	a, err := adapterOf(&order, getenv)
	require.NoError(t, err)
	assert.NotEqual(t, "9.9.9", a.Version)
	assert.Equal(t, "embedded", order.Origin)

	sealed, text, diagnostics := schema.LoadText(project+"/.ripple/adapters/bash.yaml", schema.Options{})
	require.Empty(t, diagnostics)
	sealed.Script = "the script as it was read"
	order.Sealed, err = sealed.Encode(text)
	require.NoError(t, err)
	require.NoError(t, os.Remove(project+"/.ripple/adapters/bash.yaml"))
	a, err = adapterOf(&order, getenv)
	require.NoError(t, err)
	assert.Equal(t, "9.9.9", a.Version)
	assert.Equal(t, sealed.Script, a.Script)
}
