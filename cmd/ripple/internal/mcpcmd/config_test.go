package mcpcmd

import (
	"encoding/json"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/cmd/ripple/internal/ui"
)

// odd is a setup whose values would break a format that does not quote them.
var odd = setup{
	Ripple: `/opt/a "b" \c/ripple`, Env: map[string]string{"XDG_RUNTIME_DIR": "/x 'y'", "XDG_STATE_HOME": `/s"t`},
	Version: "1.2.3", Description: description, Binary: "server/ripple", Platform: "linux",
	Name: "org.example/ripple", URL: "https://example.org/ripple.mcpb", SHA256: strings.Repeat("0", 64),
}

// For any path and environment, the lines are valid JSON, TOML or shell commands.
func TestLinesAreQuoted(t *testing.T) {
	for _, name := range clientNames() {
		text, err := clients.ReadFile("clients/" + name + ".txt")
		require.NoError(t, err)
		where, lines, _ := strings.Cut(string(text), "\n")
		filled, err := odd.fill(lines)
		require.NoError(t, err)
		switch {
		case where == "run:":
			assert.Contains(t, string(filled), ` -e 'XDG_RUNTIME_DIR=/x '\''y'\''' -e 'XDG_STATE_HOME=/s"t' -- '/opt/a "b" \c/ripple' mcp`)
		case strings.Contains(where, ".json"):
			var v any
			require.NoError(t, json.Unmarshal(filled, &v), "%s: %s", name, filled)
			again, err := json.Marshal(v)
			require.NoError(t, err)
			assert.Contains(t, string(again), `"/opt/a \"b\" \\c/ripple"`)
			assert.Contains(t, string(again), `{"XDG_RUNTIME_DIR":"/x 'y'","XDG_STATE_HOME":"/s\"t"}`)
		default:
			assert.Equal(t, "[mcp_servers.ripple]\ncommand = \"/opt/a \\\"b\\\" \\\\c/ripple\"\nargs = [\"mcp\"]\nenv = { XDG_RUNTIME_DIR = \"/x 'y'\", XDG_STATE_HOME = \"/s\\\"t\" }\n", string(filled))
		}
	}
}

func TestFilesOfPackagesAreJSON(t *testing.T) {
	files := 0
	for _, kind := range packageNames() {
		require.NoError(t, each(kind, odd, func(name string, content []byte) error {
			files++
			var v map[string]any
			if path.Ext(name) == ".json" {
				assert.NoError(t, json.Unmarshal(content, &v), "%s: %s", name, content)
				assert.Equal(t, odd.Version, first(v["version"], odd.Version))
			}
			return nil
		}))
	}
	assert.Equal(t, 6, files)
	assert.LessOrEqual(t, len(description), 100, "the limit of the registry")
}

func first(v, otherwise any) any {
	if v == nil {
		return otherwise
	}
	return v
}

func TestVersionOfPackages(t *testing.T) {
	for version, want := range map[string]string{"v1.2.3 go1.26 linux/amd64": "1.2.3", "(devel) go1.26": "0.0.0", "v0.0.0-20261122-abc+dirty go1": "0.0.0", "": "0.0.0"} {
		assert.Equal(t, want, plainVersion(version), version)
	}
}

func TestNothingIsLeftOfAPackageThatFails(t *testing.T) {
	s := odd
	s.Ripple = filepath.Join(t.TempDir(), "missing")
	out := filepath.Join(t.TempDir(), "ripple.mcpb")
	require.Error(t, packaging{out: out}.write(nil, bundleKind, s))
	assert.NoFileExists(t, out)
}

// A link that replaces a directory while a package is written leads no file out of the working directory.
func TestAPackageIsNotWrittenThroughALink(t *testing.T) {
	top := t.TempDir()
	outside, project := filepath.Join(top, "outside"), filepath.Join(top, "project")
	require.NoError(t, os.Mkdir(outside, 0o700))
	require.NoError(t, os.Mkdir(project, 0o700))
	t.Chdir(project)
	if err := os.Symlink(outside, "out"); err != nil {
		t.Skip(err) // Windows: making a link needs a privilege
	}
	s := odd
	s.Ripple = filepath.Join(top, "ripple")
	require.NoError(t, os.WriteFile(s.Ripple, nil, 0o700))
	var refused *ui.OutsideError
	assert.ErrorAs(t, writeBundle("out/ripple.mcpb", bundleKind, s), &refused)
	for _, kind := range packageNames() {
		assert.ErrorAs(t, writeTree("out/package", kind, s), &refused, kind)
	}
	entries, err := os.ReadDir(outside)
	require.NoError(t, err)
	assert.Empty(t, entries)
}
