package config

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestParseRC(t *testing.T) {
	lookup := func(name string) string { return map[string]string{"HOME": "/home/me"}[name] }
	tests := []struct {
		name, text, want string // expected value of A
	}{
		{"plain", "A=1", "1"},
		{"empty", "A=", ""},
		{"double quotes", `A="one two"`, "one two"},
		{"single quotes", `A='$HOME "x" \n'`, `$HOME "x" \n`},
		{"joined pieces", `A=a'b c'"d"`, "ab cd"},
		{"escapes outside quotes", `A=a\ b\$`, "a b$"},
		{"escapes in double quotes", `A="\"\$\\\n"`, `"$\\n`},
		{"comment before and after", "# first\nA=1 # second", "1"},
		{"a # inside a word", "A=a#b", "a#b"},
		{"export", "export A=1", "1"},
		{"the last one counts", "A=1\nA=2", "2"},
		{"several lines in quotes", "A=\"a\nb\"", "a\nb"},
		{"a line that continues", "A=a\\\nb", "ab"},
		{"CRLF and a byte order mark", "\ufeffA=1\r\nB=2\r\n", "1"},
		{"semicolon at the end", "A=1;", "1"},
		{"a name of the environment", `A="$HOME/x"`, "/home/me/x"},
		{"a name from above", "B=2\nA=${B}3", "23"},
		{"its default", `A="${NOPE:-local}"`, "local"},
		{"set, so no default", `A="${HOME:-local}"`, "/home/me"},
		{"unknown is empty", "A=$NOPE.", "."},
		{"a lone $", "A=5$", "5$"},
		{"not ASCII", "A=müde", "müde"},
		{"a list with commas and parentheses in quotes", `A="Bash(git *),Read"`, "Bash(git *),Read"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, _, errs := parseRC("rc", tt.text, lookup)
			assert.Empty(t, errs)
			assert.Equal(t, tt.want, got["A"].text)
		})
	}
}

func TestParseRCRefuses(t *testing.T) {
	tests := []struct{ text, want string }{
		{"A=$(rm -rf x)", "rc:1:3: $(…) is not executed; write the value itself"},
		{"A=`id`", "rc:1:3: a command in backquotes is not executed; write the value itself"},
		{`A="x $(id)"`, "rc:1:6: $(…) is not executed; write the value itself"},
		{"A=${B:=1}", "rc:1:3: ${B:=1} is not executed; write the value itself"},
		{"A=${B:-$(id)}", "rc:1:3: ${B:-$(id)} is not executed; write the value itself"},
		{"A=${B", "rc:1:3: this ${ is never closed"},
		{"\n  A = 1", "rc:2:3: expected NAME=value without blanks around the =; this file is read and not executed"},
		{"if true; then", "rc:1:1: expected NAME=value without blanks around the =; this file is read and not executed"},
		{"A='x", "rc:1:3: this ' is never closed"},
		{"A=\"ü\" x", `rc:1:7: the value of A ended before this; quote a value with blanks: A="…"`},
		{"A=(a b)", "rc:1:3: '(' outside quotes; quote the value"},
		{"A=1 && rm x", `rc:1:5: the value of A ended before this; quote a value with blanks: A="…"`},
		{"A=1; rm x", `rc:1:6: the value of A ended before this; quote a value with blanks: A="…"`},
	}
	for _, tt := range tests {
		_, _, errs := parseRC("rc", tt.text+"\nB=2", func(string) string { return "" })
		if assert.NotEmpty(t, errs, tt.text) {
			assert.Equal(t, tt.want, errs[0].Error())
		}
	}
}

func TestParseRCContinuesAfterAnError(t *testing.T) {
	set, _, errs := parseRC("rc", "A=$(x)\nB=2\noops\nC=3\n", func(string) string { return "" })
	assert.Len(t, errs, 2)
	assert.Equal(t, map[string]rcValue{"B": {"2", 2, "B=2"}, "C": {"3", 4, "C=3"}}, set)
}

// A .ralphrc is read before a user trusts the project: a few lines must not fill the memory, and many must not take long.
func TestRCIsBounded(t *testing.T) {
	doubling := "A0=xxxxxxxxxxxxxxxx\n"
	for i := 1; i < 34; i++ {
		doubling += fmt.Sprintf("A%d=$A%d$A%d\n", i, i-1, i-1)
	}
	growing, long := "A="+strings.Repeat("x", 60<<10)+"\n", strings.Repeat("x", maxRCValue)
	for i := range 100 {
		growing += fmt.Sprintf("A%d=\"${A:-a}b\"\n", i)
	}
	for _, tt := range []struct{ text, want string }{
		{doubling, "rc:14:9: this value is longer than 64 KB"},
		{"B=y\nA=" + long + "\nC=\"x${A}$B\"\n", "rc:3:5: this value is longer than 64 KB"},
		{"A=" + long + "x\n", "rc:1:1: this value is longer than 64 KB"},
		{"A=${ENV}\n", "rc:1:3: this value is longer than 64 KB"},
		{growing, "rc:18:1: the values up to this one are longer than 1024 KB together, and the rest is not read"},
		{strings.Repeat("A=$(x)\n", 1000), "rc:1:3: $(…) is not executed; write the value itself"},
	} {
		_, _, errs := parseRC("rc", tt.text, func(string) string { return long + "x" })
		require.NotEmpty(t, errs)
		assert.LessOrEqual(t, len(errs), maxRCErrors)
		assert.Equal(t, tt.want, errs[0].Error())
	}

	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, ".ralphrc"), []byte(strings.Repeat("#\n", maxRCFile)), 0o600))
	_, _, err := Load(dir, nil, func(string) string { return "" })
	require.ErrorContains(t, err, "is larger than")
	var many strings.Builder
	for i := range 10_000 {
		fmt.Fprintf(&many, "A%d=\n", i)
	}
	require.NoError(t, os.WriteFile(filepath.Join(dir, ".ralphrc"), []byte(many.String()), 0o600))
	_, notes, err := Load(dir, nil, func(string) string { return "" })
	require.NoError(t, err)
	assert.Len(t, notes, maxUnknown+1)
	assert.Contains(t, notes[maxUnknown], "9980 more names are not settings of ripple")
}

func FuzzParseRC(f *testing.F) {
	f.Add("A=\"x ${B:-c}\" # d\nexport B='\n'\n")
	f.Add("A=$(x)\nA=`y`\nA=${\n")
	f.Add("\xff=\xfe\\")
	f.Fuzz(func(t *testing.T, text string) {
		set, _, errs := parseRC("rc", text, func(string) string { return "v" })
		for name, v := range set {
			assert.Regexp(t, `^[A-Za-z_][A-Za-z0-9_]*$`, name)
			assert.Positive(t, v.line)
		}
		for _, err := range errs {
			e := err.(*rcError)
			assert.Positive(t, e.line)
			assert.Positive(t, e.column)
		}
	})
}
