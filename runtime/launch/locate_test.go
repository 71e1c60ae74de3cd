package launch

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/schema"
)

func TestLocate(t *testing.T) {
	env := map[string]string{"PATH": "relative:/usr/bin::/bin:/home/u/project/bin", "IN_PROJECT": "/home/u/project/home", "JAVA_HOME": "/opt/jdk", "HOME": "/home/u"}
	cases := []struct {
		name     string
		process  schema.Process
		explicit string
		have     []string
		want     string
		tried    []string
	}{
		{name: "the adapter's name", have: []string{"/bin/jdb"}, want: "/bin/jdb"},
		{name: "the first directory in PATH wins", have: []string{"/bin/jdb", "/usr/bin/jdb"}, want: "/usr/bin/jdb"},
		{name: "executable over name", process: schema.Process{Executable: "java"}, have: []string{"/bin/java", "/bin/jdb"}, want: "/bin/java"},
		{name: "candidates over executable", process: schema.Process{Executable: "java", ExecutableCandidates: []string{"jdk"}}, have: []string{"/bin/java", "/bin/jdk"}, want: "/bin/jdk"},
		{name: "left to right", process: schema.Process{ExecutableCandidates: []string{"no", "b", "a"}}, have: []string{"/bin/a", "/bin/b"}, want: "/bin/b"},
		{name: "unresolved candidates fall back to executable", process: schema.Process{Executable: "java", ExecutableCandidates: []string{"no"}}, have: []string{"/bin/java"}, want: "/bin/java"},
		{name: "without an executable, to the name", process: schema.Process{ExecutableCandidates: []string{"no"}}, have: []string{"/bin/jdb"}, want: "/bin/jdb"},
		{name: "an executable that is missing is not replaced by the name", process: schema.Process{Executable: "/opt/jdk/jdb"}, have: []string{"/bin/jdb"}, tried: []string{"/opt/jdk/jdb (no such executable)"}},
		{name: "$VAR", process: schema.Process{ExecutableCandidates: []string{"$JAVA_HOME/bin/jdb"}}, have: []string{"/opt/jdk/bin/jdb"}, want: "/opt/jdk/bin/jdb"},
		{name: "${VAR}", process: schema.Process{ExecutableCandidates: []string{"${JAVA_HOME}/bin/jdb"}}, have: []string{"/opt/jdk/bin/jdb"}, want: "/opt/jdk/bin/jdb"},
		{name: "%VAR%", process: schema.Process{ExecutableCandidates: []string{"%JAVA_HOME%/bin/jdb"}}, have: []string{"/opt/jdk/bin/jdb"}, want: "/opt/jdk/bin/jdb"},
		{name: "executable is expanded too", process: schema.Process{Executable: "$HOME/x"}, have: []string{"/home/u/x"}, want: "/home/u/x"},
		{
			name: "an unset variable does not become the root", process: schema.Process{ExecutableCandidates: []string{"$UNSET/bin/x"}}, have: []string{"/bin/x"},
			tried: []string{"$UNSET/bin/x (UNSET is not set)", "jdb (not in PATH)"},
		},
		{
			name: "nor a directory of that name", process: schema.Process{ExecutableCandidates: []string{"$UNSET/bin/x", "${UNSET}/x", "%UNSET%/x"}},
			have:  []string{"/home/u/project/$UNSET/bin/x", "/home/u/project/${UNSET}/x", "/home/u/project/%UNSET%/x"},
			tried: []string{"$UNSET/bin/x (UNSET is not set)", "${UNSET}/x (UNSET is not set)", "%UNSET%/x (UNSET is not set)", "jdb (not in PATH)"},
		},
		{name: "an absolute path may have a dollar sign", explicit: "/opt/$UNSET/x", have: []string{"/opt/$UNSET/x"}, want: "/opt/$UNSET/x"},
		{
			name: "Windows paths do not resolve here", process: schema.Process{ExecutableCandidates: []string{`%JAVA_HOME%\bin\jdb.exe`, `C:\Program Files\jdb.exe`}},
			tried: []string{`%JAVA_HOME%\bin\jdb.exe = /opt/jdk\bin\jdb.exe (no such executable)`, `C:\Program Files\jdb.exe (not in PATH)`, "jdb (not in PATH)"},
		},
		{
			name: "a variable does not lead into the project", process: schema.Process{ExecutableCandidates: []string{"$IN_PROJECT/x"}}, have: []string{"/home/u/project/home/x", "/bin/jdb"},
			want: "/bin/jdb",
		},
		{
			name: "nor for a program that is only there", process: schema.Process{ExecutableCandidates: []string{"$IN_PROJECT/x"}}, have: []string{"/home/u/project/home/x"},
			tried: []string{"$IN_PROJECT/x = /home/u/project/home/x (a program of this project: to use it, add its directory to PATH)", "jdb (not in PATH)"},
		},
		{name: "but PATH may", have: []string{"/home/u/project/bin/jdb"}, want: "/home/u/project/bin/jdb"},
		{name: "and so may explicit", explicit: "$IN_PROJECT/x", have: []string{"/home/u/project/home/x"}, want: "/home/u/project/home/x"},
		{name: "a path with a separator counts from the current directory", explicit: "./bin/x", have: []string{"/home/u/project/bin/x"}, want: "/home/u/project/bin/x"},
		{name: "relative entries of PATH are skipped", have: []string{"relative/jdb", "/home/u/project/relative/jdb", "jdb"}, tried: []string{"jdb (not in PATH)"}},
		{name: "a candidate that is named again is tried once", process: schema.Process{ExecutableCandidates: []string{"jdb", "/opt/jdb"}, Executable: "jdb"}, tried: []string{"jdb (not in PATH)", "/opt/jdb (no such executable)"}},
		{name: "explicit wins", explicit: "/opt/x", process: schema.Process{Executable: "java"}, have: []string{"/opt/x", "/bin/java"}, want: "/opt/x"},
		{
			name: "a relative path is reported with its directory", process: schema.Process{ExecutableCandidates: []string{"./x", "../y/x"}},
			tried: []string{"./x = /home/u/project/x (no such executable)", "../y/x = /home/u/y/x (no such executable)", "jdb (not in PATH)"},
		},
		{
			name: "no home directory, no arguments", process: schema.Process{ExecutableCandidates: []string{"~/bin/x", "sh -i", "no -i"}}, have: []string{"/bin/sh", "/home/u/bin/x"},
			tried: []string{
				"~/bin/x (~ is not expanded: write $HOME)", "sh -i (not in PATH; sh is: its arguments belong in process.args)", "no -i (not in PATH)", "jdb (not in PATH)",
			},
		},
		{name: "explicit has no fallback", explicit: "/opt/x", have: []string{"/bin/jdb"}, tried: []string{"/opt/x (no such executable)"}},
		{name: "a literal program", process: schema.Process{CommandTemplate: "node inspect {temp_dir}"}, have: []string{"/bin/node", "/bin/jdb"}, want: "/bin/node"},
		{name: "a literal program is the only one", process: schema.Process{CommandTemplate: "node"}, have: []string{"/bin/jdb"}, tried: []string{"node (not in PATH)"}},
		{name: "explicit over a literal program", process: schema.Process{CommandTemplate: "node"}, explicit: "/opt/n", have: []string{"/opt/n"}, want: "/opt/n"},
		{name: "a name that is a directory", explicit: "..", tried: []string{".. (not in PATH)"}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if c.process.CommandTemplate == "" {
				c.process.CommandTemplate = "{shell_path}"
			}
			got, err := Locate(&schema.Adapter{Name: "jdb", Process: c.process}, host(env, c.have...), c.explicit)
			assert.Equal(t, c.want, got)
			if c.tried == nil {
				require.NoError(t, err)
				return
			}
			var missing *MissingError
			require.ErrorAs(t, err, &missing)
			assert.Equal(t, c.tried, missing.Tried)
		})
	}
}

func TestWindowsNamesTakeAnExtension(t *testing.T) {
	env := map[string]string{"PATH": "/c/bin;/c/jdk", "PATHEXT": ".COM;.EXE"}
	h := host(env, "/c/jdk/jdb.EXE")
	h.GOOS = "windows"
	path, err := Locate(shell(func(a *schema.Adapter) { a.Name = "jdb" }), h, "")
	require.NoError(t, err)
	assert.Equal(t, "/c/jdk/jdb.EXE", path)
}

func TestAProgramThatStartsTheShellMayBeMissing(t *testing.T) {
	a := shell(func(a *schema.Adapter) { a.Process.CommandTemplate = "stdbuf -o0 {shell_path}" })
	_, err := Build(a, host(onPath, "/bin/sh"), request(nil))
	var missing *MissingError
	require.ErrorAs(t, err, &missing)
	assert.Equal(t, []string{"stdbuf (not in PATH)"}, missing.Tried)
}

func TestMissingErrorGivesAdvice(t *testing.T) {
	cases := map[string]struct {
		install *schema.Install
		want    string
	}{
		"nothing known": {nil, "x: its program is not installed; tried a (not in PATH), b (not in PATH)\n  install it, put it in PATH, or name its path"},
		"everything": {
			&schema.Install{
				Debian: []string{"x", "x-doc"}, PyPI: []string{"x[all]", "pyx"}, NPM: []string{"xjs"}, Go: []string{"ex.org/x", "ex.org/y@v1"}, Crates: []string{"x"},
				Maven: &schema.Maven{Artifacts: []string{"org.ex:x:1", "org.ex:y:2"}, Main: "org.ex.X", Command: "xj"}, Hint: "needs a licence", URL: "https://ex.org",
			},
			"x: its program is not installed; tried a (not in PATH), b (not in PATH)\n" +
				"  on Debian or Ubuntu: apt-get install x x-doc\n  with Python: pipx install x[all]\n  with Python: pipx install pyx\n" +
				"  with npm: npm install -g xjs\n  with Go: go install ex.org/x@latest\n  with Go: go install ex.org/y@v1\n  with Cargo: cargo install x\n" +
				"  with Coursier: cs bootstrap org.ex:x:1 org.ex:y:2 -M org.ex.X -o xj\n  needs a licence\n  see https://ex.org",
		},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			a := &schema.Adapter{Name: "x", Process: schema.Process{Install: c.install}}
			assert.EqualError(t, missing(a, []string{"a (not in PATH)", "b (not in PATH)"}), c.want)
		})
	}
}

func TestInstallLineIsTheFirstWay(t *testing.T) {
	maven := &schema.Maven{Artifacts: []string{"org.ex:x:1"}, Main: "org.ex.X", Command: "x"}
	for want, install := range map[string]*schema.Install{
		"":                                 nil,
		"apt-get install x y":              {Debian: []string{"x", "y"}, PyPI: []string{"x"}},
		"pipx install x && pipx install y": {PyPI: []string{"x", "y"}, NPM: []string{"x"}},
		"npm install -g x y":               {NPM: []string{"x", "y"}, Go: []string{"ex.org/x"}},
		"go install ex.org/x@latest":       {Go: []string{"ex.org/x"}, Crates: []string{"x"}},
		"cargo install x":                  {Crates: []string{"x"}, Maven: maven},
		"cs bootstrap org.ex:x:1 -M org.ex.X -o x": {Maven: maven, Hint: "by hand"},
		"by hand":        {Hint: "by hand", URL: "https://ex.org"},
		"https://ex.org": {URL: "https://ex.org"},
	} {
		assert.Equal(t, want, InstallLine(install))
	}
}

func TestExplicitProgramThatIsMissing(t *testing.T) {
	a := &schema.Adapter{Name: "x", Process: schema.Process{Install: &schema.Install{Debian: []string{"x"}}}}
	_, err := Locate(a, OSHost(), "/nowhere/x")
	require.EqualError(t, err, "x: its program cannot be /nowhere/x (no such executable)\n  give another one, or leave it out: the adapter then chooses")
}

// The projects around the directories of the user and of the program count, whatever directory this process has.
func TestVariablesLeadIntoNoProjectOfAStart(t *testing.T) {
	a := shell(func(a *schema.Adapter) { a.Process.ExecutableCandidates = []string{"$IN_SRV/x"} })
	h := host(map[string]string{"PATH": "/bin", "IN_SRV": "/srv/h"}, "/srv/h/x", "/srv/y")
	for name, r := range map[string]Request{"its own": {Dir: "/srv"}, "the user's": {From: "/srv", Dir: "/home/u/project"}, "both": {From: "/srv"}} {
		t.Run(name, func(t *testing.T) {
			r.Nonce, r.ScratchDir = "4e6f6e6365", "/tmp/ripple-1"
			_, err := Build(a, h, r)
			var missing *MissingError
			require.ErrorAs(t, err, &missing)
			assert.Contains(t, missing.Tried, "$IN_SRV/x = /srv/h/x (a program of this project: to use it, add its directory to PATH)")
		})
	}
	p, err := Build(a, h, request(nil))
	require.NoError(t, err)
	assert.Equal(t, "/srv/h/x", p.Path, "of no project in which somebody works")
	p, err = Build(a, h, request(func(r *Request) { r.From, r.Executable = "/srv", "./y" }))
	require.NoError(t, err)
	assert.Equal(t, "/srv/y", p.Path, "the user's relative path")
}
