package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
)

// binaryDir is the directory of the real command, for tests that the scripts cannot express: killed
// processes, and terminals.
var binaryDir string

// atEnd are functions to call after all tests.
var atEnd []func()

// withBinary creates and removes that directory around all tests.
type withBinary struct{ *testing.M }

func (w withBinary) Run() int {
	var err error
	if binaryDir, err = os.MkdirTemp("", "ripple-test-"); err != nil {
		panic(err)
	}
	defer os.RemoveAll(binaryDir) // the system removes the rest
	defer func() {
		for _, f := range atEnd {
			f()
		}
	}()
	return w.M.Run()
}

var binary = sync.OnceValues(func() (string, error) {
	path := filepath.Join(binaryDir, "ripple")
	return path, exec.Command("go", "build", "-o", path, ".").Run()
})
