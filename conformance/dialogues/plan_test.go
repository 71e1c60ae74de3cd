package dialogues

import (
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.com/ripple/adapters"
	scripts "example.com/ripple/integration-scripts"
	"example.com/ripple/runtime/launch"
	"example.com/ripple/runtime/registry"
	"example.com/ripple/schema"
	_ "example.com/ripple/schema/validate"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// unverified returns the adapters that this package tests.
func unverified(t *testing.T) []*schema.Adapter {
	t.Helper()
	r, err := registry.Open(registry.Sources{Embedded: adapters.FS, Scripts: []fs.FS{scripts.FS}})
	require.NoError(t, err)
	var list []*schema.Adapter
	for _, e := range r.List() {
		if !e.Adapter.Verified && e.Adapter.Family != schema.FamilyAgent {
			list = append(list, e.Adapter)
		}
	}
	return list
}

// Exactly the unverified adapters have a dialogue.
func TestEachUnverifiedAdapterHasADialogue(t *testing.T) {
	var want []string
	for _, a := range unverified(t) {
		want = append(want, filepath.Join("testdata", a.Name+".yaml"))
	}
	got, err := filepath.Glob("testdata/*.yaml")
	require.NoError(t, err)
	assert.ElementsMatch(t, want, got)
}

func TestDialoguesPassLint(t *testing.T) {
	for _, a := range unverified(t) {
		file := path.Base(a.Source)
		data, err := fs.ReadFile(adapters.FS, file)
		require.NoError(t, err)
		assert.Empty(t, schema.Lint(file, data, schema.Options{Scripts: []fs.FS{scripts.FS}}))
	}
}

const (
	planNonce   = "0123456789abcdef0123456789abcdef"
	planScratch = "/tmp/ripple-1"
)

// host has the given files in its PATH or at their absolute paths.
func host(executables ...string) launch.Host {
	env := map[string]string{"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": "/home/u", "LANG": "C.UTF-8"}
	return launch.Host{
		Getenv: func(k string) string { return env[k] },
		Environ: func() (list []string) {
			for k, v := range env {
				list = append(list, k+"="+v)
			}
			return list
		},
		Getwd:        func() (string, error) { return "/home/u/project", nil },
		IsExecutable: func(p string) bool { return slices.Contains(executables, p) },
		IsDir:        func(p string) bool { return p == "/home/u/project" },
		GUID:         func() string { return "GUID" },
		GOOS:         "linux", PID: 42, Self: "/usr/bin/ripple", TempDir: "/tmp",
	}
}

// The golden files contain the command lines and environments, with the arguments and variables of
// the programs' documentation.
func TestPlans(t *testing.T) {
	for _, a := range unverified(t) {
		t.Run(a.Name, func(t *testing.T) {
			plan, err := launch.Build(a, host("/usr/bin/"+a.Process.Executable), launch.Request{Nonce: planNonce, ScratchDir: planScratch})
			require.NoError(t, err)
			golden(t, filepath.Join("testdata", "plans", a.Name+".txt"), render(plan)+located(t, a))
			complete(t, plan)
			if a.Script == "" {
				assert.Empty(t, plan.Files)
				return
			}
			require.Len(t, plan.Files, 1)
			assert.Contains(t, a.Script, "{nonce}")
			assert.Equal(t, strings.ReplaceAll(a.Script, "{nonce}", planNonce), string(plan.Files[0].Body))
		})
	}
}

func render(p launch.Plan) string {
	var b strings.Builder
	section := func(name string, lines ...string) {
		fmt.Fprintf(&b, "%s\n", name)
		for _, line := range lines {
			fmt.Fprintf(&b, "  %s\n", line)
		}
	}
	section("argv", p.Argv...)
	section("env", p.Env...)
	section("dir", p.Dir)
	section("tty", fmt.Sprintf("%+v", p.TTY))
	section("typed", fmt.Sprintf("%q", p.Inject))
	section("files")
	for _, f := range p.Files {
		fmt.Fprintf(&b, "  %s\n", f.Path)
		for line := range strings.Lines(string(f.Body)) {
			if strings.Contains(line, planNonce) {
				fmt.Fprintf(&b, "    %s", line)
			}
		}
	}
	return b.String()
}

// located returns the path of the program if it is only searched at one place.
func located(t *testing.T, a *schema.Adapter) string {
	var b strings.Builder
	b.WriteString("found as\n")
	names := append([]string{a.Process.Executable}, a.Process.ExecutableCandidates...)
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		if strings.Contains(name, "%") {
			continue // for another system
		}
		file := name
		if !path.IsAbs(name) {
			file = "/bin/" + name
		}
		found, err := launch.Locate(a, host(file), "")
		require.NoError(t, err)
		fmt.Fprintf(&b, "  %s: %s\n", name, found)
	}
	return b.String()
}

// complete checks that all placeholders are filled in.
func complete(t *testing.T, p launch.Plan) {
	t.Helper()
	texts := slices.Concat(p.Argv, p.Env, []string{p.Inject})
	for _, f := range p.Files {
		texts = append(texts, f.Path, string(f.Body))
	}
	for _, text := range texts {
		for name := range p.Values {
			assert.NotContains(t, text, "{"+name+"}")
		}
	}
}

func golden(t *testing.T, file, got string) {
	t.Helper()
	if *update {
		require.NoError(t, os.WriteFile(file, []byte(got), 0o600))
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.Equal(t, string(want), got)
}
