package schema

import (
	"encoding/json"
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
	"gopkg.in/yaml.v3"
)

// manual is the description of the schema for people. What stands in it
// between `<!-- keys NAME -->` or `<!-- kinds FILE -->` and `<!-- end -->`
// comes from here.
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
			body = fmt.Sprintf("%d MiB of file, %d levels, %d values, %d bytes of pattern, %d MiB of script, %s for one match\n",
				maxFileSize>>20, maxDepth, maxNodes, maxPattern, maxScript>>20, MatchLimit)
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
		for _, name := range order(t, rootKeys()) {
			writeKey(&b, name, rootKeys(), rootKeys().property(name))
		}
		return b.String()
	}
	root := rootKeys()
	if file, of, other := strings.Cut(section, "/"); other {
		root, section = map[string]*grammar{"project": projectGrammar, "scenario": scenarioGrammar}[file].root(), of
	}
	k := root.property(section)
	require.NotNil(t, k, "section %s", section)
	if items := k.items(); items != nil {
		k = items
	}
	if any, is := k["additionalProperties"].(map[string]any); is && len(k.names()) == 0 { // keys of one's own
		writeKeys(t, &b, "NAME.", any)
		return b.String()
	}
	writeKeys(t, &b, "", k)
	return b.String()
}

func writeKeys(t *testing.T, b *strings.Builder, prefix string, k keys) {
	t.Helper()
	for _, name := range order(t, k) {
		p := k.property(name)
		writeKey(b, prefix+name, k, p)
		writeKeys(t, b, prefix+name+".", p)
		if items := p.items(); items != nil {
			writeKeys(t, b, prefix+name+"[].", items)
		}
	}
}

func writeKey(b *strings.Builder, path string, parent, k keys) {
	name := path[strings.LastIndexByte(path, '.')+1:]
	fallback := ""
	switch d, has := k["default"]; {
	case slices.Contains(parent.strings("required"), name):
		fallback = "required"
	case has && len(k.names()) == 0:
		text, _ := json.Marshal(d) // values that came from JSON
		fallback = "`" + string(text) + "`"
	}
	cell := strings.NewReplacer("|", `\|`, "\n", " ")
	fmt.Fprintf(b, "| `%s` | %s | %s | %s |\n", path, cell.Replace(typeCell(k)), cell.Replace(fallback), cell.Replace(fmt.Sprint(k["description"])))
}

var formNames = map[any]string{
	"pattern": "pattern", "expect-pattern": "pattern", "command-template": "command template", "path-template": "path template",
	"semver": "version", "url": "URL", "name": "name", "label": "name", "env-name": "variable name", "file-name": "file name", "resource": "path",
}

func typeCell(k keys) string {
	switch types := k.strings("type"); {
	case k["const"] != nil:
		return fmt.Sprintf("`%v`", k["const"])
	case k["enum"] != nil:
		return "`" + strings.Join(k.strings("enum"), "` `") + "`"
	case k.items() != nil && len(k.items().names()) == 0:
		return "list of " + typeCell(k.items())
	case slices.Contains(types, "array"):
		return "list"
	case k["minimum"] != nil:
		return fmt.Sprintf("%s %.0f…%.0f", types[0], k["minimum"], k["maximum"])
	case formNames[k["format"]] != "":
		return formNames[k["format"]]
	case len(types) == 3:
		return "text"
	default:
		return strings.NewReplacer("boolean", "bool", "object", "mapping").Replace(strings.Join(types, ", "))
	}
}

// order returns the keys of an object as the JSON Schema lists them.
func order(t *testing.T, k keys) []string {
	t.Helper()
	names := k.names()
	if len(names) == 0 {
		return nil
	}
	for _, text := range [][]byte{jsonText, projectText, scenarioText} {
		var root yaml.Node // JSON is YAML, whose nodes keep the order
		require.NoError(t, yaml.Unmarshal(text, &root))
		if listed := listing(&root, names); listed != nil {
			return listed
		}
	}
	require.Fail(t, "in no JSON Schema", names)
	return nil
}

// listing finds the mapping with just these keys.
func listing(n *yaml.Node, names []string) []string {
	if n.Kind == yaml.MappingNode {
		var found []string
		for i := 0; i < len(n.Content); i += 2 {
			found = append(found, n.Content[i].Value)
		}
		if slices.Equal(slices.Sorted(slices.Values(found)), names) {
			return found
		}
	}
	for _, c := range n.Content {
		if found := listing(c, names); found != nil {
			return found
		}
	}
	return nil
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
