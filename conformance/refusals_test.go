package conformance

import (
	"bytes"
	"go/ast"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/runtime/registry"
)

// eachNode visits the syntax tree of every Go file except tests.
func eachNode(t *testing.T, visit func(file string, line int, n ast.Node)) {
	t.Helper()
	for _, s := range sources(t) {
		ast.Inspect(s.syntax, func(n ast.Node) bool {
			if n != nil {
				visit(s.path, sourceSet.Position(n.Pos()).Line, n)
			}
			return true
		})
	}
}

// adapterNames returns the names and aliases of the adapters in this repository.
func adapterNames(t *testing.T) []string {
	t.Helper()
	r, err := registry.Open(registry.DefaultSources(func(string) string { return "" }, ""))
	require.NoError(t, err)
	require.Empty(t, r.Notices())
	var names []string
	for _, e := range r.List() {
		names = append(append(names, e.Name), e.Aliases...)
	}
	require.NotEmpty(t, names)
	return names
}

// systemShell is the only program that code may start by its path although an adapter drives it,
// too: POSIX's system(3), the language of `--verify`, of a scenario's run steps and of the command
// lines that agents delegate to their client.
const systemShell = "/bin/sh"

var systemShellFiles = []string{"runtime/loop/verify_unix.go", "internal/scenario/scenario.go", "runtime/internal/workplace/shell_unix.go"}

// commandTool is the common name of tools that run commands, regardless of the shell; one file may
// contain it.
const (
	commandTool     = "bash"
	commandToolFile = "runtime/event/event.go"
)

// completedShell is a shell whose completion ripple modifies: the library's command for it has the
// shell's name, and one file looks up that command.
const (
	completedShell     = "fish"
	completedShellFile = "cmd/ripple/completion.go"
)

// Adapters are data: code that names an adapter, or its program by path, would treat it specially.
func TestNoCodeNamesAnAdapter(t *testing.T) {
	names := adapterNames(t)
	eachNode(t, func(file string, line int, n ast.Node) {
		lit, ok := n.(*ast.BasicLit)
		if !ok || lit.Kind != token.STRING {
			return
		}
		text, err := strconv.Unquote(lit.Value)
		require.NoError(t, err)
		if text == systemShell && slices.Contains(systemShellFiles, file) || text == commandTool && file == commandToolFile ||
			text == completedShell && file == completedShellFile {
			return
		}
		name := strings.TrimSuffix(path.Base(text), ".yaml")
		assert.Falsef(t, slices.Contains(names, name), "%s:%d names an adapter: %s", file, line, lit.Value)
	})
}

// Waits end on evidence.
func TestNoSleep(t *testing.T) {
	eachNode(t, func(file string, line int, n ast.Node) {
		sel, ok := n.(*ast.SelectorExpr)
		if !ok || sel.Sel.Name != "Sleep" {
			return
		}
		x, ok := sel.X.(*ast.Ident)
		assert.Falsef(t, ok && x.Name == "time", "%s:%d calls time.Sleep", file, line)
	})
}

// A pattern compiled when a process starts costs every command; a pattern compiled later must be
// valid.
func TestPatternsOfPackagesAreCompiledLate(t *testing.T) {
	tried, constants := 0, map[string]ast.Expr{}
	eachNode(t, func(file string, _ int, n ast.Node) {
		if v, is := n.(*ast.ValueSpec); is && len(v.Names) == len(v.Values) {
			for i, name := range v.Names {
				constants[path.Dir(filepath.ToSlash(file))+"."+name.Name] = v.Values[i]
			}
		}
	})
	eachNode(t, func(file string, line int, n ast.Node) {
		if strings.HasPrefix(file, "conformance/") {
			return
		}
		switch n := n.(type) {
		case *ast.GenDecl:
			ast.Inspect(n, func(n ast.Node) bool {
				_, isFunction := n.(*ast.FuncLit)
				assert.Falsef(t, calls(n, "regexp", "MustCompile") != nil, "%s:%d compiles a pattern: take lazyregexp.New", file, line)
				return !isFunction
			})
		case *ast.CallExpr:
			if call := calls(n, "lazyregexp", "New"); call != nil {
				pattern, ok := constantString(call.Args[0], func(name string) ast.Expr { return constants[path.Dir(filepath.ToSlash(file))+"."+name] })
				require.Truef(t, ok, "%s:%d: the pattern is not a constant", file, line)
				_, err := regexp.Compile(pattern)
				assert.NoErrorf(t, err, "%s:%d", file, line)
				tried++
			}
		}
	})
	assert.NotZero(t, tried)
}

// constantString evaluates a string literal, a named constant, or a sum of them.
func constantString(e ast.Expr, named func(string) ast.Expr) (string, bool) {
	switch e := e.(type) {
	case *ast.BasicLit:
		s, err := strconv.Unquote(e.Value)
		return s, err == nil
	case *ast.Ident:
		return constantString(named(e.Name), named)
	case *ast.BinaryExpr:
		x, ok := constantString(e.X, named)
		y, ok2 := constantString(e.Y, named)
		return x + y, ok && ok2 && e.Op == token.ADD
	}
	return "", false
}

// calls returns n if it is a call of that function of a package, or nil.
func calls(n ast.Node, pkg, function string) *ast.CallExpr {
	call, _ := n.(*ast.CallExpr)
	if call == nil {
		return nil
	}
	sel, _ := call.Fun.(*ast.SelectorExpr)
	if sel == nil || sel.Sel.Name != function {
		return nil
	}
	if x, _ := sel.X.(*ast.Ident); x == nil || x.Name != pkg {
		return nil
	}
	return call
}

// withFlags may mention flags in their strings, by path prefix.
var withFlags = map[string]string{
	"runtime/box/":                    "bubblewrap's own flags, and those of package managers",
	"runtime/internal/git/":           "git's own flags",
	"runtime/probe/switches.go":       "a probed program's own flags, and the one that lists them",
	"runtime/loop/hats/prompt.go":     "the prompt names the command that publishes",
	"runtime/loop/config/settings.go": "the table that gives each setting its name in every source, the command line's among them, with its help",
}

// flagWords match text about the command line: a flag, or a call of ripple.
var flagWords = regexp.MustCompile("(^|[^-\\w])--[a-z]|(^|[`\\s])ripple [a-z]+( |`)")

// A library is not only used by the command: it returns reasons and facts, and the command adds the
// names of its flags.
func TestLibrariesNameNoFlags(t *testing.T) {
	needed := map[string]bool{}
	eachNode(t, func(file string, line int, n ast.Node) {
		lit, ok := n.(*ast.BasicLit)
		if !ok || lit.Kind != token.STRING || !strings.HasPrefix(file, "runtime/") {
			return
		}
		text, err := strconv.Unquote(lit.Value)
		require.NoError(t, err)
		if !flagWords.MatchString(text) {
			return
		}
		for prefix := range withFlags {
			if strings.HasPrefix(file, prefix) {
				needed[prefix] = true
				return
			}
		}
		assert.Failf(t, "words of the command line", "%s:%d mentions %s: move it to cmd", file, line, lit.Value)
	})
	assert.Len(t, needed, len(withFlags), "remove files without flags from the list")
}

func TestPackagesAreNamedForWhatTheyOwn(t *testing.T) {
	for _, p := range goList(t, "linux") {
		if p.ours() {
			assert.NotContains(t, []string{"util", "utils", "common", "helper", "helpers", "runtime"}, p.Name, p.ImportPath)
		}
	}
}

func TestMainIsShort(t *testing.T) {
	data, err := os.ReadFile(filepath.Join(root, "cmd/ripple/main.go"))
	require.NoError(t, err)
	assert.Less(t, bytes.Count(data, []byte("\n")), 20)
}

// guards are the processes around ripple's own.
var guards = []string{"internal/keeper/outer_linux.go", "runtime/proctree/guard_linux.go"}

// Only the command ends the process and prints. The guard may, too: its outer process runs before
// the command has started.
func TestOnlyTheCommandExitsAndPrints(t *testing.T) {
	banned := map[string][]string{
		"os":  {"Exit", "Stdout", "Stderr"},
		"fmt": {"Print", "Printf", "Println"},
		"log": {"Fatal", "Fatalf", "Fatalln", "Print", "Printf", "Println"},
	}
	eachNode(t, func(file string, line int, n ast.Node) {
		sel, ok := n.(*ast.SelectorExpr)
		if !ok || strings.HasPrefix(file, "cmd/") || strings.HasPrefix(file, "conformance/probing/") ||
			strings.HasPrefix(file, "conformance/soak/") || strings.HasPrefix(file, "conformance/standin/") || slices.Contains(guards, file) {
			return
		}
		if x, ok := sel.X.(*ast.Ident); ok {
			assert.Falsef(t, slices.Contains(banned[x.Name], sel.Sel.Name), "%s:%d uses %s.%s", file, line, x.Name, sel.Sel.Name)
		}
	})
}

// maxFunction is the largest number of lines between the braces of a function.
const maxFunction = 80

func TestFunctionsAreShort(t *testing.T) {
	longest := 0
	eachNode(t, func(file string, line int, n ast.Node) {
		d, ok := n.(*ast.FuncDecl)
		if !ok || d.Body == nil {
			return
		}
		lines := sourceSet.Position(d.Body.Rbrace).Line - sourceSet.Position(d.Body.Lbrace).Line - 1
		longest = max(longest, lines)
		assert.LessOrEqualf(t, lines, maxFunction, "%s:%d: %s: divide it", file, line, d.Name.Name)
	})
	assert.Greater(t, longest, maxFunction/2, "the limit can be lower")
}
