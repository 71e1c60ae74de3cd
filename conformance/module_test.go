package conformance

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
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

// goList lists the packages of the module and their dependencies, for one operating system.
func goList(t *testing.T, goos string, flags ...string) []pkg {
	t.Helper()
	args := append([]string{"list", "-deps", "-json=ImportPath,Name,Doc,Dir,Export,GoFiles,Imports,Module"}, flags...)
	cmd := exec.Command("go", append(args, "./...")...)
	cmd.Dir = root
	cmd.Env = append(os.Environ(), "GOOS="+goos, "CGO_ENABLED=0")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	require.NoError(t, err, stderr.String())
	var list []pkg
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p pkg
		err := d.Decode(&p)
		if errors.Is(err, io.EOF) {
			return list
		}
		require.NoError(t, err)
		list = append(list, p)
	}
}

// sources returns the module's Go files, by path from its root.
func sources(t *testing.T) []string {
	t.Helper()
	var files []string
	require.NoError(t, filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := d.Name()
		if d.IsDir() && path != root && (strings.HasPrefix(name, ".") || name == "testdata" || isModule(path)) {
			return filepath.SkipDir
		}
		if strings.HasSuffix(name, ".go") {
			rel, err := filepath.Rel(root, path)
			files = append(files, rel)
			return err
		}
		return nil
	}))
	require.NotEmpty(t, files)
	return files
}

// isModule reports whether a directory is a module of its own.
func isModule(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, "go.mod"))
	return err == nil
}
