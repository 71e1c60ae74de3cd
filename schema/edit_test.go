package schema

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gopkg.in/yaml.v3"
)

// What stands between <<…>> is replaced, and nothing else.
func TestSetText(t *testing.T) {
	for _, c := range []struct{ name, file, pointer, text, want string }{
		{"plain", "a: 1\nb: <<old>> # why\nc: 2\n", "/b", "new", `'new'`},
		{"single quotes", "b: <<'o''ld'>>  # why\n", "/b", "it's", `'it''s'`},
		{"double quotes", `b: <<"o\"l\\d">>` + "\n", "/b", `\d`, `'\d'`},
		{"a flow", "t: [{n: x, expect: <<'^5$'>>}, {n: y, expect: z}] # both\n", "/t/0/expect", "^6$", `'^6$'`},
		{"a list", "t:\n  - <<x>>\n  - x\n", "/t/0", "y", `'y'`},
		{"a block", "t:\n- expect: <<|\n    one\n\n    two>>\n  # of the next\n  n: x\n", "/t/0/expect", `one\ntwo`, `'one\ntwo'`},
		{"a folded block at the end", "t:\n- n: x\n  expect: <<>-\n    one\n    two>>\n\n", "/t/0/expect", "a", `'a'`},
		{"several lines in quotes", "b: <<'one\n\n  two'>>\nc: 1\n", "/b", "x", `'x'`},
		{"what single quotes cannot hold", "b: <<x>>\n", "/b", "a\tb", `"a\tb"`},
		{"an escape in the pointer", "a/b: <<x>>\n", "/a~1b", "y", `'y'`},
		{"wide characters before it", "{日本: 語, b: <<x>>}\n", "/b", "y", `'y'`},
		{"a byte order mark and CRLF", "\ufeffa: 1\r\nb: <<x>> # why\r\nc: 2\r\n", "/b", "y", `'y'`},
		{"empty text", "b: <<''>>\nc: 1\n", "/b", "y", `'y'`},
	} {
		t.Run(c.name, func(t *testing.T) {
			before, rest, _ := strings.Cut(c.file, "<<")
			_, after, found := strings.Cut(rest, ">>")
			require.True(t, found)
			if strings.HasPrefix(rest, ">-") { // the block's own sign
				_, after, _ = strings.Cut(rest[2:], ">>")
			}
			file := before + strings.TrimSuffix(rest, ">>"+after) + after
			got, err := SetText([]byte(file), c.pointer, c.text)
			require.NoError(t, err)
			assert.Equal(t, before+c.want+after, string(got))
		})
	}
}

func TestSetTextRefuses(t *testing.T) {
	for _, c := range []struct{ name, file, pointer, want string }{
		{"an alias", "a: &x old\nb: *x\n", "/b", "line 2: /b is written as an alias"},
		{"the target of one", "a: &x old\nb: *x\n", "/a", "cannot be "},
		{"a mapping", "a: {b: c}\n", "/a", "as an alias or a collection"},
		{"plain text over two lines", "a: one\n  two\n", "/a", "line 1: the text cannot be found"},
		{"a comment that would be lost", "a: | # why\n  one\nb: 1\n", "/a", "another part of the file would change"},
		{"no such key", "a: 1\n", "/b", "there is no /b"},
		{"no such item", "a: [1]\n", "/a/7", "there is no /a/7"},
		{"no YAML", "a: [\n", "/a", "did not find"},
		{"nothing", "", "/a", "empty"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := SetText([]byte(c.file), c.pointer, "new")
			assert.ErrorContains(t, err, c.want)
		})
	}
}

// Whatever the file, one that comes out has the new text and everything else as before.
func FuzzSetText(f *testing.F) {
	f.Add("a: &x 'o'\nb: [*x, {c: |\n  d\n}]\n", "/a", "new: '#\n")
	f.Add("a: >-\n  one\n\n\n  two\n# c\nb: x", "/a", "\x00")
	f.Fuzz(func(t *testing.T, file, pointer, text string) {
		got, err := SetText([]byte(file), pointer, text)
		if err != nil {
			return
		}
		var before, after yaml.Node
		require.NoError(t, yaml.Unmarshal([]byte(file), &before))
		require.NoError(t, yaml.Unmarshal(got, &after))
		b, _, err := scalarAt(before.Content[0], pointer)
		require.NoError(t, err)
		a, _, err := scalarAt(after.Content[0], pointer)
		require.NoError(t, err)
		assert.Equal(t, strings.ToValidUTF8(text, "\ufffd"), strings.ToValidUTF8(a.Value, "\ufffd"))
		a.Value, a.Style, a.Tag = b.Value, b.Style, b.Tag
		assert.True(t, sameTree(&before, &after))
	})
}
