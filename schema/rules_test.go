package schema

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v5"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

var grammars = map[string]*grammar{"adapter": adapterGrammar, "project": projectGrammar, "scenario": scenarioGrammar}

// annotations say nothing about what is allowed.
var annotations = strings.Fields("$schema $id title description default examples x-keep-null")

// applied keywords are those whose values rules goes through itself.
var applied = strings.Fields("$ref $defs type properties items if then else propertyNames")

// A keyword that rules does not know would allow everything.
func TestSchemasUseKnownKeywordsOnly(t *testing.T) {
	for name, g := range grammars {
		eachSchema(g.root(), func(k keys) {
			for word := range k {
				known := keywords[word] != nil || slices.Contains(applied, word) || slices.Contains(annotations, word)
				assert.True(t, known, "%s: keyword %s", name, word)
			}
		})
	}
}

// eachSchema calls f for every schema in a schema.
func eachSchema(k keys, f func(keys)) {
	f(k)
	for word, v := range k {
		o, isObject := v.(map[string]any)
		switch {
		case !isObject || slices.Contains(annotations, word):
		case word == "properties" || word == "$defs":
			for _, p := range o {
				eachSchema(p.(map[string]any), f)
			}
		default:
			eachSchema(o, f)
		}
	}
}

// implementation compiles a JSON Schema with a whole implementation of the standard.
func implementation(t testing.TB, g *grammar) *jsonschema.Schema {
	t.Helper()
	text := map[string][]byte{"adapter": jsonText, "project": projectText, "scenario": scenarioText}[g.name]
	c := jsonschema.NewCompiler()
	c.AssertFormat = true
	for name, f := range formats {
		c.Formats[name] = func(v any) bool {
			s, isText := v.(string)
			return !isText || f.check(s) == nil
		}
	}
	require.NoError(t, c.AddResource("ripple:"+g.name, bytes.NewReader(text)))
	compiled, err := c.Compile("ripple:" + g.name)
	require.NoError(t, err)
	return compiled
}

// told lists violations: the value, the object of the JSON Schema and its keyword.
func told(list []violation) (lines []string) {
	for _, v := range list {
		pointer := strings.TrimSuffix(strings.ReplaceAll(v.pointer, "//", "/"), "/") // the other one leaves empty names out
		lines = append(lines, line(pointer, v.rule, v.keyword))
	}
	return sorted(lines)
}

// line names the rule by where it is in memory: printed, all of them fill books.
func line(pointer string, rule keys, keyword string) string {
	return fmt.Sprintf("%s: %s of %v at %p", pointer, keyword, rule["description"], rule)
}

func sorted(lines []string) []string {
	slices.Sort(lines)
	return slices.Compact(lines)
}

// toldBy lists what the implementation says, in the same form.
func toldBy(g *grammar, err error) (lines []string) {
	var failed *jsonschema.ValidationError
	if !errors.As(err, &failed) {
		return nil
	}
	if len(failed.Causes) == 0 {
		_, location, _ := strings.Cut(failed.AbsoluteKeywordLocation, "#")
		cut := strings.LastIndexByte(location, '/')
		rule, _ := g.root().at(location[:cut]).(map[string]any)
		return []string{line(failed.InstanceLocation, rule, location[cut+1:])}
	}
	for _, cause := range failed.Causes {
		lines = append(lines, toldBy(g, cause)...)
	}
	return sorted(lines)
}

// samplesOf are the values of our files of a kind.
func samplesOf(t testing.TB, name string) (values []any) {
	t.Helper()
	var files []string
	for _, pattern := range []string{"../adapters/*.yaml", "testdata/*/*.yaml", "testdata/*/*/*.yaml", "../runtime/*/testdata/*.yaml"} {
		found, err := filepath.Glob(pattern)
		require.NoError(t, err)
		files = append(files, found...)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		require.NoError(t, err)
		if d := parseDocumentAs(grammars[name], file, data); d.root != nil {
			values = append(values, value(d.root))
		}
	}
	require.NotEmpty(t, values)
	return values
}

func TestRulesAgreeWithAnImplementationOnFiles(t *testing.T) {
	for name, g := range grammars {
		compiled := implementation(t, g)
		for i, v := range samplesOf(t, name) { // most are of another kind: so much the better
			require.Equal(t, toldBy(g, compiled.Validate(v)), told(violations(g.root(), v)), "%s %d", name, i)
		}
	}
}

// Files with anything in any place.
func TestRulesAgreeWithAnImplementation(t *testing.T) {
	for name, g := range grammars {
		compiled, values := implementation(t, g), samplesOf(t, name)
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(r *rapid.T) {
				v := rapid.SampledFrom(values).Draw(r, "file")
				for range rapid.IntRange(0, 4).Draw(r, "changes") {
					v = change(r, g.root(), v)
				}
				require.Equal(r, toldBy(g, compiled.Validate(v)), told(violations(g.root(), v)))
			})
		})
	}
}

// change puts something else in some place of a copy of v; k is what v should be.
func change(r *rapid.T, k keys, v any) any {
	k = k.resolve()
	deeper := rapid.IntRange(0, 5).Draw(r, "deeper") > 0
	switch v := v.(type) {
	case map[string]any:
		if deeper {
			names := append(k.names(), "other", "A=B", "7", "a/b~c d")
			name := rapid.SampledFrom(names).Draw(r, "key")
			next := k.property(name)
			if next == nil {
				next = k.object("additionalProperties")
			}
			changed := map[string]any{}
			for other, value := range v {
				changed[other] = value
			}
			if changed[name] = change(r, next, v[name]); rapid.IntRange(0, 9).Draw(r, "drop") == 0 {
				delete(changed, name)
			}
			return changed
		}
	case []any:
		if deeper && len(v) > 0 {
			changed := slices.Clone(v)
			at := rapid.IntRange(0, len(v)-1).Draw(r, "item")
			changed[at] = change(r, k.object("items"), v[at])
			return changed
		}
	}
	return rapid.SampledFrom([]any{
		nil, true, false, 0, 1, -1, 255, 256, 65536, int64(1) << 40, uint64(1) << 63, 0.5, 2.0, 1e300, "", "x", "agent", "true", "1.2.3", "(", "é",
		[]any{},
		[]any{"a"},
		[]any{"a", "b", "c"},
		[]any{map[string]any{"name": "n"}},
		map[string]any{},
		map[string]any{"name": "n", "eval": 1},
	}).Draw(r, "value")
}
