package schema

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestFormats(t *testing.T) {
	long := strings.Repeat("a", maxPattern+1)
	for name, c := range map[string]struct{ good, bad []string }{
		"pattern":          {[]string{"", `^\u0001$`, `(?<=a)b`, `\p{L}+`}, []string{"(", "a**", long}},
		"expect-pattern":   {[]string{"a.b"}, []string{")"}},
		"command-template": {[]string{"a {pid}"}, []string{"", "'", "{nope}"}},
		"path-template":    {[]string{"{temp_dir}/x-{guid}", "${x}", "a{"}, []string{"{nope}"}},
		"name":             {[]string{"a", "c++", "f#", "python3.12", "my-repl_2", strings.Repeat("a", maxName)}, []string{"", "a b", "a/b", `a\b`, "-a", ".a", "a..b", "a:b", "a\x00", "a\u202eb", "größe", "bаsh", "ｂash", "py٣", "a*", strings.Repeat("a", maxName+1)}},
		"label":            {[]string{"adds two numbers", "1/0 → error"}, []string{"", "  ", "a\nb", "\x1b[2J", strings.Repeat("a", maxLabel+1)}},
		"semver":           {[]string{"0.1.0", "1.2.3-rc.1+b5"}, []string{"", "1", "1.0", "v1.0.0", "01.0.0", "1.0.0 "}},
		"url":              {[]string{"https://example.org", "http://a/b"}, []string{"", "example.org", "https://", "%"}},
		"env-name":         {[]string{"PATH", "ProgramFiles(x86)"}, []string{"", "A=B", "A\x00"}},
		"file-name":        {[]string{".zshrc", "init.lua"}, []string{"", ".", "..", "a/b", `a\b`, "a\x00", "$(a)", "a b"}},
		"file-part":        {[]string{"", ".ripple-exec-", ".ps1"}, []string{"/x", "..", `\`, "e$(touch x)", ";touch x", "e'; touch x; : '", `a"b`, "a b", "a\n", "`a`", "a%b", "é", "a*", "~a", "!a", "{guid}"}},
		"term":             {[]string{"xterm-256color", "screen.xterm+256"}, []string{"", "a b", "$(a)", "../a", "a;b", "a\n", "a\x00"}},
		"resource":         {[]string{"integration.ps1", "sub/x.sh"}, []string{"", "/etc/passwd", "../x", "a/../x", "a//b", "./a", `a\b`, `C:x`, "a\x00"}},
		"home-path":        {[]string{".a", ".a/", ".config/a/", "a b/..c"}, []string{"", "/", ".", "./", "..", "../a", ".a/..", ".a/../b", ".a/./b", ".a//b", ".a//", "/etc", "~", "~/.a", "$HOME/.a", `%A%`, `.a\b`, "C:a", ".a/*", "a\x00"}},
		"host":             {[]string{"localhost", "api.example.com", "API.example.com:8443", "xn--bcher-kva.example"}, []string{"192.0.2.1", "192.0.2.1:80", "[2001:db8::1]", "[2001:db8::1]:443", "", ":", "a:", ":80", "a:0", "a:65536", "a:b", "https://a", "a/b", "*.a", "a..b", ".a", "a.", "-a", "bücher.example", "a b", "0x7f.1", "127.1", "1", "2001:db8::1", "[192.0.2.1]", "[::1", "[fe80::1%1]", "a=192.0.2.1:1", strings.Repeat("a", 64), strings.Repeat("a.", 130) + "a"}},
		"marker":           {[]string{"A", "\x1b]633;A\x07", "\x1b]133;D;0\x1b\\"}, []string{"", "AB", "633;A", "\x1b[A"}},
		"maven":            {[]string{"org.example:repl_2.13:1.0-rc.1"}, []string{"", "repl", "org.example:repl", "a:b:c:d", "a:b: c", "a::c", "a:b:c\n", "../a:b:c"}},
		"no-nul":           {[]string{"", "a b"}, []string{"a\x00b"}},
	} {
		require.Contains(t, formats, name)
		for _, s := range c.good {
			assert.NoError(t, formats[name].check(s), "%s: %q", name, s)
		}
		for _, s := range c.bad {
			err := formats[name].check(s)
			if assert.Error(t, err, "%s: %q", name, s) {
				assert.Less(t, len(err.Error()), 200, "a message stays short whatever the value")
			}
		}
	}
}

func TestJSONIsTheCallersOwnCopy(t *testing.T) {
	first := AdapterJSON()
	require.True(t, json.Valid(first))
	clear(first)
	assert.True(t, json.Valid(AdapterJSON()))
}

func TestPointersIntoTheJSONSchema(t *testing.T) {
	for pointer, want := range map[string]any{
		"/properties/schema/const":         1.0,
		"/required/0":                      "schema",
		"/required/99":                     nil,
		"/required/x":                      nil,
		"/properties/schema/const/further": nil,
		"/nowhere":                         nil,
	} {
		assert.Equal(t, want, rootKeys().at(pointer), pointer)
	}
}
