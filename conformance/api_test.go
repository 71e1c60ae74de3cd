package conformance

import (
	"bytes"
	"fmt"
	"go/importer"
	"go/token"
	"go/types"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// public returns the paths of the packages that programs outside this repository can import, within the
// module. The others are internal, commands or tests.
func public(t *testing.T) (paths []string) {
	t.Helper()
	for _, p := range goList(t, "linux") {
		path := p.short()
		if p.ours() && p.Name != "main" && !strings.Contains("/"+path+"/", "/internal/") && !strings.HasPrefix(path+"/", "conformance/") {
			paths = append(paths, path)
		}
	}
	require.NotEmpty(t, paths)
	return paths
}

// packageRow matches a row of the table of packages in docs/library.md.
var packageRow = regexp.MustCompile("(?m)^\\| `([a-z/-]+)` \\| .+ \\|$")

// A package that others can import is in the table of docs/library.md, with what they need it for, and has
// an example. Any other package belongs below an internal directory.
func TestPackagesToImportAreDescribed(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile(filepath.Join(root, "docs/library.md"))
	require.NoError(t, err)
	var rows []string
	for _, row := range packageRow.FindAllStringSubmatch(string(page), -1) {
		rows = append(rows, row[1])
	}
	paths := public(t)
	assert.ElementsMatch(t, paths, rows, "the table of docs/library.md")
	for _, path := range paths {
		files, err := filepath.Glob(filepath.Join(root, path, "*_test.go"))
		require.NoError(t, err)
		assert.Truef(t, slices.ContainsFunc(files, func(file string) bool {
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			return bytes.Contains(text, []byte("\nfunc Example() {"))
		}), "%s has no example of the package", path)
	}
}

// internalInAPI are the exported declarations that mention a type of an internal package,
// with the reason. None may be added.
var internalInAPI = map[string]string{
	"pkg runtime/terminal, type Screen = internal/vt.Screen":               "the alias is its name for importers; the tokenizer below it is nobody else's",
	"pkg runtime/loop/config, type Rule = runtime/internal/permit.Rule":    "the alias is its name for importers",
	"pkg runtime/loop/journal, type Files = internal/projectfile.Dir":      "the alias is its name for importers",
	"pkg schema, type ProgramError = schema/internal/library.ProgramError": "the alias is its name for importers; schema must not import the library that makes it",
	"pkg runtime/console, type Detacher = runtime/internal/keys.Detacher":  "the alias is its name for importers",
}

// TestAPI compares the exported declarations of the public packages with api/ripple.txt,
// so that a change of the API is seen in review. -update writes the file.
func TestAPI(t *testing.T) {
	t.Parallel()
	var lines []string
	for path, pkg := range loadTypes(t, public(t)) {
		lines = append(lines, declarations(strings.TrimPrefix(path, module+"/"), pkg)...)
	}
	slices.Sort(lines)
	got := "# The exported API of ripple's public packages, one declaration a line; go test ./conformance -run TestAPI -update writes it.\n" +
		strings.Join(lines, "\n") + "\n"
	file := filepath.Join(root, "api/ripple.txt")
	if *update {
		require.NoError(t, os.WriteFile(file, []byte(got), 0o644))
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err)
	have := strings.Split(strings.TrimSuffix(string(want), "\n"), "\n")[1:]
	for _, line := range have {
		if !slices.Contains(lines, line) {
			t.Errorf("a breaking change, which -update accepts: the API no longer has\n%s", line)
		}
	}
	for _, line := range lines {
		if !slices.Contains(have, line) {
			t.Errorf("an addition, which -update accepts: %s has no\n%s", file, line)
		}
	}
}

// TestAPIMentionsNoInternalTypes finds exported declarations whose types importers cannot name.
func TestAPIMentionsNoInternalTypes(t *testing.T) {
	t.Parallel()
	left := map[string]bool{}
	for known := range internalInAPI {
		left[known] = true
	}
	for path, pkg := range loadTypes(t, public(t)) {
		for _, line := range declarations(strings.TrimPrefix(path, module+"/"), pkg) {
			if !strings.Contains(line, "/internal/") && !strings.Contains(line, " internal/") {
				continue
			}
			if _, known := internalInAPI[line]; !known {
				t.Errorf("mentions an internal type: %s", line)
			}
			delete(left, line)
		}
	}
	assert.Empty(t, left, "no longer exists: remove it from the list")
}

// loadTypes reads the compiler's export data of packages, given by their paths within the
// module. The result is keyed by import path.
func loadTypes(t *testing.T, paths []string) map[string]*types.Package {
	t.Helper()
	exports := map[string]string{}
	for _, p := range goList(t, "linux") {
		exports[p.ImportPath] = p.Export
	}
	load := importer.ForCompiler(token.NewFileSet(), "gc", func(path string) (io.ReadCloser, error) {
		file, ok := exports[path]
		if !ok {
			return nil, fmt.Errorf("no export data of %s", path)
		}
		return os.Open(file)
	})
	loaded := map[string]*types.Package{}
	for _, path := range paths {
		pkg, err := load.Import(module + "/" + path)
		require.NoError(t, err)
		loaded[pkg.Path()] = pkg
	}
	return loaded
}

// declarations renders the exported declarations of a package, in the form of the files in
// Go's own api directory. Types of other packages are written with their full import path,
// and those of the module with the path within it.
func declarations(short string, pkg *types.Package) (lines []string) {
	named := func(other *types.Package) string {
		if other == pkg {
			return ""
		}
		return strings.TrimPrefix(other.Path(), module+"/")
	}
	add := func(format string, args ...any) {
		lines = append(lines, "pkg "+short+", "+fmt.Sprintf(format, args...))
	}
	for _, name := range pkg.Scope().Names() {
		object := pkg.Scope().Lookup(name)
		if !object.Exported() {
			continue
		}
		switch o := object.(type) {
		case *types.Const:
			add("const %s %s", name, types.TypeString(o.Type(), named))
		case *types.Var:
			add("var %s %s", name, types.TypeString(o.Type(), named))
		case *types.Func:
			add("func %s%s", name, signature(o, named))
		case *types.TypeName:
			for _, line := range ofType(o, named) {
				add("%s", line)
			}
		}
	}
	return lines
}

// ofType renders a type with its exported fields and methods.
func ofType(o *types.TypeName, named types.Qualifier) (lines []string) {
	name := o.Name()
	if o.IsAlias() {
		return []string{fmt.Sprintf("type %s = %s", name, types.TypeString(types.Unalias(o.Type()), named))}
	}
	switch under := o.Type().Underlying().(type) {
	case *types.Struct:
		lines = append(lines, fmt.Sprintf("type %s struct", name))
		for field := range under.Fields() {
			if field.Exported() {
				lines = append(lines, fmt.Sprintf("type %s struct, %s %s", name, field.Name(), types.TypeString(field.Type(), named)))
			}
		}
	case *types.Interface:
		lines = append(lines, fmt.Sprintf("type %s interface", name))
		for method := range under.Methods() {
			lines = append(lines, fmt.Sprintf("type %s interface, %s%s", name, method.Name(), signature(method, named)))
		}
		return lines
	default:
		lines = append(lines, fmt.Sprintf("type %s %s", name, types.TypeString(under, named)))
	}
	for selection := range types.NewMethodSet(types.NewPointer(o.Type())).Methods() {
		method := selection.Obj().(*types.Func)
		if !method.Exported() {
			continue
		}
		receiver := name
		if _, pointer := method.Signature().Recv().Type().(*types.Pointer); pointer {
			receiver = "*" + name
		}
		lines = append(lines, fmt.Sprintf("method (%s) %s%s", receiver, method.Name(), signature(method, named)))
	}
	return lines
}

// signature renders parameters and results without the parameters' names, which callers
// do not depend on.
func signature(f *types.Func, named types.Qualifier) string {
	bare := func(tuple *types.Tuple) *types.Tuple {
		var vars []*types.Var
		for v := range tuple.Variables() {
			vars = append(vars, types.NewParam(token.NoPos, nil, "", v.Type()))
		}
		return types.NewTuple(vars...)
	}
	s := f.Signature()
	plain := types.NewSignatureType(nil, nil, nil, bare(s.Params()), bare(s.Results()), s.Variadic())
	return strings.TrimPrefix(types.TypeString(plain, named), "func")
}
