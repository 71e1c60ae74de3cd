package schema

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// manual is the description of the schema for people. The text between `<!-- keys NAME
// -->` or `<!-- kinds FILE -->` and `<!-- end -->` is generated here.
const manual = "../SCHEMA.md"

var generated = regexp.MustCompile(`(?s)<!-- (keys|kinds|placeholders|limits) (\S+) -->\n(.*?)<!-- end -->`)

func TestSchemaDoc(t *testing.T) {
	text, err := os.ReadFile(manual)
	require.NoError(t, err)
	var documented []string
	got := generated.ReplaceAllStringFunc(string(text), func(block string) string {
		m := generated.FindStringSubmatch(block)
		body := ""
		switch m[1] {
		case "keys":
			documented = append(documented, m[2])
			body = keyTable(t, m[2])
		case "kinds":
			body = kindTable(t, m[2])
		case "placeholders":
			body = "`{" + strings.Join(Placeholders(), "}` `{") + "}`\n"
		case "limits":
			body = fmt.Sprintf("%d MiB of file, %d levels, %d values, %d keys of one mapping, %d bytes of pattern, %d MiB of script, %s for one match\n",
				maxFileSize>>20, maxDepth, maxNodes, maxKeys, maxPattern, maxScript>>20, MatchLimit)
		}
		return fmt.Sprintf("<!-- %s %s -->\n%s<!-- end -->", m[1], m[2], body)
	})
	golden(t, manual, got)

	want := []string{"top", "project/cli", "project/adapters", "project/loop", "project/event_loop", "project/hats", "scenario/turns"}
	for _, name := range rootKeys().names() {
		if p := rootKeys().property(name); p.items().names() != nil || p.names() != nil {
			want = append(want, name)
		}
	}
	assert.ElementsMatch(t, want, documented, "every section has its table")
}

// TestExamplesOfTheManual loads what SCHEMA.md shows as a whole file.
func TestExamplesOfTheManual(t *testing.T) {
	text, err := os.ReadFile(manual)
	require.NoError(t, err)
	var others int
	for _, e := range regexp.MustCompile("(?s)```yaml\n# (ripple.yml|scenario.yaml)\n(.*?)```").FindAllSubmatch(text, -1) {
		others++
		var ds []Diagnostic
		if string(e[1]) == "ripple.yml" {
			_, ds = ParseProject("example", e[2])
		} else {
			_, ds = ParseScenario("example", e[2])
		}
		assert.Empty(t, render(ds))
	}
	assert.Equal(t, 2, others)
	examples := regexp.MustCompile("(?s)```yaml\n(schema: 1\n.*?)```").FindAllSubmatch(text, -1)
	require.NotEmpty(t, examples)
	for _, e := range examples {
		a, ds := Parse("example", e[1], Options{})
		require.Empty(t, render(ds))
		assert.Empty(t, render(Lint("example", e[1], Options{})), a.Name)
	}
}

// keyTable lists the keys of a section; "top" is the adapter itself, "project/cli"
// a section of another kind of file.
func keyTable(t *testing.T, section string) string {
	t.Helper()
	var b strings.Builder
	b.WriteString("| key | type | default | meaning |\n|---|---|---|---|\n")
	if section == "top" {
		for _, k := range Keys() {
			writeKey(&b, "", k)
		}
		return b.String()
	}
	all := Keys()
	if file, of, other := strings.Cut(section, "/"); other {
		all, section = map[string]*grammar{"project": projectGrammar, "scenario": scenarioGrammar}[file].keys(), of
	}
	i := slices.IndexFunc(all, func(k Key) bool { return k.Path == section })
	require.GreaterOrEqual(t, i, 0, "section %s", section)
	writeKeys(&b, section, all[i].Keys)
	return b.String()
}

func writeKeys(b *strings.Builder, section string, list []Key) {
	for _, k := range list {
		writeKey(b, section, k)
		writeKeys(b, section, k.Keys)
	}
}

func writeKey(b *strings.Builder, section string, k Key) {
	fallback := ""
	switch {
	case k.Required:
		fallback = "required"
	case k.Default != "":
		fallback = "`" + k.Default + "`"
	}
	path := strings.TrimPrefix(strings.TrimPrefix(strings.TrimPrefix(k.Path, section), "[]"), ".")
	cell := strings.NewReplacer("|", `\|`, "\n", " ")
	fmt.Fprintf(b, "| `%s` | %s | %s | %s |\n", path, cell.Replace(k.Type), cell.Replace(fallback), cell.Replace(k.Meaning))
}

type kind struct{ name, meaning string }

// kinds returns the Kind constants of a Go file with their comments.
func kinds(t *testing.T, file string) []kind {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ParseComments)
	require.NoError(t, err)
	var list []kind
	ast.Inspect(f, func(n ast.Node) bool {
		v, isValue := n.(*ast.ValueSpec)
		if isValue && strings.HasPrefix(v.Names[0].Name, "Kind") {
			list = append(list, kind{strings.Trim(v.Values[0].(*ast.BasicLit).Value, `"`), strings.TrimSpace(v.Comment.Text())})
		}
		return true
	})
	require.NotEmpty(t, list)
	return list
}

func kindTable(t *testing.T, file string) string {
	t.Helper()
	var b strings.Builder
	b.WriteString("| kind | meaning |\n|---|---|\n")
	for _, k := range kinds(t, file) {
		fmt.Fprintf(&b, "| `%s` | %s |\n", k.name, k.meaning)
	}
	return b.String()
}
