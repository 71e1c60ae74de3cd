package conformance

import (
	"go/ast"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestNamesDifferByMoreThanCase compares the package-level names of each package. A field
// and the exported method that returns it may differ by case only. Test files are left out.
func TestNamesDifferByMoreThanCase(t *testing.T) {
	packages := map[string]map[string]bool{} // names by package
	declare := func(dir string, names ...string) {
		if packages[dir] == nil {
			packages[dir] = map[string]bool{}
		}
		for _, name := range names {
			packages[dir][name] = true
		}
	}
	eachSource(t, func(dir string, f *ast.File) {
		for _, decl := range f.Decls {
			switch d := decl.(type) {
			case *ast.FuncDecl:
				if name := d.Name.Name; d.Recv == nil && name != "init" && name != "main" {
					declare(dir, name)
				}
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					switch s := spec.(type) {
					case *ast.ValueSpec:
						for _, id := range s.Names {
							declare(dir, id.Name)
						}
					case *ast.TypeSpec:
						declare(dir, s.Name.Name)
					}
				}
			}
		}
	})
	var found []string
	for dir, names := range packages {
		folded := map[string][]string{}
		for name := range names {
			folded[strings.ToLower(name)] = append(folded[strings.ToLower(name)], name)
		}
		for _, same := range folded {
			if slices.Sort(same); len(same) > 1 {
				found = append(found, dir+": "+strings.Join(same, " "))
			}
		}
	}
	assert.Empty(t, found, "rename one of the two")
}

// TestNoResultIsNilWithoutAnError finds `return nil, nil` in functions with two results of
// which the second is an error: a caller that checks the error would use the nil value.
// Test files are left out.
func TestNoResultIsNilWithoutAnError(t *testing.T) {
	var found []string
	eachSource(t, func(dir string, f *ast.File) {
		for _, decl := range f.Decls {
			d, ok := decl.(*ast.FuncDecl)
			if !ok || d.Body == nil {
				continue
			}
			name := d.Name.Name
			if r := receiver(d); r != "" {
				name = r + "." + name
			}
			if returnsNilNil(d.Type, d.Body) {
				found = append(found, dir+"."+name)
			}
		}
	})
	slices.Sort(found)
	assert.Empty(t, slices.Compact(found), "return an error value or a bool instead of nil, nil")
}

// returnsNilNil looks at a function and the function literals in it.
func returnsNilNil(typ *ast.FuncType, body *ast.BlockStmt) (found bool) {
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			found = found || returnsNilNil(n.Type, n.Body)
			return false
		case *ast.ReturnStmt:
			found = found || valueAndError(typ) && len(n.Results) == 2 && isNil(n.Results[0]) && isNil(n.Results[1])
		}
		return true
	})
	return found
}

// valueAndError reports whether a function returns one value, other than a slice or a map
// whose nil is empty, and an error.
func valueAndError(typ *ast.FuncType) bool {
	if typ.Results == nil || typ.Results.NumFields() != 2 {
		return false
	}
	list := typ.Results.List
	switch x := list[0].Type.(type) {
	case *ast.ArrayType, *ast.MapType:
		return false
	case *ast.Ident:
		if x.Name == "any" {
			return false
		}
	}
	last, ok := list[len(list)-1].Type.(*ast.Ident)
	return ok && last.Name == "error"
}

func isNil(x ast.Expr) bool {
	id, ok := x.(*ast.Ident)
	return ok && id.Name == "nil"
}

// eachSource calls f with each Go file of the module that is neither a test nor generated.
func eachSource(t *testing.T, f func(dir string, file *ast.File)) {
	t.Helper()
	for _, s := range sources(t) {
		if !ast.IsGenerated(s.syntax) {
			f(path.Dir(filepath.ToSlash(s.path)), s.syntax)
		}
	}
}
