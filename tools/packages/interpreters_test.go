//go:build linux

package main

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// The output of ripple adapter list --json.
const adapters = `[
	{"name": "fish", "family": "shell", "origin": "embedded", "install": {"debian": ["fish"]}},
	{"name": "duckdb", "family": "repl", "origin": "embedded", "install": {"pypi": ["duckdb-cli"], "npm": ["duckdb"]}},
	{"name": "evcxr", "family": "repl", "origin": "embedded", "install": {"crates": ["evcxr_repl"]}},
	{"name": "clojure", "family": "repl", "origin": "embedded",
		"install": {"maven": {"artifacts": ["org.example:clojure:1.2", "org.example:spec:1"], "main": "clojure.main", "command": "clj"}}},
	{"name": "lua", "family": "repl", "origin": "embedded", "install": {"debian": ["lua5.4", "lua-doc"]}},
	{"name": "psql", "family": "repl", "origin": "embedded",
		"install": {"debian": ["psql-client"]}, "server": {"debian": ["psql-server"]}},
	{"name": "nu", "family": "shell", "origin": "embedded", "install": {"npm": ["nushell"]}},
	{"name": "dlv", "family": "debugger", "origin": "embedded", "install": {"go": ["example.org/dlv@latest"]}},
	{"name": "ccl", "family": "repl", "origin": "embedded", "install": {"hint": "version 1.11", "url": "https://ccl.example"}},
	{"name": "fsi", "family": "repl", "origin": "embedded", "install": {"hint": "by hand"}},
	{"name": "codex", "family": "agent", "origin": "embedded", "install": {"npm": ["codex"]}}
]`

// A script that replaces all package managers: it appends what it installs to $DIR/there and its calls to $DIR/calls.
// A package in $UNKNOWN makes the whole call fail.
const standIn = `#!/bin/bash
me=${0##*/}
case "$me $*" in
"go env"*) exec echo "$DIR" ;;
"df "*) exec echo 0 ;;
"sudo "*) exec "$@" ;;
dpkg-query*) exec sed 's/$/ install ok installed/' "$DIR/there" ;;
"npm ls"*) exec sed 's|.*|/usr/lib/node_modules/&:&|; /@/!s/$/@1.0/' "$DIR/there" ;;
"java "*) exec echo "java $*" ;;
"python3 --version") exec echo Python 3.13.0 ;;
"python3 -c "*) exec [ ! -e "$DIR/bare" ] ;;
"python3 -m venv "*) exec install -D "$0" "$3/bin/pip" ;;
"pip show "*) exec printf '%s\n' "Name: ${!#}" Files: "  ../../../bin/${!#}" "  ${!#}/bin/inner" ;;
"pip "*) if [ -n "$KILLED" ]; then kill -9 $PPID; exit; fi; set -- install "${!#}"; install -D "$0" "${0%pip}$2" ;;
"cargo "*) install -D "$0" "$4/bin/${!#}"; set -- install "${!#}" ;;
"mvn "*) set -- "$5" $(grep -o '<dependency>.*' "$4" | sed 's|<[^>]*>| |g') ;;
esac
names=()
for name in "${@:2}"; do [[ $name = -* ]] || names+=("$name"); done
echo "$me $1" "${names[@]}" >>"$DIR/calls"
for name in "${names[@]}"; do
	if [[ " $UNKNOWN " = *" $name "* ]]; then echo "E: no $name" >&2; exit 100; fi
done
[ "$me $1" = "apt-get update" ] || printf '%s\n' "${names[@]}" >>"$DIR/there"
if [ "$me" = go ]; then >"$DIR/dlv"; chmod +x "$DIR/dlv"; fi
`

// interpreters runs tools/interpreters with these scripts in dir.
func interpreters(t *testing.T, dir, unknown string, args ...string) (said string, calls []string, code int) {
	t.Helper()
	return script(t, "../interpreters", dir, unknown, args...)
}

// script does the same for a copy of tools/interpreters.
func script(t *testing.T, path, dir, unknown string, args ...string) (said string, calls []string, code int) {
	t.Helper()
	write(t, filepath.Join(dir, "calls"), "")
	cmd := exec.Command(path, args...)
	cmd.Env = append(os.Environ(), "PATH="+filepath.Join(dir, "bin")+":"+os.Getenv("PATH"),
		"DIR="+dir, "PACKAGES="+filepath.Join(dir, "packages"), "UNKNOWN="+unknown, "ALSO=", "PROGRAMS="+filepath.Join(dir, "programs"), "TEST_PROGRAMS="+filepath.Join(dir, "kept"))
	out, err := cmd.CombinedOutput()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		code = exit.ExitCode()
	} else if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(filepath.Join(dir, "calls"))
	if err != nil {
		t.Fatal(err)
	}
	return string(out), strings.FieldsFunc(string(data), func(r rune) bool { return r == '\n' }), code
}

func machine(t *testing.T) (dir string) {
	dir = t.TempDir()
	var all []adapter
	if err := json.Unmarshal([]byte(adapters), &all); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "packages"), "# adapter\n"+strings.Join(list(all, versions{"npm nushell": "0.9"}), "\n")+"\n")
	write(t, filepath.Join(dir, "there"), "")
	if err := os.Mkdir(filepath.Join(dir, "bin"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"go", "df", "sudo", "dpkg-query", "apt-get", "npm", "python3", "cargo", "mvn", "java"} {
		write(t, filepath.Join(dir, "bin", name), standIn)
	}
	return dir
}

func write(t *testing.T, path, content string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(content), 0o755); err != nil {
		t.Fatal(err)
	}
}

func TestInterpreters(t *testing.T) {
	ccl, fsi := "interpreters: no package has ccl: version 1.11; https://ccl.example\n", "interpreters: no package has fsi: by hand\n"
	for _, row := range []struct {
		name, unknown string
		args          []string
		calls         []string
		said          []string // in this order; the last one is the end of the output
		code          int
	}{
		{
			"one call for all that a manager has", "", nil,
			[]string{
				"apt-get update", "apt-get install fish lua-doc lua5.4 psql-client psql-server", "pip install duckdb-cli", "npm install nushell@0.9", "go install example.org/dlv@latest",
				"cargo install evcxr_repl", "mvn dependency:copy-dependencies org.example clojure 1.2 org.example spec 1",
			},
			[]string{"debian: 5 installed, 0 MB in ", "pypi (in ", "): 1 installed", "npm: 1 installed", "go (in ", "): 1 installed", "crates (in ", "): 1 installed", "maven (in ", "): 1 installed", ccl + fsi + "interpreters: all installed: 10 packages\n"},
			0,
		},
		{
			"unavailable ones are named, the others are installed", "lua-doc duckdb-cli example.org/dlv@latest spec", nil,
			[]string{
				"apt-get update", "apt-get install fish lua-doc lua5.4 psql-client psql-server",
				"apt-get install fish", "apt-get install lua-doc", "apt-get install lua5.4", "apt-get install psql-client", "apt-get install psql-server",
				"pip install duckdb-cli", "npm install nushell@0.9", "go install example.org/dlv@latest",
				"cargo install evcxr_repl", "mvn dependency:copy-dependencies org.example clojure 1.2 org.example spec 1",
			},
			[]string{
				"E: no lua-doc", "debian: 4 installed", "E: no duckdb-cli", "npm: 1 installed", "E: no spec",
				ccl + fsi + "interpreters: could not be installed: lua-doc duckdb-cli example.org/dlv@latest clj\n",
			},
			1,
		},
		{
			"those that are asked for", "",
			[]string{"fish", "fsi"},
			[]string{"apt-get update", "apt-get install fish"},
			[]string{"debian: 1 installed", fsi + "interpreters: all installed: 1 packages\n"},
			0,
		},
		{"of which there may be no package", "", []string{"ccl"}, nil, []string{ccl + "interpreters: all installed: 0 packages\n"}, 0},
	} {
		t.Run(row.name, func(t *testing.T) {
			dir := machine(t)
			said, calls, code := interpreters(t, dir, row.unknown, row.args...)
			if code != row.code || !slices.Equal(calls, row.calls) {
				t.Errorf("exit code %d, want %d; calls\n%q, want\n%q\nit said:\n%s", code, row.code, calls, row.calls, said)
			}
			rest := said
			for _, want := range row.said {
				var found bool
				if _, rest, found = strings.Cut(rest, want); !found {
					t.Errorf("it did not say %q, in this place:\n%s", want, said)
				}
			}
			if rest != "" {
				t.Errorf("it went on after the end:\n%s", said)
			}
			if row.code == 0 {
				if said, calls, code = interpreters(t, dir, "", row.args...); code != 0 || len(calls) > 0 {
					t.Errorf("once more: exit code %d, calls %q, said:\n%s", code, calls, said)
				}
			}
		})
	}
}

// Debian's Python cannot create virtual environments until python3-venv is installed.
func TestAManagerThatIsMissing(t *testing.T) {
	dir := machine(t)
	write(t, filepath.Join(dir, "bare"), "")
	_, calls, code := interpreters(t, dir, "", "duckdb")
	if want := []string{"apt-get update", "apt-get install python3-venv", "pip install duckdb-cli"}; code != 0 || !slices.Equal(calls, want) {
		t.Errorf("exit code %d, calls %q, want %q", code, calls, want)
	}
	if _, calls, _ = interpreters(t, dir, "", "fish"); !slices.Equal(calls, []string{"apt-get update", "apt-get install fish"}) {
		t.Errorf("packages that nobody needs are installed: %q", calls)
	}
}

func TestAListThatCannotBeUpdatedDoesNotEndTheRun(t *testing.T) {
	dir := machine(t)
	apt := strings.Replace(standIn, "names=()", `[ "$1" = update ] && exit 100; names=()`, 1)
	write(t, filepath.Join(dir, "bin", "apt-get"), apt)
	said, calls, code := interpreters(t, dir, "", "fish")
	if code != 0 || !slices.Equal(calls, []string{"apt-get install fish"}) || !strings.Contains(said, "apt-get update failed") {
		t.Errorf("exit code %d, calls %q, said:\n%s", code, calls, said)
	}
}

// Programs that have no standard directory can be started from one directory, which does not have the programs of a
// package's dependencies.
func TestProgramsThatAreInstalledByThemselves(t *testing.T) {
	dir := machine(t)
	if said, _, code := interpreters(t, dir, "", "duckdb", "evcxr", "clojure"); code != 0 {
		t.Fatal(said)
	}
	bin := filepath.Join(dir, "programs", "bin")
	entries, err := os.ReadDir(bin)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
		if _, err := exec.LookPath(filepath.Join(bin, e.Name())); err != nil {
			t.Error(err)
		}
	}
	if !slices.Equal(names, []string{"clj", "duckdb-cli", "evcxr_repl"}) {
		t.Errorf("%s has %q", bin, names)
	}
	folder, err := filepath.EvalSymlinks(filepath.Join(bin, "clj"))
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(filepath.Join(bin, "clj"), "-e", "(+ 1 2)")
	cmd.Env = append(os.Environ(), "PATH="+filepath.Join(dir, "bin")+":"+os.Getenv("PATH"), "JAVA_OPTS=-Xss4m -Da=b")
	out, err := cmd.CombinedOutput()
	if want := "java -Xss4m -Da=b -cp " + filepath.Dir(filepath.Dir(folder)) + "/* clojure.main -e (+ 1 2)\n"; err != nil || string(out) != want {
		t.Errorf("%v, %q, want %q", err, out, want)
	}
}

func TestEveryManagerWhenAsked(t *testing.T) {
	t.Setenv("EVERY", "1")
	_, calls, code := interpreters(t, machine(t), "", "duckdb")
	if want := []string{"pip install duckdb-cli", "npm install duckdb"}; code != 0 || !slices.Equal(calls, want) {
		t.Errorf("exit code %d, calls %q, want %q", code, calls, want)
	}
}

// Another clone links the programs that this one installed. Another version of the package or of Python is installed
// separately.
func TestProgramsAreKeptOutsideOfTheClone(t *testing.T) {
	dir := machine(t)
	run := func(want ...string) {
		t.Helper()
		said, calls, code := interpreters(t, dir, "", "duckdb")
		if code != 0 || !slices.Equal(calls, want) {
			t.Errorf("exit code %d, calls %q, want %q, said:\n%s", code, calls, want, said)
		}
		if _, err := exec.LookPath(filepath.Join(dir, "programs", "bin", "duckdb-cli")); err != nil {
			t.Error(err)
		}
	}
	run("pip install duckdb-cli")
	if err := os.RemoveAll(filepath.Join(dir, "programs")); err != nil {
		t.Fatal(err)
	}
	run()
	write(t, filepath.Join(dir, "bin", "python3"), strings.Replace(standIn, "3.13.0", "3.14.0", 1))
	run("pip install duckdb-cli")
	if err := os.RemoveAll(filepath.Join(dir, "kept")); err != nil {
		t.Fatal(err)
	}
	run("pip install duckdb-cli")
}

// A program is installed again if the function that installs it or the libc changes, but not after other changes of
// the scripts.
func TestOnlyWhatInstallsCounts(t *testing.T) {
	dir := machine(t)
	copied := filepath.Join(dir, "clone", "tools")
	if err := os.MkdirAll(copied, 0o755); err != nil {
		t.Fatal(err)
	}
	texts := map[string]string{}
	for _, name := range []string{"interpreters", "kept.sh"} {
		text, err := os.ReadFile(filepath.Join("..", name))
		if err != nil {
			t.Fatal(err)
		}
		texts[name] = string(text)
		write(t, filepath.Join(copied, name), texts[name])
	}
	change := func(name, old, new string) {
		t.Helper()
		if strings.Count(texts[name], old) != 1 {
			t.Fatalf("%s has %q %d times", name, old, strings.Count(texts[name], old))
		}
		texts[name] = strings.Replace(texts[name], old, new, 1)
		write(t, filepath.Join(copied, name), texts[name])
	}
	run := func(what string, want ...string) {
		t.Helper()
		said, calls, code := script(t, filepath.Join(copied, "interpreters"), dir, "", "duckdb")
		if code != 0 || !slices.Equal(calls, want) {
			t.Errorf("%s: exit code %d, calls %q, want %q, said:\n%s", what, code, calls, want, said)
		}
	}
	libc := func(code string) { write(t, filepath.Join(dir, "bin", "getconf"), "#!/bin/sh\n"+code+"\n") }
	libc("echo glibc 2.36")
	run("at first", "pip install duckdb-cli")
	change("kept.sh", "# linked TARGET", "# A comment.\n# linked TARGET")
	change("interpreters", "all installed: ", "all installed now: ")
	change("interpreters", `cargo install --locked`, `cargo install --locked --quiet`)
	run("another text, another manager")
	change("interpreters", `python3 -m venv "$1" &&`, `python3 -m venv "$1" && true &&`)
	run("what installs from PyPI", "pip install duckdb-cli")
	libc("echo glibc 2.41")
	run("another glibc", "pip install duckdb-cli")
	libc("exit 1")
	write(t, filepath.Join(dir, "bin", "ldd"), "#!/bin/sh\nprintf 'musl libc (x86_64)\\nVersion 1.2.5\\nDynamic Program Loader\\n' >&2\nexit 1\n")
	run("musl", "pip install duckdb-cli")
	libc("echo glibc 2.36")
	run("the first libc again")
}

// An installation removes programs that no clone has linked for a long time, and nothing else.
func TestOldProgramsAreRemoved(t *testing.T) {
	dir := machine(t)
	old := time.Now().AddDate(-1, 0, 0)
	names := map[string]bool{ // whether they are kept
		"pypi-duckdb-0123456789ab.aB3dE6": false, "pypi-duckdb": true, "mine": true, "mine-0123456789ab": true, "x-0123456789xy.aB3dE6": true,
	}
	for name := range names {
		path := filepath.Join(dir, "kept", name)
		if err := os.MkdirAll(path, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, old, old); err != nil {
			t.Fatal(err)
		}
	}
	if said, _, code := interpreters(t, dir, "", "duckdb"); code != 0 {
		t.Fatalf("exit code %d, said:\n%s", code, said)
	}
	for name, stays := range names {
		if _, err := os.Stat(filepath.Join(dir, "kept", name)); (err == nil) != stays {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A directory of an interrupted installation is not used.
func TestAnInterruptedInstallationIsNotUsed(t *testing.T) {
	dir := machine(t)
	t.Setenv("KILLED", "1")
	if said, calls, code := interpreters(t, dir, "", "duckdb"); code == 0 || len(calls) != 0 {
		t.Fatalf("exit code %d, calls %q, said:\n%s", code, calls, said)
	}
	left, err := filepath.Glob(filepath.Join(dir, "kept", "*", "bin", "pip"))
	if err != nil || len(left) != 1 {
		t.Fatalf("%v, left by the interrupted installation: %q", err, left)
	}
	t.Setenv("KILLED", "")
	if said, calls, code := interpreters(t, dir, "", "duckdb"); code != 0 || !slices.Equal(calls, []string{"pip install duckdb-cli"}) {
		t.Errorf("exit code %d, calls %q, said:\n%s", code, calls, said)
	}
}

// If two clones install the same package at the same time, both can use it, and one copy is kept.
func TestTwoClonesInstallAtOnce(t *testing.T) {
	dir := machine(t)
	pip := strings.Replace(standIn, "set -- install", "touch $DIR/at.$PPID; until [ $(ls $DIR/at.* | wc -l) -eq 2 ]; do :; done; set -- install", 1)
	pip = strings.Replace(pip, `>>"$DIR/calls"`, `>>/dev/null`, 1)
	write(t, filepath.Join(dir, "bin", "python3"), pip)
	var clones []*exec.Cmd
	for _, name := range []string{"one", "other"} {
		cmd := exec.Command("../interpreters", "duckdb")
		cmd.Env = append(os.Environ(), "PATH="+filepath.Join(dir, "bin")+":"+os.Getenv("PATH"), "DIR="+dir, "ALSO=",
			"PACKAGES="+filepath.Join(dir, "packages"), "PROGRAMS="+filepath.Join(dir, name), "TEST_PROGRAMS="+filepath.Join(dir, "kept"))
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		clones = append(clones, cmd)
	}
	for _, cmd := range clones {
		if err := cmd.Wait(); err != nil {
			t.Error(err)
		}
	}
	var paths []string
	for _, name := range []string{"one", "other"} {
		path, err := filepath.EvalSymlinks(filepath.Join(dir, name, "bin", "duckdb-cli"))
		if err != nil {
			t.Fatal(err)
		}
		paths = append(paths, path)
	}
	kept, err := os.ReadDir(filepath.Join(dir, "kept"))
	if err != nil || len(kept) != 2 || paths[0] != paths[1] { // a directory and its link
		t.Errorf("%v, kept: %v; the clones use %q", err, kept, paths)
	}
}
