package schema

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func allKeys(list []Key) []Key {
	var all []Key
	for _, k := range list {
		all = append(append(all, k), allKeys(k.Keys)...)
	}
	return all
}

func TestLookup(t *testing.T) {
	for word, want := range map[string][]string{
		"process.tty.echo":                     {"process.tty.echo"},
		"tty.echo":                             {"process.tty.echo"},
		"tests":                                {"tests"},
		"tests.eval":                           {"tests[].eval"},
		"tests[].eval":                         {"tests[].eval"},
		"tests[3].eval":                        {"tests[].eval"},
		"tests.3.eval":                         {"tests[].eval"},
		"expect_mode":                          {"tests[].setup_sequence[].expect_mode", "tests[].expect_mode"},
		"tempfile.invocation_template":         {"input.tempfile.invocation_template"},
		"name":                                 {"name"}, // the whole path wins over all that end so
		"tests.setup_sequence.expect":          {"tests[].setup_sequence[].expect"},
		"agent.options.model.args":             {"agent.options.model.args"},
		"process.version.pattern":              {"process.version.pattern"},
		"shell_integration.nonce":              {"prompt.shell_integration.nonce"},
		"ready.suppress_mirror_during_inject.": {"ready.suppress_mirror_during_inject"},
	} {
		found, near := Lookup(word)
		var paths []string
		for _, k := range found {
			paths = append(paths, k.Path)
		}
		assert.Equal(t, want, paths, word)
		assert.Empty(t, near)
	}
	for word, want := range map[string]string{
		"process.ttt.echo": "process.tty.echo", "eccho": "process.tty.echo", "proces": "process", "prompt.primry": "prompt.primary", "zzzzzz": "",
	} {
		found, near := Lookup(word)
		assert.Empty(t, found, word)
		assert.Equal(t, want, append(near, "")[0], word)
	}
}

// Each key has a meaning and a type, and an example in the JSON Schema or in an adapter
// that comes with ripple; a key of an agent at least one of its section.
func TestEveryKeyIsExplained(t *testing.T) {
	files, err := filepath.Glob("../adapters/*.yaml")
	require.NoError(t, err)
	used := map[string]bool{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		d := parseDocument(file, text)
		for pointer, p := range d.places {
			if p.value != nil && !isNull(p.value) {
				used[byNumber(pointer)] = true
			}
		}
	}
	for _, k := range allKeys(Keys()) {
		assert.NotEmpty(t, k.Meaning, k.Path)
		assert.NotEmpty(t, k.Type, k.Path)
		if !strings.HasPrefix(k.Path, "agent.") && len(k.Keys) == 0 {
			assert.True(t, k.Example != "" || used[k.Path], "%s has no example: give its JSON Schema one", k.Path)
		}
	}
}

// byNumber is a JSON pointer in the form of a key's path.
func byNumber(pointer string) string {
	var b strings.Builder
	for token := range strings.SplitSeq(strings.TrimPrefix(pointer, "/"), "/") {
		switch {
		case strings.Trim(token, "0123456789") == "":
			b.WriteString("[]")
		case b.Len() > 0:
			b.WriteString("." + token)
		default:
			b.WriteString(token)
		}
	}
	return b.String()
}

// An example of the JSON Schema is one of the values that it allows.
func TestExamplesOfTheJSONSchema(t *testing.T) {
	n := 0
	var walk func(where string, v any)
	walk = func(where string, v any) {
		k, isObject := v.(map[string]any)
		if list, is := v.([]any); is {
			for i, item := range list {
				walk(fmt.Sprint(where, "/", i), item)
			}
		}
		for name, below := range k {
			walk(where+"/"+name, below)
		}
		examples, _ := k["examples"].([]any)
		if !isObject || len(examples) == 0 {
			return
		}
		for _, e := range examples {
			n++
			assert.Contains(t, jsonObject(k).strings("type"), map[bool]string{true: "integer", false: typeOf(e)}[typeOf(e) == "number"], where)
			if all, is := k["enum"].([]any); is {
				assert.True(t, slices.Contains(all, e), where)
			}
			if f, is := formats[fmt.Sprint(k["format"])]; is {
				assert.NoError(t, f.check(e.(string)), where)
			}
		}
	}
	walk("", map[string]any(rootKeys()))
	assert.Greater(t, n, 30)
}

func typeOf(v any) string {
	switch v.(type) {
	case string:
		return "string"
	case bool:
		return "boolean"
	case []any:
		return "array"
	case map[string]any:
		return "object"
	}
	return "number"
}

func TestExample(t *testing.T) {
	const file = "process: {tty: {echo: false, cols: 80}} # why\ntests:\n- name: one\n  eval: x\n- name: two\n  setup: |\n    a\n    b\nagent: {exit_codes: {\"1\": error}}\nempty: null\n"
	for path, want := range map[string]string{
		"process.tty.echo":   "process:\n  tty:\n    echo: false\n",
		"tests[].setup":      "tests:\n  - setup: |\n      a\n      b\n",
		"tests[].eval":       "tests:\n  - eval: x\n",
		"process.tty":        "process:\n  tty: {echo: false, cols: 80}\n",
		"empty":              "",
		"process.none":       "",
		"process.tty.echo.x": "",
	} {
		assert.Equal(t, want, Example([]byte(file), path), path)
	}
	assert.Empty(t, Example([]byte("a: ["), "a"))
	found, _ := Lookup("input.empty_line")
	assert.Equal(t, "input:\n  empty_line: none\n", found[0].Example)
}
