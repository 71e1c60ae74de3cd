package conformance

import (
	"fmt"
	"go/ast"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

//go:generate go test . -run TestArchitecture$ -update

const architecture = "ARCHITECTURE.md"

// tableOf matches the table of layers in that file.
var tableOf = regexp.MustCompile(`(?s)(<!-- layers: generated -->\n).*?(<!-- end -->)`)

// TestArchitecture checks that the documented table of layers is the enforced one, with the first
// sentence of each package's documentation.
func TestArchitecture(t *testing.T) {
	path := filepath.Join(root, architecture)
	page, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Regexp(t, tableOf, string(page))
	want := tableOf.ReplaceAllString(string(page), "${1}"+strings.ReplaceAll(layerTable(t), "$", "$$")+"${2}")
	if *update {
		require.NoError(t, os.WriteFile(path, []byte(want), 0o644))
		return
	}
	assert.Equal(t, want, string(page), "go generate ./conformance writes it")
}

func layerTable(t *testing.T) string {
	docs := map[string]string{}
	for _, p := range goList(t, "linux") {
		if p.ours() {
			docs[p.short()] = p.Doc
		}
	}
	names := slices.SortedFunc(maps.Keys(layers), func(a, b string) int {
		if d := layers[a].layer - layers[b].layer; d != 0 {
			return d
		}
		return strings.Compare(a, b)
	})
	b := &strings.Builder{}
	b.WriteString("| layer | package | what it does |\n|---|---|---|\n")
	for _, name := range names {
		if strings.HasPrefix(name, "conformance") {
			continue
		}
		layer := "base"
		if n := layers[name].layer; n >= 0 {
			layer = fmt.Sprintf("L%d", n)
		}
		fmt.Fprintf(b, "| %s | `%s` | %s |\n", layer, name, doing(docs[name]))
	}
	return b.String()
}

// doing returns a package's first sentence without its subject.
func doing(doc string) string {
	words := strings.SplitN(doc, " ", 3) // "Package name does …"
	if len(words) < 3 {
		return doc
	}
	return strings.TrimSuffix(words[2], ".")
}

// ARCHITECTURE.md can be read in one sitting, and its glossary is short.
func TestArchitectureIsShort(t *testing.T) {
	page, err := os.ReadFile(filepath.Join(root, architecture))
	require.NoError(t, err)
	text := tableOf.ReplaceAllString(string(page), "")
	assert.LessOrEqual(t, strings.Count(text, "\n"), 130, "lines without the table")
	_, glossary, found := strings.Cut(text, "\n## Glossary\n")
	require.True(t, found)
	terms := strings.Count(glossary, "\n- **")
	assert.NotZero(t, terms)
	assert.LessOrEqual(t, terms, 30, "words of the glossary")
}

// named matches a function, method or type in the form of the walks: `stream.text`, `journal.View`.
var named = regexp.MustCompile("`([A-Za-z]+)\\.([A-Za-z]+)`")

// The walks through the code mention existing names: each is a method with its type, or an exported
// name with its package.
func TestArchitectureNamesExistingCode(t *testing.T) {
	there := map[string]bool{}
	eachNode(t, func(file string, _ int, n ast.Node) {
		of := path.Base(path.Dir(filepath.ToSlash(file)))
		switch n := n.(type) {
		case *ast.FuncDecl:
			there[of+"."+n.Name.Name] = true
			there[receiver(n)+"."+n.Name.Name] = true
		case *ast.TypeSpec:
			there[of+"."+n.Name.Name] = true
			if s, ok := n.Type.(*ast.StructType); ok {
				for _, f := range s.Fields.List {
					for _, name := range f.Names {
						there[n.Name.Name+"."+name.Name] = true
					}
				}
			}
		}
	})
	page, err := os.ReadFile(filepath.Join(root, architecture))
	require.NoError(t, err)
	endings := []string{"go", "md", "json", "yaml", "jsonl"}
	found := 0
	for _, name := range named.FindAllStringSubmatch(tableOf.ReplaceAllString(string(page), ""), -1) {
		if !slices.Contains(endings, name[2]) {
			found++
			assert.Truef(t, there[name[1]+"."+name[2]], "%s names %s.%s, which does not exist", architecture, name[1], name[2])
		}
	}
	assert.NotZero(t, found)
}

// receiver returns the name of a method's receiver type, "" for a function.
func receiver(d *ast.FuncDecl) string {
	if d.Recv == nil {
		return ""
	}
	x := d.Recv.List[0].Type
	for {
		switch r := x.(type) {
		case *ast.StarExpr:
			x = r.X
		case *ast.IndexExpr:
			x = r.X
		case *ast.Ident:
			return r.Name
		default:
			return ""
		}
	}
}
