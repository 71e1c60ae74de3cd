package launch

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"example.org/ripple/schema"
)

// host is a machine with the named executables and environment.
func host(env map[string]string, executables ...string) Host {
	return Host{
		Getenv: func(k string) string { return env[k] },
		Environ: func() []string {
			var list []string
			for k, v := range env {
				list = append(list, k+"="+v)
			}
			return list
		},
		Getwd:        func() (string, error) { return "/home/u/project", nil },
		IsExecutable: func(p string) bool { return slices.Contains(executables, p) },
		IsDir:        func(p string) bool { return p == "/home/u/project" || p == "/srv" },
		Brought:      func(dir, p string) bool { return strings.HasPrefix(p, dir+"/") },
		GUID:         func() string { return "GUID" },
		GOOS:         "linux",
		PID:          42,
		TempDir:      "/tmp",
	}
}

var onPath = map[string]string{"PATH": "/usr/bin:/bin"}

// shell is an adapter with the loader's defaults.
func shell(change func(*schema.Adapter)) *schema.Adapter {
	a := &schema.Adapter{Name: "sh", Process: schema.Process{
		CommandTemplate:    `"{shell_path}" -i`,
		InheritEnvironment: true,
		TTY:                schema.TTY{Cols: 200, Rows: 50, Echo: true, Canonical: true, Term: "xterm-256color"},
	}}
	if change != nil {
		change(a)
	}
	return a
}

func request(change func(*Request)) Request {
	r := Request{Nonce: "4e6f6e6365", ScratchDir: "/tmp/ripple-1"}
	if change != nil {
		change(&r)
	}
	return r
}

func build1(t *testing.T, change func(*schema.Adapter), with func(*Request)) Plan {
	t.Helper()
	p, err := Build(shell(change), host(onPath, "/bin/sh"), request(with))
	require.NoError(t, err)
	return p
}

func TestBuildMakesThePlanOfAPlainShell(t *testing.T) {
	p := build1(t, nil, nil)
	assert.Equal(t, "/bin/sh", p.Path)
	assert.Equal(t, []string{"/bin/sh", "-i"}, p.Argv)
	assert.Equal(t, "/home/u/project", p.Dir)
	assert.Equal(t, []string{"GIT_PAGER=cat", "LC_CTYPE=C.UTF-8", "MANPAGER=cat", "PAGER=cat", "PATH=/usr/bin:/bin", "TERM=xterm-256color"}, p.Env)
	assert.Equal(t, 200, p.TTY.Cols)
	assert.Empty(t, p.Files)
	assert.Empty(t, p.Inject)
}

func TestTheCallersSizeWins(t *testing.T) {
	p := build1(t, nil, func(r *Request) { r.Cols, r.Rows = 81, 25 })
	assert.Equal(t, [2]int{81, 25}, [2]int{p.TTY.Cols, p.TTY.Rows})
}

func TestCommandTemplate(t *testing.T) {
	cases := []struct {
		name, template string
		want           []string
	}{
		{"quotes group", `"{shell_path}" -c 'a b' "c d"`, []string{"/bin/sh", "-c", "a b", "c d"}},
		{"an empty argument stays", `"{shell_path}" ""`, []string{"/bin/sh", ""}},
		{"text around a placeholder", `{shell_path} --dir={temp_dir}/x`, []string{"/bin/sh", "--dir=/tmp/ripple-1/x"}},
		{"no init_invocation, no word", `{shell_path} {init_invocation} -i`, []string{"/bin/sh", "-i"}},
		{"no staged file, no word", `{shell_path} "{tempfile_path}" {path} {script_path}`, []string{"/bin/sh"}},
		{"an empty value beside text stays", `{shell_path} --init={init_invocation}`, []string{"/bin/sh", "--init="}},
		{"pid and guid", `{shell_path} {pid} {guid}`, []string{"/bin/sh", "42", "GUID"}},
		{"a program that starts the shell", `env A=1 "{shell_path}"`, []string{"/usr/bin/env", "A=1", "/bin/sh"}},
		{"a literal program", `env A=1`, []string{"/usr/bin/env", "A=1"}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			a := shell(func(a *schema.Adapter) { a.Process.CommandTemplate = c.template })
			p, err := Build(a, host(onPath, "/bin/sh", "/usr/bin/env"), request(nil))
			require.NoError(t, err)
			assert.Equal(t, c.want, p.Argv)
			assert.Equal(t, c.want[0], p.Path)
		})
	}
}

func TestArgumentsEndTheCommandLine(t *testing.T) {
	adapters := func(a *schema.Adapter) { a.Process.Args = []string{"-e", "{temp_dir}/a b", "{unknown}"} }
	assert.Equal(t, []string{"/bin/sh", "-i", "-e", "/tmp/ripple-1/a b", "{unknown}"}, build1(t, adapters, nil).Argv)

	callers := func(r *Request) { r.Args = []string{"{temp_dir}", ""} }
	assert.Equal(t, []string{"/bin/sh", "-i", "{temp_dir}", ""}, build1(t, adapters, callers).Argv, "arguments of a caller are not templates")

	none := func(r *Request) { r.Args = []string{} }
	assert.Equal(t, []string{"/bin/sh", "-i"}, build1(t, adapters, none).Argv)

	_, err := Build(shell(nil), host(onPath, "/bin/sh"), request(func(r *Request) { r.Args = []string{"a\x00b"} }))
	assert.EqualError(t, err, `sh: the argument "a\x00b" contains a NUL`)
	_, err = Build(shell(adapters), host(onPath, "/bin/sh"), request(func(r *Request) { r.ScratchDir = "/tmp/a\x00" }))
	assert.Error(t, err)
}

func TestNoValueAddsOrRemovesAnArgument(t *testing.T) {
	template := `"{shell_path}" {nonce} {banner} "{reason}" x{banner}y '{reason} {banner}' {marker}`
	words, err := schema.SplitCommand(template)
	require.NoError(t, err)
	rapid.Check(t, func(rt *rapid.T) {
		text := rapid.StringMatching(`[^\x00]{0,20}`)
		a := shell(func(a *schema.Adapter) {
			a.Process.CommandTemplate = template
			a.Init.Marker = &schema.Marker{Primary: text.Draw(rt, "marker")}
		})
		r := request(func(r *Request) {
			r.Nonce = rapid.StringMatching(`[^\x00]{1,9}`).Draw(rt, "nonce")
			r.Banner, r.Reason = text.Draw(rt, "banner"), text.Draw(rt, "reason")
		})
		p, err := Build(a, host(onPath, "/bin/sh"), r)
		require.NoError(rt, err)
		require.Len(rt, p.Argv, len(words))
		assert.Equal(rt, r.Nonce, p.Argv[1])
		assert.Equal(rt, "x"+r.Banner+"y", p.Argv[4])
	})
}

func TestEveryPlaceholderHasAValue(t *testing.T) {
	values := build1(t, nil, nil).Values
	for _, name := range schema.Placeholders() {
		assert.Contains(t, values, name)
	}
}

func TestMarkersCarryTheNonce(t *testing.T) {
	p := build1(t, func(a *schema.Adapter) {
		a.Process.PromptTemplate = "{marker}$ "
		a.Init.Marker = &schema.Marker{Primary: "@{nonce}> ", Continuation: "@{nonce}. "}
	}, nil)
	assert.Equal(t, "@4e6f6e6365> ", p.Values["marker"])
	assert.Equal(t, "@4e6f6e6365. ", p.Values["marker_continuation"])
	assert.Equal(t, "@4e6f6e6365> $ ", p.Values["prompt_template"])
}

func TestShortNonceIsTheBeginningOfTheNonce(t *testing.T) {
	p := build1(t, nil, func(r *Request) { r.Nonce = "0123456789abcdef0123456789abcdef" })
	assert.Equal(t, "0123456789abcdef", p.Values["nonce_short"])
}

func TestWorkingDirectory(t *testing.T) {
	h := host(onPath, "/bin/sh")
	for dir, want := range map[string]string{"": "/home/u/project", "/srv/": "/srv", "../../../srv": "/srv", ".": "/home/u/project"} {
		p, err := Build(shell(nil), h, request(func(r *Request) { r.Dir = dir }))
		require.NoError(t, err, dir)
		assert.Equal(t, want, p.Dir)
	}
	_, err := Build(shell(nil), h, request(func(r *Request) { r.Dir = "gone" }))
	var dir *DirError
	require.ErrorAs(t, err, &dir)
	assert.Equal(t, "/home/u/project/gone", dir.Dir)

	h.Getwd = func() (string, error) { return "", os.ErrNotExist }
	_, err = Build(shell(nil), h, request(nil))
	require.ErrorIs(t, err, os.ErrNotExist)
}

func TestRequestsThatAreRefused(t *testing.T) {
	cases := map[string]struct {
		change func(*Request)
		want   string
	}{
		"no nonce":          {func(r *Request) { r.Nonce = "" }, "Nonce is empty"},
		"relative scratch":  {func(r *Request) { r.ScratchDir = "x" }, "not an absolute path"},
		"quote in scratch":  {func(r *Request) { r.ScratchDir = "/tmp/it's" }, "set TMPDIR"},
		"dollar in scratch": {func(r *Request) { r.ScratchDir = "/tmp/$(x)" }, "set TMPDIR"},
		"no value":          {func(r *Request) { r.Env = []string{"A"} }, "KEY=value"},
		"no name":           {func(r *Request) { r.Env = []string{"=A"} }, "KEY=value"},
		"NUL":               {func(r *Request) { r.Env = []string{"A=\x00"} }, "NUL"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			_, err := Build(shell(nil), host(onPath, "/bin/sh"), request(c.change))
			require.ErrorContains(t, err, c.want)
		})
	}
}

func TestABadTemplateNamesKeyAndColumn(t *testing.T) {
	a := shell(func(a *schema.Adapter) { a.Process.CommandTemplate = `{shell_path} "x` })
	_, err := Build(a, host(onPath, "/bin/sh"), request(nil))
	require.ErrorContains(t, err, "sh: process.command_template: ")
	var template *schema.TemplateError
	require.ErrorAs(t, err, &template)
	assert.Equal(t, 14, template.Column)
}

func TestOSHostSeesTheMachine(t *testing.T) {
	h := OSHost()
	self, err := os.Executable()
	require.NoError(t, err)
	dir := t.TempDir()
	plain := filepath.Join(dir, "plain")
	require.NoError(t, os.WriteFile(plain, nil, 0o600))

	assert.True(t, h.IsExecutable(self))
	assert.False(t, h.IsExecutable(plain))
	assert.False(t, h.IsExecutable(dir), "a directory has x bits too")
	assert.True(t, h.IsDir(dir))
	assert.False(t, h.IsDir(plain))
	assert.NotEqual(t, h.GUID(), h.GUID())
	assert.Empty(t, strings.Trim(h.GUID(), "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"))

	cwd, err := os.Getwd()
	require.NoError(t, err)
	p, err := Build(shell(nil), h, request(func(r *Request) { r.Executable = self }))
	require.NoError(t, err)
	assert.Equal(t, self, p.Path)
	assert.Equal(t, cwd, p.Dir)
}

func TestBuildLeavesTheAdapterAlone(t *testing.T) {
	a := shell(func(a *schema.Adapter) {
		a.Process.ExecutableCandidates = slices.Grow([]string{"x"}, 5)
		a.Process.Env = map[string]string{"A": "{temp_dir}"}
	})
	before := maps.Clone(a.Process.Env)
	_, err := Build(a, host(onPath), request(nil))
	var missing *MissingError
	require.True(t, errors.As(err, &missing))
	assert.Equal(t, []string{"x"}, a.Process.ExecutableCandidates)
	assert.Equal(t, before, a.Process.Env)
}
