package launch

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/schema"
)

// plannedEnv is the plan's environment as a map.
func plannedEnv(t *testing.T, outer map[string]string, change func(*schema.Adapter), caller ...string) map[string]string {
	t.Helper()
	outer["PATH"] = "/bin"
	p, err := Build(shell(change), host(outer, "/bin/sh"), request(func(r *Request) { r.Env = caller }))
	require.NoError(t, err)
	env := map[string]string{}
	for _, kv := range p.Env {
		key, value, _ := strings.Cut(kv, "=")
		require.NotContains(t, env, key, "twice in the environment")
		env[key] = value
	}
	return env
}

func TestEnvironmentPrecedence(t *testing.T) {
	declares := func(a *schema.Adapter) {
		a.Process.Env = map[string]string{"TERM": "dumb", "PAGER": "less", "A": "adapter", "DIR": "{temp_dir}/h"}
	}
	env := plannedEnv(t, map[string]string{"A": "host", "B": "host", "PAGER": "more", "TERM": "vt100"}, declares)
	assert.Equal(t, "adapter", env["A"])
	assert.Equal(t, "host", env["B"])
	assert.Equal(t, "less", env["PAGER"])
	assert.Equal(t, "cat", env["GIT_PAGER"])
	assert.Equal(t, "dumb", env["TERM"])
	assert.Equal(t, "/tmp/ripple-1/h", env["DIR"])

	env = plannedEnv(t, map[string]string{"A": "host"}, declares, "A=caller", "TERM=ansi", "A=last", "E=")
	assert.Equal(t, "last", env["A"])
	assert.Equal(t, "ansi", env["TERM"])
	assert.Contains(t, env, "E")
}

func TestTheTerminalAroundUsIsNotInherited(t *testing.T) {
	outer := map[string]string{
		"COLUMNS": "80", "LINES": "24", "TERM_PROGRAM": "vscode", "TERM_PROGRAM_VERSION": "1", "VSCODE_INJECTION": "1",
		"VTE_VERSION": "1", "TMUX": "x", "PROCTREE_GUARD": "1", "KITTY_WINDOW_ID": "1",
		"COLORTERM": "truecolor", "TERMINFO": "/t", "RIPPLE_HOME": "/r", "PWD": "/elsewhere",
	}
	env := plannedEnv(t, outer, nil)
	for _, gone := range []string{"COLUMNS", "LINES", "TERM_PROGRAM", "TERM_PROGRAM_VERSION", "VSCODE_INJECTION", "VTE_VERSION", "TMUX", "PROCTREE_GUARD", "KITTY_WINDOW_ID"} {
		assert.NotContains(t, env, gone)
	}
	for _, kept := range []string{"COLORTERM", "TERMINFO", "RIPPLE_HOME"} {
		assert.Contains(t, env, kept)
	}
	assert.Equal(t, "/home/u/project", env["PWD"], "the directory that the program starts in")

	env = plannedEnv(t, outer, func(a *schema.Adapter) { a.Process.Env = map[string]string{"TERM_PROGRAM": "vscode"} })
	assert.Equal(t, "vscode", env["TERM_PROGRAM"], "an adapter may still claim to be one")
}

func TestEnvironmentThatIsNotInherited(t *testing.T) {
	env := plannedEnv(t, map[string]string{
		"HOME": "/home/u", "USER": "u", "LOGNAME": "u", "SHELL": "/bin/zsh", "LANG": "de_DE.UTF-8", "LC_TIME": "C",
		"TZ": "UTC", "TERM": "vt100", "TMPDIR": "/var/tmp", "SECRET": "s", "PWD": "/x", "SSH_AUTH_SOCK": "/s",
	}, func(a *schema.Adapter) { a.Process.InheritEnvironment = false })
	assert.Equal(t, map[string]string{
		"HOME": "/home/u", "PATH": "/bin", "USER": "u", "LOGNAME": "u", "SHELL": "/bin/zsh", "LANG": "de_DE.UTF-8", "LC_TIME": "C",
		"TZ": "UTC", "TERM": "xterm-256color", "TMPDIR": "/var/tmp", "PAGER": "cat", "GIT_PAGER": "cat", "MANPAGER": "cat",
	}, env)
}

// Variables by which an agent knows that it was started by itself are not handed on, over any
// transport; its adapter and the caller may set them.
func TestVariablesThatAnAgentDoesNotInherit(t *testing.T) {
	whole := shell(func(a *schema.Adapter) {
		a.Process.Executable = "sh"
		a.Agent = &schema.Agent{
			AgentNeeds: schema.AgentNeeds{UnsetEnv: []string{"INSIDE", "SESSION"}}, Output: schema.AgentOutput{Format: schema.FormatNDJSON},
			ACP: &schema.AgentACP{Executable: "sh"}, Screen: &schema.AgentScreen{},
		}
	})
	for _, way := range []string{schema.TransportStdio, schema.TransportACP, schema.TransportScreen} {
		a, err := whole.WithTransport(way)
		require.NoError(t, err)
		h := host(map[string]string{"PATH": "/bin", "INSIDE": "1", "SESSION": "s", "SESSION_KEY": "kept"}, "/bin/sh")
		for _, c := range []struct {
			declared map[string]string
			caller   []string
			want     []string
		}{
			{nil, nil, []string{"SESSION_KEY=kept"}},
			{map[string]string{"INSIDE": "adapter"}, nil, []string{"INSIDE=adapter", "SESSION_KEY=kept"}},
			{nil, []string{"SESSION=caller"}, []string{"SESSION=caller", "SESSION_KEY=kept"}},
		} {
			a.Process.Env = c.declared
			p, err := Build(a, h, request(func(r *Request) { r.Env = c.caller }))
			require.NoError(t, err)
			var got []string
			for _, kv := range p.Env {
				if strings.HasPrefix(kv, "INSIDE=") || strings.HasPrefix(kv, "SESSION") {
					got = append(got, kv)
				}
			}
			assert.Equal(t, c.want, got, way)
		}
	}
}

func TestUTF8WhereNoLocaleIsSet(t *testing.T) {
	for _, set := range []string{"LANG=C", "LC_ALL=C", "LC_CTYPE=en_US"} {
		key, value, _ := strings.Cut(set, "=")
		env := plannedEnv(t, map[string]string{key: value}, nil)
		assert.Equal(t, value, env[key])
		if key != "LC_CTYPE" {
			assert.NotContains(t, env, "LC_CTYPE")
		}
	}
	assert.Equal(t, "C.UTF-8", plannedEnv(t, map[string]string{"LANG": "", "LC_TIME": "C"}, nil)["LC_CTYPE"])
	assert.NotContains(t, plannedEnv(t, map[string]string{}, nil, "LANG=C"), "LC_CTYPE", "the caller chose")
}

func TestEnvironmentThatIsRefused(t *testing.T) {
	marked := schema.Init{Marker: &schema.Marker{Primary: "@{nonce}>", Continuation: "..."}, InitInvocationTemplate: "set {marker}"}
	cases := []struct{ name, key, value, want string }{
		{"the nonce", "N", "x{nonce}", "process.env.N: its value would carry the session's nonce"},
		{"the short nonce", "N", "x{nonce_short}", "process.env.N: its value would carry the session's nonce"},
		{"a marker with the nonce", "PS1", "{marker}", "process.env.PS1: its value would carry the session's nonce"},
		{"the nonce at third hand", "I", "{init_invocation}", "process.env.I: its value would carry the session's nonce"},
		{"a name with =", "A=B", "x", `process.env: "A=B" cannot be the name`},
		{"no name", "", "x", `process.env: "" cannot be the name`},
		{"NUL", "A", "a\x00b", "process.env.A: "},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			a := shell(func(a *schema.Adapter) {
				a.Init = marked
				a.Process.Env = map[string]string{c.key: c.value}
			})
			_, err := Build(a, host(onPath, "/bin/sh"), request(nil))
			require.ErrorContains(t, err, c.want)
		})
	}
}

func TestEnvironmentWithoutTheNonceIsAccepted(t *testing.T) {
	env := plannedEnv(t, map[string]string{}, func(a *schema.Adapter) {
		a.Init.Marker = &schema.Marker{Primary: "@{nonce}>", Continuation: "..."}
		a.Process.Env = map[string]string{"PS2": "{marker_continuation}", "V": "${nonce} {other}"}
	})
	assert.Equal(t, "...", env["PS2"])
	assert.Equal(t, "${nonce} {other}", env["V"], "neither is a placeholder")
}

func TestTheNonceIsNowhereInTheEnvironment(t *testing.T) {
	p := build1(t, func(a *schema.Adapter) {
		a.Script = "N={nonce}"
		a.Init.Delivery = schema.DeliverRCFile
		a.Init.RCFile = &schema.RCFile{DirEnvVar: "ZDOTDIR", FileName: ".zshrc"}
	}, nil)
	assert.NotContains(t, strings.Join(p.Env, "\n"), "4e6f6e6365")
	assert.Equal(t, "N=4e6f6e6365", string(p.Files[0].Body))
}
