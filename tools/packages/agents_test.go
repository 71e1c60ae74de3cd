//go:build linux

package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// A script that replaces npm: it installs packages with one program, which prints its version. The package "broken" is not
// available, and the program of "launcher" does not run.
const npmStandIn = `#!/bin/bash
prefix=$3 package=${!#}
name=${package%@*}
[ "$name" != broken ] || { echo "npm error 404 broken" >&2; exit 1; }
mkdir -p "$prefix/node_modules/$name" "$prefix/node_modules/.bin"
echo '{"name": "'$name'", "version": "1.0.0", "bin": {"'$name'": "x"}}' >"$prefix/node_modules/$name/package.json"
code=0
[ "$name" != launcher ] || code=1
printf '#!/bin/sh\nexit %s\n' $code >"$prefix/node_modules/.bin/$name"
chmod +x "$prefix/node_modules/.bin/$name"
`

// A package that cannot be installed, or whose program does not run, is named at the end, and the other ones are installed.
func TestAgentsInSpiteOfABrokenPackage(t *testing.T) {
	if _, err := exec.LookPath("node"); err != nil {
		t.Skip(err)
	}
	dir := t.TempDir()
	for _, d := range []string{"tools", "bin"} {
		if err := os.Mkdir(filepath.Join(dir, d), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"agents", "kept.sh"} {
		text, err := os.ReadFile("../" + name)
		if err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(dir, "tools", name), string(text))
	}
	write(t, filepath.Join(dir, "bin/npm"), npmStandIn)
	write(t, filepath.Join(dir, "tools/versions"), "agent npm node 1.0.0\n")
	write(t, filepath.Join(dir, "tools/packages.list"), "one agent 1 npm first@1.0.0\nbad agent 1 npm broken@1.0.0\nlost agent 1 npm launcher@1.0.0\ntwo agent 1 npm last@1.0.0\n")
	cmd := exec.Command(filepath.Join(dir, "tools/agents"))
	cmd.Env = append(os.Environ(), "PATH="+filepath.Join(dir, "bin")+":"+os.Getenv("PATH"), "TEST_PROGRAMS="+filepath.Join(dir, "kept"))
	out, err := cmd.CombinedOutput()
	if exit, is := errors.AsType[*exec.ExitError](err); !is || exit.ExitCode() != 1 {
		t.Errorf("expected exit code 1, not %v", err)
	}
	for _, want := range []string{"agents: launcher@1.0.0: its program does not run\n", "agents: npm could not install broken@1.0.0 launcher@1.0.0\n"} {
		if !strings.Contains(string(out), want) {
			t.Errorf("%q is missing in:\n%s", want, out)
		}
	}
	for name, there := range map[string]bool{"first": true, "last": true, "broken": false, "launcher": false} {
		_, err := os.Stat(filepath.Join(dir, ".agents/node_modules/.bin", name))
		if (err == nil) != there {
			t.Errorf("%s installed: %v, want %v", name, err == nil, there)
		}
	}
}
