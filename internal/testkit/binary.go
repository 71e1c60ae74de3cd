// Package testkit contains helpers for the tests of several packages. No other code imports it.
package testkit

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"

	"github.com/gofrs/flock"
)

// Binary returns the path of the ripple command of this tree. The command is built when it is needed first and is not of
// this tree's sources; all packages share it.
func Binary() (path string, err error) { return built() }

var built = sync.OnceValues(func() (path string, err error) {
	root, err := root()
	if err != nil {
		return "", err
	}
	dir := filepath.Join(root, "bin", "test")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	lock := flock.New(filepath.Join(dir, "lock"))
	if err := lock.Lock(); err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, lock.Unlock()) }()
	path = filepath.Join(dir, "ripple")
	build := exec.Command("go", "build", "-o", path, "./cmd/ripple") // does nothing if path is up to date
	build.Dir = root
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("building ripple: %w: %s", err, out)
	}
	return path, nil
})

// startDir is the working directory of the test binary at its start; a test may leave it before it needs the binary.
var startDir, errStartDir = os.Getwd()

// root returns the directory of the module.
func root() (string, error) {
	if errStartDir != nil {
		return "", errStartDir
	}
	list := exec.Command("go", "env", "GOMOD")
	list.Dir = startDir
	out, err := list.Output()
	if err != nil {
		return "", fmt.Errorf("finding go.mod: %w", err)
	}
	return filepath.Dir(string(bytes.TrimSpace(out))), nil
}
