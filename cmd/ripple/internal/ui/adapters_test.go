package ui

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/runtime/registry"
	_ "example.org/ripple/schema/validate" // of files
)

const miniAdapter = `schema: 1
name: mini
version: 1.0.0
description: a shell with a fixed prompt
family: shell
process: {command_template: '"{shell_path}" -i', executable: sh, env: {PS1: 'mini> '}}
init: {strategy: regex}
prompt: {strategy: regex, primary: '^mini> $'}
output: {input_echo_strategy: deterministic_byte_match}
`

// An adapter of a project that is read again needs approval even if another directory has taken the
// place of the project's.
func TestReloadInAReplacedDirectory(t *testing.T) {
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	t.Setenv(TrustVariable, "")
	base, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	dir := filepath.Join(base, "project")
	path := filepath.Join(dir, ".ripple", "adapters", "mini.yaml")
	put := func() {
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
		require.NoError(t, os.WriteFile(path, []byte(miniAdapter), 0o600))
	}
	put()
	t.Chdir(dir)
	a := NewApp(nil, io.Discard, io.Discard, func(error) {})
	reload := a.Reloader("mini", path)
	_, err = reload()
	require.ErrorAs(t, err, new(*registry.UntrustedError))
	byPath := a.Reloader(path, path)
	for _, replace := range []func() error{
		func() error { return os.Rename(dir, dir+".old") },
		func() error { return os.RemoveAll(dir) }, // and the working directory is gone, too
	} {
		require.NoError(t, replace())
		put()
		e, err := reload()
		assert.Nil(t, e)
		require.Error(t, err)
		e, err = byPath()
		require.NoError(t, err)
		assert.Equal(t, path, e.Path, "the user named the file")
	}
}

// Commands that only inspect an adapter also say that the project has another one with its name.
func TestLookReportsTheProjectsOwn(t *testing.T) {
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	t.Setenv(TrustVariable, "")
	dir := t.TempDir()
	path := filepath.Join(dir, ".ripple", "adapters", "bash.yaml")
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
	t.Chdir(dir)
	for text, why := range map[string]string{
		strings.Replace(miniAdapter, "name: mini", "name: bash", 1): "it has not been approved (to see it: ripple trust --show)",
		"name: bash\nx: [": "it does not load (to see why: ripple adapter lint .ripple/adapters/bash.yaml)",
	} {
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		var notes strings.Builder
		e, err := NewApp(nil, io.Discard, &notes, func(error) {}).Look("bash")
		require.NoError(t, err)
		assert.Equal(t, registry.OriginEmbedded, e.Origin)
		assert.Equal(t, "ripple: this project's own bash, .ripple/adapters/bash.yaml, is not used: "+why+"\n", notes.String())
	}
}

// Beside a file without its extension, or one of each extension, a single one is named.
func TestHintOfAnAdaptersFile(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, name := range []string{"good.yaml", "good.yml"} {
		require.NoError(t, os.WriteFile(name, nil, 0o600))
	}
	e, _ := errors.AsType[*ExitError](AdapterError(&registry.NotFoundError{Name: "good"}))
	assert.Equal(t, "to use the file, give its path: ./good.yaml; to list the adapters: ripple adapter list", e.Hint)
}
