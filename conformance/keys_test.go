package conformance

import (
	"encoding/json"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/schema"
)

// loaded are the keys that the loader itself uses or checks, with the way in which they affect a
// runtime.
var loaded = map[string]string{
	"schema":               "any other major version is refused",
	"verified":             "false needs its reason, unverified, which reports show",
	"agent.acp.executable": byTransport,
	"agent.acp.version":    byTransport,
	"agent.acp.install":    byTransport,
	"agent.acp.options":    byTransport,
	"agent.screen.options": byTransport,
	"process.encoding":     "anything but utf-8 is refused",
	"integration_script":   "becomes Adapter.Script",
	"init.script":          "becomes Adapter.Script",
	"init.script_resource": "becomes Adapter.Script",
	"init.strategy":        "checked against prompt.strategy and the keys that it needs",
}

const byTransport = "Adapter.WithTransport replaces the other transport's by it"

// reserved are the keys that have no effect in version 1; lint reports them.
var reserved = map[string]string{
	"ready.timeout_ms":           "v1: reserved; callers pass a deadline",
	"lifecycle.ready_timeout_ms": "v1: reserved; callers pass a deadline",
}

// forPeople are the keys that only describe a program to users and clients: the command shows them.
// A trailing dot selects a section.
var forPeople = []string{
	"version", "description", "homepage", "license", "init.hook_type", "signals.suspend",
	"agent.display_name", "agent.min_version", "agent.auto_detect", "agent.auto_detect.", "agent.auth", "agent.auth.", "agent.denial_help",
	"agent.state", "agent.hosts",
	"commands", "commands.", "capabilities.", "modes.advance_commands", "modes.advance_commands.", "modes.exit_commands.",
}

// key is a path in an adapter file and the Go field that holds it.
type key struct {
	path  string
	owner string // name of the struct
	field string
}

// goKeys walks the types of an adapter. Lists add no segment to a path.
func goKeys(prefix string, typ reflect.Type, keys []key) []key {
	for typ.Kind() == reflect.Pointer || typ.Kind() == reflect.Slice || typ.Kind() == reflect.Map {
		typ = typ.Elem()
	}
	if typ.Kind() != reflect.Struct {
		return keys
	}
	for i := range typ.NumField() {
		f := typ.Field(i)
		name, options, _ := strings.Cut(f.Tag.Get("yaml"), ",")
		switch {
		case name == "-":
		case options == "inline":
			keys = goKeys(prefix, f.Type, keys)
		default:
			keys = append(keys, key{prefix + name, typ.Name(), f.Name})
			keys = goKeys(prefix+name+".", f.Type, keys)
		}
	}
	return keys
}

// schemaKeys walks the JSON Schema the same way.
func schemaKeys(t *testing.T) map[string]bool {
	t.Helper()
	var doc map[string]any
	require.NoError(t, json.Unmarshal(schema.AdapterJSON(), &doc))
	keys := map[string]bool{}
	var walk func(prefix string, node any)
	walk = func(prefix string, node any) {
		m, ok := node.(map[string]any)
		if !ok {
			return // additionalProperties may be false
		}
		if ref, ok := m["$ref"].(string); ok {
			target := any(doc)
			for _, part := range strings.Split(strings.TrimPrefix(ref, "#/"), "/") {
				target = target.(map[string]any)[part]
			}
			walk(prefix, target)
		}
		properties, _ := m["properties"].(map[string]any)
		for name, sub := range properties {
			keys[prefix+name] = true
			walk(prefix+name+".", sub)
		}
		for _, inner := range []string{"items", "additionalProperties"} {
			walk(prefix, m[inner])
		}
	}
	walk("", doc)
	require.NotEmpty(t, keys)
	return keys
}

func TestEverySchemaKeyHasAField(t *testing.T) {
	fields := map[string]bool{}
	for _, k := range goKeys("", reflect.TypeFor[schema.Adapter](), nil) {
		fields[k.path] = true
	}
	keys := schemaKeys(t)
	maps.DeleteFunc(keys, func(path string, _ bool) bool {
		return strings.HasPrefix(path, "commands.debugger.") // the operations: keys of a map
	})
	assert.Equal(t, keys, fields)
}

// Every key is described in the documentation for authors.
func TestEverySchemaKeyIsDocumented(t *testing.T) {
	data, err := os.ReadFile(filepath.Join(root, "SCHEMA.md"))
	require.NoError(t, err)
	text := strings.ReplaceAll(string(data), "[]", "") // lists add no segment to paths
	for path := range schemaKeys(t) {
		_, within, nested := strings.Cut(path, ".") // tables are in the section of the first segment
		if !nested {
			within = path
		}
		assert.Truef(t, strings.Contains(text, "`"+within+"`"), "SCHEMA.md does not describe %s", path)
	}
}

// Every key has an effect: code outside the schema package reads its field.
func TestEverySchemaKeyIsConsumed(t *testing.T) {
	t.Parallel()
	used := fieldUses(t)
	for _, k := range goKeys("", reflect.TypeFor[schema.Adapter](), nil) {
		if loaded[k.path] != "" || reserved[k.path] != "" {
			continue
		}
		use := used[k.owner+"."+k.field]
		if isForPeople(k.path) {
			assert.Truef(t, use.shown || use.run, "nothing shows or reads %s (schema.%s.%s)", k.path, k.owner, k.field)
			continue
		}
		assert.Truef(t, use.run, "nothing in runtime reads %s (schema.%s.%s)", k.path, k.owner, k.field)
	}
}

func isForPeople(path string) bool {
	for _, p := range forPeople {
		if path == p || strings.HasSuffix(p, ".") && strings.HasPrefix(path, p) {
			return true
		}
	}
	return false
}

// use records whether a field is read by the runtime, or only shown.
type use struct{ run, shown bool }

// fieldUses type-checks the module and records every selection of a field of the schema package,
// "Struct.Field". Assignments to fields count, too; only the schema package creates adapters.
func fieldUses(t *testing.T) map[string]use {
	t.Helper()
	pkgs := goList(t, runtime.GOOS)
	exports := map[string]string{}
	for _, p := range pkgs {
		exports[p.ImportPath] = p.Export
	}
	fset := token.NewFileSet()
	// All packages share one importer, which reads the export data of each imported package only once.
	imports := importer.ForCompiler(fset, "gc", func(path string) (io.ReadCloser, error) { return os.Open(exports[path]) })
	used := map[string]use{}
	for _, p := range pkgs {
		if !p.ours() || p.short() == "schema" || strings.HasPrefix(p.short(), "conformance") {
			continue
		}
		for _, name := range selections(t, p, fset, imports) {
			u := used[name]
			if strings.HasPrefix(p.short(), "runtime/") {
				u.run = true
			} else {
				u.shown = true
			}
			used[name] = u
		}
	}
	return used
}

// selections returns the fields of the schema package that a package selects.
func selections(t *testing.T, p pkg, fset *token.FileSet, imports types.Importer) []string {
	t.Helper()
	var files []*ast.File
	for _, name := range p.GoFiles {
		f, err := parser.ParseFile(fset, filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution)
		require.NoError(t, err)
		files = append(files, f)
	}
	config := types.Config{Importer: imports}
	info := types.Info{Selections: map[*ast.SelectorExpr]*types.Selection{}}
	_, err := config.Check(p.ImportPath, fset, files, &info)
	require.NoError(t, err)
	var found []string
	for _, s := range info.Selections {
		if s.Kind() == types.FieldVal && s.Obj().Pkg().Path() == module+"/schema" {
			found = append(found, fieldPath(s)...)
		}
	}
	return found
}

// fieldPath returns every field in the path of a selection, including embedded ones.
func fieldPath(s *types.Selection) []string {
	var path []string
	typ := s.Recv()
	for _, i := range s.Index() {
		if p, ok := typ.Underlying().(*types.Pointer); ok {
			typ = p.Elem()
		}
		named, _ := types.Unalias(typ).(*types.Named)
		fields, ok := typ.Underlying().(*types.Struct)
		if !ok {
			return path
		}
		f := fields.Field(i)
		if named != nil {
			path = append(path, named.Obj().Name()+"."+f.Name())
		}
		typ = f.Type()
	}
	return path
}
