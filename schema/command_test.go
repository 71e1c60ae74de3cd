package schema

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// show writes words as [text|{name}].
func show(words []Word) string {
	var b strings.Builder
	for _, w := range words {
		b.WriteString("[")
		for i, p := range w.Parts {
			if i > 0 {
				b.WriteString("|")
			}
			if p.Placeholder != "" {
				b.WriteString("{" + p.Placeholder + "}")
			}
			b.WriteString(p.Text)
		}
		b.WriteString("]")
	}
	return b.String()
}

func TestSplitCommand(t *testing.T) {
	for _, c := range []struct{ template, want string }{
		{`a`, `[a]`},
		{"  a \t b\n", `[a][b]`},
		{`"a b" 'c d'`, `[a b][c d]`},
		{`a"b c"d'e f'`, `[ab cde f]`},
		{`"" ''`, `[][]`},
		{`{shell_path} -i`, `[{shell_path}][-i]`},
		{`"{shell_path}" -c "{init_invocation}"`, `[{shell_path}][-c][{init_invocation}]`},
		{`'{shell_path}'`, `[{shell_path}]`},
		{`--rc={temp_dir}/rc-{pid}.sh`, `[--rc=|{temp_dir}|/rc-|{pid}|.sh]`},
		{`{pid}{guid}`, `[{pid}|{guid}]`},
		{`"a \"b\" \\ \n c"`, `[a "b" \ \n c]`},
		{`'a \" b'`, `[a \" b]`},
		{`C:\Windows\cmd.exe`, `[C:\Windows\cmd.exe]`},
		{`"C:\Program Files\x.exe"`, `[C:\Program Files\x.exe]`},
		{`"it's"`, `[it's]`},
		{`'say "x"'`, `[say "x"]`},
		{`{ } {} {1} {a b} { pid } ${pid} {pid`, `[{][}][{}][{1}][{a][b}][{][pid][}][${pid}][{pid]`},
		{`-e 'f() { g; }'`, `[-e][f() { g; }]`},
		{`{{pid}}`, `[{|{pid}|}]`},
		{`é "ü {pid}"`, `[é][ü |{pid}]`},
	} {
		words, err := SplitCommand(c.template)
		require.NoError(t, err, c.template)
		assert.Equal(t, c.want, show(words), c.template)
	}
}

func TestSplitCommandColumns(t *testing.T) {
	words, err := SplitCommand(` é "b c" {pid}x`)
	require.NoError(t, err)
	require.Len(t, words, 3)
	assert.Equal(t, []int{2, 4, 10}, []int{words[0].Column, words[1].Column, words[2].Column})
}

func TestSplitCommandErrors(t *testing.T) {
	for _, c := range []struct {
		template string
		column   int
		says     string
	}{
		{``, 1, "empty"},
		{"  \t", 1, "empty"},
		{`a "b`, 3, "never closed"},
		{`a 'b"`, 3, "never closed"},
		{`"a\"`, 1, "never closed"},
		{`a b'c`, 4, "never closed"},
		{`é {shellpath}`, 3, `unknown placeholder {shellpath} (did you mean "shell_path"?)`},
		{`"{PID}"`, 2, "unknown placeholder"},
		{"a\x00b", 2, "NUL"},
	} {
		_, err := SplitCommand(c.template)
		var e *TemplateError
		require.ErrorAs(t, err, &e, c.template)
		assert.Equal(t, c.column, e.Column, c.template)
		assert.Contains(t, e.Message, c.says)
	}
}

func TestExpand(t *testing.T) {
	values := map[string]string{"path": "/tmp/{pid}", "pid": "7", "empty": ""}
	for text, want := range map[string]string{
		"":                    "",
		"{path}":              "/tmp/{pid}",
		"a{pid}b{pid}":        "a7b7",
		"{empty}":             "",
		"${path} {unknown}":   "${path} {unknown}",
		"{ pid } {} {{pid}}":  "{ pid } {} {7}",
		"f() { echo {pid}; }": "f() { echo 7; }",
	} {
		assert.Equal(t, want, Expand(text, values), text)
	}
}

func FuzzSplitCommand(f *testing.F) {
	for _, s := range []string{`"{shell_path}" -i`, `'a b' "c\"d" e\ f`, `{pid}{guid}`, `"unclosed`, `{nope}`, "${pid}", "\\", `""`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, template string) {
		words, err := SplitCommand(template)
		if err != nil {
			var e *TemplateError
			require.ErrorAs(t, err, &e)
			require.GreaterOrEqual(t, e.Column, 1)
			require.LessOrEqual(t, e.Column, utf8.RuneCountInString(template)+1)
			return
		}
		require.NotEmpty(t, words)
		last := 0
		for _, w := range words {
			require.Greater(t, w.Column, last, "words come in order")
			last = w.Column
			for _, p := range w.Parts {
				require.NotEqual(t, p.Text == "", p.Placeholder == "", "text or placeholder: %+v", p)
			}
		}
		if !utf8.ValidString(template) {
			return // quoting below would not be faithful
		}
		var quoted []string
		for _, w := range words {
			var b strings.Builder
			for _, p := range w.Parts {
				if p.Placeholder != "" {
					b.WriteString("{" + p.Placeholder + "}")
				}
				b.WriteString(strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(p.Text))
			}
			quoted = append(quoted, `"`+b.String()+`"`)
		}
		again, err := SplitCommand(strings.Join(quoted, " "))
		if err == nil { // text such as `$` before a placeholder reads differently
			require.Len(t, again, len(words), "quoting every word keeps their number")
		}
	})
}

// It replaces what a placeholder's pattern finds, and nothing else.
func TestExpandIsThePattern(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringOf(rapid.RuneFrom([]rune("{}$ab_1é[@`{}"))).Draw(t, "text")
		values := map[string]string{"a": "{b}", "b": "", "ab": "$", "_": "x", "a1": "}"}
		want := placeholder().ReplaceAllStringFunc(text, func(m string) string {
			if v, ok := values[strings.Trim(m, "{}")]; ok {
				return v
			}
			return m
		})
		assert.Equal(t, want, Expand(text, values))
	})
}
