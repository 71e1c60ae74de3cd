package conformance

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Maximum sizes.
const (
	maxLines   = 300 // of a file
	maxFields  = 20  // of a struct
	maxMethods = 25  // of a type
)

// larger are the exceptions, by file or by directory.Type, each with the reason.
var larger = map[string]string{
	// Types of file formats have a field for each key.
	"schema.Adapter":             "the sections and keys at the top of an adapter file",
	"runtime/loop/config.Config": "a loop's settings, one field each, and their sources",
	"runtime/loop/record.State":  "the state that a loop needs to continue after a crash, written as a whole",
	"runtime/loop/record.Line":   "a line of events.jsonl: the fields of all its types, flat as its readers take them",
	"runtime/console.Command":    "a command as a console's API gives it: the fields of one JSON object",

	// Types that implement a standard have a method for each of its items, all on one state.
	"runtime/internal/vt.Parser":       "the states of the DEC diagram and the fast ways past them, on one sequence under construction",
	"runtime/internal/vt.Screen":       "the control functions of a terminal, on one grid with one cursor",
	"runtime/internal/render.Renderer": "operations on the one unfinished line; the line as columns is cellLine",
}

// size is the size of a type.
type size struct {
	fields  int
	methods map[string]bool // by name, so that variants for operating systems count once
}

// TestSizesAreSmallOrNamed limits files and types to a size that a reader can keep in mind. Tests
// and generated files are excluded.
func TestSizesAreSmallOrNamed(t *testing.T) {
	lines, types := map[string]int{}, map[string]*size{}
	fset := token.NewFileSet()
	for _, file := range sources(t) {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(fset, filepath.Join(root, file), nil, parser.ParseComments|parser.SkipObjectResolution)
		require.NoError(t, err)
		if ast.IsGenerated(f) {
			continue
		}
		file = filepath.ToSlash(file)
		lines[file] = fset.Position(f.FileEnd).Line - 1
		countTypes(f, path.Dir(file), types)
	}
	found := map[string]string{}
	for file, n := range lines {
		if n > maxLines {
			found[file] = fmt.Sprintf("%d lines", n)
		}
	}
	for name, s := range types {
		if s.fields > maxFields || len(s.methods) > maxMethods {
			found[name] = fmt.Sprintf("%d fields, %d methods", s.fields, len(s.methods))
		}
	}
	for name, n := range found {
		assert.NotEmptyf(t, larger[name], "%s has %s: split it by responsibility", name, n)
	}
	for name := range larger {
		assert.Containsf(t, found, name, "%s is no longer that large: remove it from the list", name)
	}
	assert.NotEmpty(t, types)
}

func countTypes(f *ast.File, dir string, types map[string]*size) {
	of := func(name string) *size {
		key := dir + "." + name
		if types[key] == nil {
			types[key] = &size{methods: map[string]bool{}}
		}
		return types[key]
	}
	for _, decl := range f.Decls {
		switch d := decl.(type) {
		case *ast.FuncDecl:
			if name := receiver(d); name != "" {
				of(name).methods[d.Name.Name] = true
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				s, ok := spec.(*ast.TypeSpec)
				if !ok {
					continue
				}
				if st, ok := s.Type.(*ast.StructType); ok {
					of(s.Name.Name).fields = max(of(s.Name.Name).fields, st.Fields.NumFields())
				}
			}
		}
	}
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
