package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
)

// binaryDir is where the real command is built, for what the scripts cannot
// show: processes that are killed, and terminals.
var binaryDir string

// withBinary makes and removes that directory around all tests.
type withBinary struct{ *testing.M }

func (w withBinary) Run() int {
	var err error
	if binaryDir, err = os.MkdirTemp("", "ripple-test-"); err != nil {
		panic(err)
	}
	defer os.RemoveAll(binaryDir) // what is left is in the system's temporary directory
	return w.M.Run()
}

var binary = sync.OnceValues(func() (string, error) {
	path := filepath.Join(binaryDir, "ripple")
	return path, exec.Command("go", "build", "-o", path, ".").Run()
})
