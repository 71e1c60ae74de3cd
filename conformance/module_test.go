package conformance

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

const (
	module = "example.org/ripple"
	root   = ".." // of the module, relative to this package
)

// pkg is a package as printed by `go list -json`.
type pkg struct {
	ImportPath string
	Name       string
	Doc        string // the first sentence of the package's documentation
	Dir        string
	Export     string
	GoFiles    []string
	Imports    []string
	Module     *struct{ Main bool }
}

func (p pkg) ours() bool { return p.Module != nil && p.Module.Main }

// short returns the import path within the module.
func (p pkg) short() string { return strings.TrimPrefix(p.ImportPath, module+"/") }

// listed are the results of goList, each a sync.OnceValues by its operating system: several tests need the same list.
var listed sync.Map

// goList lists the packages of the module and their dependencies, for one operating system; for Linux and this one, with the
// compiler's export data. Callers share the list and do not change it.
func goList(t *testing.T, goos string) []pkg {
	t.Helper()
	once, _ := listed.LoadOrStore(goos, sync.OnceValues(func() ([]pkg, error) { return runGoList(goos) }))
	list, err := once.(func() ([]pkg, error))()
	require.NoError(t, err)
	return list
}

func runGoList(goos string) ([]pkg, error) {
	args := []string{"list", "-deps", "-json=ImportPath,Name,Doc,Dir,Export,GoFiles,Imports,Module"}
	if goos == "linux" || goos == runtime.GOOS {
		args = append(args, "-export")
	}
	cmd := exec.Command("go", append(args, "./...")...)
	cmd.Dir = root
	cmd.Env = append(os.Environ(), "GOOS="+goos, "CGO_ENABLED=0")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go list for %s: %w: %s", goos, err, &stderr)
	}
	var list []pkg
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p pkg
		err := d.Decode(&p)
		if errors.Is(err, io.EOF) {
			return list, nil
		}
		if err != nil {
			return nil, fmt.Errorf("the output of go list for %s: %w", goos, err)
		}
		list = append(list, p)
	}
}

// source is a Go file of the module.
type source struct {
	path   string // from the module's root
	syntax *ast.File
}

// sourceSet contains the positions of all syntax trees of sources.
var sourceSet = token.NewFileSet()

// parsedSources parses the module's Go files, except tests, once for all tests.
var parsedSources = sync.OnceValues(func() (files []source, err error) {
	err = filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := d.Name()
		if d.IsDir() && path != root && (strings.HasPrefix(name, ".") || name == "testdata" || isModule(path)) {
			return filepath.SkipDir
		}
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return nil
		}
		rel, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		file, err := parser.ParseFile(sourceSet, path, nil, parser.ParseComments|parser.SkipObjectResolution)
		files = append(files, source{rel, file})
		return err
	})
	return files, err
})

// sources returns the module's Go files, except tests. Callers share them and do not change them.
func sources(t *testing.T) []source {
	t.Helper()
	files, err := parsedSources()
	require.NoError(t, err)
	require.NotEmpty(t, files)
	return files
}

// isModule reports whether a directory is a module of its own.
func isModule(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, "go.mod"))
	return err == nil
}
