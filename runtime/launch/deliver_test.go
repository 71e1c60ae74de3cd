package launch

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/schema"
)

func TestLaunchCommandStagesTheScript(t *testing.T) {
	p := build1(t, func(a *schema.Adapter) {
		a.Script = "nonce={nonce} self={path} m={marker} d={temp_dir} {unknown} ${path}\n"
		a.Process.CommandTemplate = `{shell_path} -NoExit -Command "{init_invocation}"`
		a.Process.Env = map[string]string{"STARTUP": "{tempfile_path}"}
		a.Init = schema.Init{
			Delivery: schema.DeliverLaunchCommand, InitInvocationTemplate: ". '{path}'",
			Tempfile: &schema.InitTempfile{Prefix: ".ripple-x-", Extension: ".ps1"}, Marker: &schema.Marker{Primary: "%"},
		}
	}, nil)
	const path = "/tmp/ripple-1/.ripple-x-GUID.ps1"
	require.Len(t, p.Files, 1)
	assert.Equal(t, path, p.Files[0].Path)
	assert.Equal(t, "nonce=4e6f6e6365 self="+path+" m=% d=/tmp/ripple-1 {unknown} ${path}\n", string(p.Files[0].Body))
	assert.Equal(t, []string{"/bin/sh", "-NoExit", "-Command", ". '" + path + "'"}, p.Argv)
	assert.Contains(t, p.Env, "STARTUP="+path)
	for _, name := range []string{"path", "tempfile_path", "script_path"} {
		assert.Equal(t, path, p.Values[name])
	}
	assert.Empty(t, p.Inject)
}

// Files of v1 quote the path for the command line: the quotes group and are not part of
// it.
func TestLaunchCommandQuotesOneWord(t *testing.T) {
	const path = "/tmp/ripple-1/.ripple-integration-GUID"
	for template, want := range map[string]string{
		`"{tempfile_path}"`: path, `{tempfile_path}`: path, `"a {path}"`: "a " + path, `"a" "b"`: `"a" "b"`, `"`: `"`, `load("{path}")`: `load("` + path + `")`,
	} {
		p := build1(t, func(a *schema.Adapter) {
			a.Script = "x"
			a.Process.CommandTemplate = `"{shell_path}" -i {init_invocation}`
			a.Init = schema.Init{Delivery: schema.DeliverLaunchCommand, InitInvocationTemplate: template}
		}, nil)
		assert.Equal(t, []string{"/bin/sh", "-i", want}, p.Argv)
	}
}

func TestLaunchCommandNamesTheFileItself(t *testing.T) {
	p := build1(t, func(a *schema.Adapter) {
		a.Script = "x"
		a.Process.CommandTemplate = `{shell_path} --rcfile {script_path}`
		a.Init.Delivery = schema.DeliverLaunchCommand
	}, nil)
	assert.Equal(t, []string{"/bin/sh", "--rcfile", "/tmp/ripple-1/.ripple-integration-GUID"}, p.Argv)
	assert.Equal(t, p.Argv[2], p.Files[0].Path)
}

func TestLaunchCommandWithoutAScriptStagesNothing(t *testing.T) {
	p := build1(t, func(a *schema.Adapter) {
		a.Process.CommandTemplate = `{shell_path} -c "{init_invocation}"`
		a.Init = schema.Init{Delivery: schema.DeliverLaunchCommand, InitInvocationTemplate: "set {nonce}"}
	}, nil)
	assert.Empty(t, p.Files)
	assert.Equal(t, []string{"/bin/sh", "-c", "set 4e6f6e6365"}, p.Argv)
}

func TestPTYInject(t *testing.T) {
	cases := []struct {
		name, script, invocation, inject string
		files                            int
	}{
		{"the invocation of a staged script", "a\n", " . '{path}'\n", " . '/tmp/ripple-1/.ripple-integration-GUID'", 1},
		{"the script itself", "a={nonce}\nb\n\n", "", "a=4e6f6e6365\nb", 0},
		{"an invocation alone", "", "PS1={nonce}", "PS1=4e6f6e6365", 0},
		{"nothing", "", "", "", 0},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			p := build1(t, func(a *schema.Adapter) {
				a.Script = c.script
				a.Init = schema.Init{Delivery: schema.DeliverPTYInject, InitInvocationTemplate: c.invocation}
			}, nil)
			assert.Equal(t, c.inject, p.Inject)
			assert.Len(t, p.Files, c.files)
		})
	}
}

func rcFile(a *schema.Adapter) {
	a.Script = "previous='{rc_dir_previous}'\n"
	a.Init = schema.Init{Delivery: schema.DeliverRCFile, RCFile: &schema.RCFile{DirEnvVar: "ZDOTDIR", FileName: ".zshrc"}}
	a.Capabilities.CdCommandQuote = "single_quote_posix"
}

func TestRCFileStandsAloneInADirectory(t *testing.T) {
	p := build1(t, rcFile, nil)
	assert.Equal(t, []File{{Path: "/tmp/ripple-1/startup/.zshrc", Body: []byte("previous=''\n")}}, p.Files)
	assert.Contains(t, p.Env, "ZDOTDIR=/tmp/ripple-1/startup")
}

func TestRCFileKnowsThePreviousDirectory(t *testing.T) {
	outer := map[string]string{"PATH": "/bin", "ZDOTDIR": "/home/u/it's"}
	declared := func(a *schema.Adapter) {
		rcFile(a)
		a.Process.Env = map[string]string{"ZDOTDIR": "{temp_dir}/z"}
	}
	cases := []struct {
		name   string
		change func(*schema.Adapter)
		caller []string
		want   string
	}{
		{"the host's, escaped", rcFile, nil, `/home/u/it'\''s`},
		{"the adapter's over the host's", declared, nil, "/tmp/ripple-1/z"},
		{"the caller's over all", declared, []string{"ZDOTDIR=/c", "ZDOTDIR=/d"}, "/d"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			p, err := Build(shell(c.change), host(outer, "/bin/sh"), request(func(r *Request) { r.Env = c.caller }))
			require.NoError(t, err)
			assert.Equal(t, "previous='"+c.want+"'\n", string(p.Files[0].Body))
			assert.Contains(t, p.Env, "ZDOTDIR=/tmp/ripple-1/startup", "ours wins, or nothing would be integrated")
		})
	}
}

func TestRCFileThatAVariableNames(t *testing.T) {
	change := func(a *schema.Adapter) {
		rcFile(a)
		a.Script = "previous='{rc_file_previous}'\n"
		a.Init.RCFile = &schema.RCFile{FileEnvVar: "ENV", FileName: "env.sh"}
	}
	outer := map[string]string{"PATH": "/bin", "ENV": "$HOME/.shrc"}
	p, err := Build(shell(change), host(outer, "/bin/sh"), request(nil))
	require.NoError(t, err)
	assert.Equal(t, []File{{Path: "/tmp/ripple-1/startup/env.sh", Body: []byte("previous='$HOME/.shrc'\n")}}, p.Files)
	assert.Contains(t, p.Env, "ENV=/tmp/ripple-1/startup/env.sh")
}

func TestDeliveriesThatAreRefused(t *testing.T) {
	cases := []struct {
		name string
		init schema.Init
		want string
	}{
		{"no rc_file", schema.Init{Delivery: schema.DeliverRCFile}, "dir_env_var"},
		{"rc_file outside", schema.Init{Delivery: schema.DeliverRCFile, RCFile: &schema.RCFile{DirEnvVar: "D", FileName: "../x"}}, "init.rc_file.file_name"},
		{"rc_file that is the directory", schema.Init{Delivery: schema.DeliverRCFile, RCFile: &schema.RCFile{DirEnvVar: "D", FileName: ".."}}, "init.rc_file.file_name"},
		{"prefix outside", schema.Init{Delivery: schema.DeliverLaunchCommand, Tempfile: &schema.InitTempfile{Prefix: "../"}}, "init.tempfile"},
		{"extension outside", schema.Init{Delivery: schema.DeliverPTYInject, InitInvocationTemplate: "x", Tempfile: &schema.InitTempfile{Extension: "/../../x"}}, "init.tempfile"},
		{"unknown", schema.Init{Delivery: "pigeon"}, "pigeon"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			a := shell(func(a *schema.Adapter) { a.Script, a.Init = "x", c.init })
			_, err := Build(a, host(onPath, "/bin/sh"), request(nil))
			require.ErrorContains(t, err, c.want)
		})
	}
}

func TestBanner(t *testing.T) {
	with := func(mode, quote string) func(*schema.Adapter) {
		return func(a *schema.Adapter) {
			a.Script = "script\n"
			a.Init.Delivery = schema.DeliverLaunchCommand
			a.Init.BannerInjection = &schema.BannerInjection{Mode: mode, BannerTemplate: "echo '{banner}'\n", ReasonTemplate: "echo 'why: {reason}'\n"}
			a.Capabilities.CdCommandQuote = quote
		}
	}
	cases := []struct {
		name, mode, quote, banner, reason string
		script, shown                     string
	}{
		{"both before the script", "prepend_to_tempfile", "single_quote_posix", "hello", "tests", "echo 'hello'\necho 'why: tests'\nscript\n", ""},
		{"escaped", "prepend_to_tempfile", "single_quote_posix", "it's", "", "echo 'it'\\''s'\nscript\n", ""},
		{"a plain one needs no escaping", "prepend_to_tempfile", "", "hello", "", "echo 'hello'\nscript\n", ""},
		{"only a reason", "prepend_to_tempfile", "", "", "r", "echo 'why: r'\nscript\n", ""},
		{"none asked for", "prepend_to_tempfile", "", "", "", "script\n", ""},
		{"placeholders in it are not expanded", "prepend_to_tempfile", "", "{nonce}", "", "echo '{nonce}'\nscript\n", ""},
		{"before the program", "write_before_pty", "", "it's", "r", "script\n", "echo 'it's'\necho 'why: r'\n"},
		{"switched off", "none", "", "hello", "r", "script\n", ""},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			p := build1(t, with(c.mode, c.quote), func(r *Request) { r.Banner, r.Reason = c.banner, c.reason })
			assert.Equal(t, c.script, string(p.Files[0].Body))
			assert.Equal(t, c.shown, p.Banner)
		})
	}

	p := build1(t, func(a *schema.Adapter) { a.Init.BannerInjection = &schema.BannerInjection{Mode: "write_before_pty"} },
		func(r *Request) { r.Banner, r.Reason = "hello", "tests" })
	assert.Equal(t, "hello\ntests", p.Banner, "the text itself where there is no template")

	_, err := Build(shell(with("prepend_to_tempfile", "")), host(onPath, "/bin/sh"), request(func(r *Request) { r.Banner = "'; rm x; '" }))
	require.ErrorContains(t, err, "the banner: ")
}

func TestQuote(t *testing.T) {
	cases := []struct{ style, text, want, refused string }{
		{"single_quote_posix", `a'b "c" $d`, `a'\''b "c" $d`, ""},
		{"single_quote_pwsh", "a'b’c", "a''b’’c", ""},
		{"double_quote_cmd", `a"b`, `a""b`, ""},
		{"c_style_double_quote", `C:\a"b`, `C:\\a\"b`, ""},
		{"", "/plain path/ünï", "/plain path/ünï", ""},
		{"", "it's", "", "cd_command_quote is missing"},
		{"", "$(x)", "", "cd_command_quote is missing"},
		{"nonsense", "a", "", `unknown style "nonsense"`},
		{"single_quote_posix", "a\nb", "", "control character"},
		{"c_style_double_quote", "a\x1bb", "", "control character"},
	}
	for _, c := range cases {
		t.Run(c.style+" "+c.text, func(t *testing.T) {
			got, err := Quote(c.style, c.text)
			if c.refused != "" {
				require.ErrorContains(t, err, c.refused)
				return
			}
			require.NoError(t, err)
			assert.Equal(t, c.want, got)
		})
	}
}
