package registry

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"

	"example.org/ripple/schema"
)

func TestHeader(t *testing.T) {
	cases := []struct {
		name, text string
		plain      bool
		has        string // contained in the collected text, when it is plain
	}{
		{"block sequence", "name: a\naliases:\n  - b\n  - c\nfamily: repl\n", true, "c"},
		{"block sequence in column 1", "name: a\naliases:\n- b\n# note\n- c\nfamily: x", true, "c"},
		{"a value over lines", "name:\n  a\nversion: 1", true, "a"},
		{"flow sequence over lines", "aliases: [b,\n  c]\nname: a", true, "c"},
		{"blank before the colon", "name : a", true, "a"},
		{"byte order mark, CRLF", "\ufeffname: a\r\naliases: [b]\r\n", true, "b"},
		{"document marker", "---\nname: a", true, "a"},
		{"content after the marker", "--- {name: a}", false, ""},
		{"flow mapping", "{name: a}", false, ""},
		{"quoted key", "\"name\": a", false, ""},
		{"indented mapping", "  name: a\n", false, ""},
		{"indented mapping with a quote over lines", "  x: \"\nname: b\"\n  name: a\n", false, ""},
		{"escape", "name: \"\\x61\"", false, ""},
		{"reference", "x: &n a\nname: *n", false, ""},
		{"merge", "<<: {name: a}", false, ""},
		{"directive", "%YAML 1.2\n---\nname: a", false, ""},
		{"CR alone", "x: 1\rname: a", false, ""},
		{"explicit key", "? name\n: a", false, ""},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			h := readHeader([]byte(c.text))
			assert.Equal(t, c.plain, h.plain)
			assert.Contains(t, h.text, c.has)
		})
	}
}

// Aliases may follow where a file was cut off.
func TestALongFileIsNotReadByItsHeader(t *testing.T) {
	long := "name: a\n# " + strings.Repeat("x", maxHead) + "\naliases: [b]\n"
	files := fstest.MapFS{"a.yaml": {Data: []byte(long)}}
	assert.True(t, headerOf(files, "a.yaml", maxHead)().mentions("b"))
}

// The header must contain every name that the parser finds, or Find would skip a file that
// List shows.
func FuzzHeaderSeesEveryName(f *testing.F) {
	f.Add(adapterYAML("bash", "x", "sh", "bourne"))
	f.Add(strings.Replace(adapterYAML("bash", "x"), "aliases: []", "aliases:\n- a\n- b", 1))
	f.Add(strings.ReplaceAll(adapterYAML("bash", "x", "sh"), "\n", "\r\n"))
	f.Add("--- " + adapterYAML("bash", "x"))
	f.Add("  " + strings.ReplaceAll(adapterYAML("bash", "x", "sh"), "\n", "\n  "))
	f.Add(strings.Replace(adapterYAML("b", "x"), "name: b", "name: >-\n  b", 1))
	f.Fuzz(func(t *testing.T, text string) {
		a, _ := schema.Parse("f.yaml", []byte(text), schema.Options{})
		h := readHeader([]byte(text))
		if a == nil {
			return
		}
		for _, name := range append([]string{a.Name}, a.Aliases...) {
			if !h.mentions(name) {
				t.Fatalf("%q is not in the header %q of\n%s", name, h.text, text)
			}
		}
	})
}
