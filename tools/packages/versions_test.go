package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestVersions(t *testing.T) {
	file := filepath.Join(t.TempDir(), "versions")
	write(t, file, "# a comment\n\nagent npm @some/agent 1.2.3\nprogram pypi hy 1.3.1\nprogram go example.org/dlv v1.0.0\n")
	pinned, err := readVersions(file)
	if err != nil {
		t.Fatal(err)
	}
	for line, want := range map[string]string{
		"npm @some/agent":           "npm @some/agent@1.2.3",
		"npm @some/agent@latest":    "npm @some/agent@1.2.3",
		"npm @other/agent@latest":   "npm @other/agent@latest",
		"pypi hy":                   "pypi hy==1.3.1",
		"go example.org/dlv@latest": "go example.org/dlv@v1.0.0",
		"debian hy":                 "debian hy",
		"none ccl: Clozure CL":      "none ccl: Clozure CL",
	} {
		if got := pinned.pin(line); got != want {
			t.Errorf("%s: got %s, want %s", line, got, want)
		}
	}
	write(t, file, "agent npm @some/agent\n")
	if _, err := readVersions(file); err == nil || !strings.Contains(err.Error(), ":1: want a purpose") {
		t.Errorf("a line without a version: %v", err)
	}
}

// Every listed package is named by an adapter, is a peer in protocol tests, or builds releases.
func TestEachVersionIsUsed(t *testing.T) {
	list, err := os.ReadFile("../versions")
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob("../../adapters/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatal(err, len(files))
	}
	var adapters strings.Builder
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		adapters.Write(data)
	}
	pinned, err := readVersions("../versions")
	if err != nil {
		t.Fatal(err)
	}
	for key := range pinned {
		_, name, _ := strings.Cut(key, " ")
		other := strings.Contains(string(list), "peer "+key+" ") || strings.Contains(string(list), "release "+key+" ")
		if name != "node" && !other && !strings.Contains(adapters.String(), name) {
			t.Errorf("no adapter installs %s", key)
		}
	}
}
