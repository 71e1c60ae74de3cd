//go:build linux

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"
)

// Tests create most of their files with T.TempDir, which prefers GOTMPDIR to TMPDIR.
func TestGotestHasAllFilesOfTestsInOnePlace(t *testing.T) {
	dir := t.TempDir()
	const goCommand = "#!/bin/sh\necho \"files in ${TMPDIR:-/tmp}, of T.TempDir in ${GOTMPDIR:-${TMPDIR:-/tmp}}.\"\n"
	if err := os.WriteFile(filepath.Join(dir, "go"), []byte(goCommand), 0o755); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("../gotest", "./none")
	cmd.Env = append(os.Environ(), "PATH="+dir+":"+os.Getenv("PATH"), "TMPDIR=", "GOTMPDIR=")
	out, err := cmd.CombinedOutput()
	places := regexp.MustCompile(`files in (\S+), of T\.TempDir in (\S+)\.\n`).FindSubmatch(out)
	if err != nil || places == nil {
		t.Fatalf("%v: %s", err, out)
	}
	if string(places[1]) != string(places[2]) {
		t.Errorf("%s", places[0])
	}
}
