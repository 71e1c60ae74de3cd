//go:build linux

package main

import (
	_ "embed"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"

	"gopkg.in/yaml.v3"

	"example.org/ripple/schema"
)

//go:embed cold.yaml
var coldCommands []byte

// colds has hyperfine measure whole commands as a user at a prompt runs them: from fork to exit,
// through a pipe, with an empty home.
func colds(_ *schema.Adapter, quick bool) (t table, err error) {
	t = table{
		title: "A whole command, from fork to exit",
		note: "Measured by hyperfine. `exec bash true` starts bash, runs the command and ends bash, as the expect script does. " +
			"The home directory is empty; output goes to a pipe.",
	}
	if _, err := exec.LookPath("hyperfine"); err != nil {
		t.written = "hyperfine is not installed.\n"
		return t, nil
	}
	var commands []struct{ Program, Line, Name string }
	if err := yaml.Unmarshal(coldCommands, &commands); err != nil {
		return t, err
	}
	p, err := newConsolePlace()
	if err != nil {
		return t, err
	}
	defer func() { err = errors.Join(err, p.remove()) }()
	rounds := 100
	if quick {
		rounds = 10
	}
	report := filepath.Join(p.dir, "report.md")
	argv := []string{
		"--shell=none", "--output=pipe", "--warmup=3", "--runs=" + strconv.Itoa(rounds), "--export-markdown=" + report,
		"--prepare=" + p.binary + " console close --all --kill",
	}
	for _, c := range commands {
		if _, err := exec.LookPath(c.Program); err == nil || c.Program == "ripple" {
			argv = append(argv, "--command-name="+c.Name, c.Line)
		}
	}
	cmd := exec.Command("hyperfine", argv...)
	cmd.Env = append(os.Environ(), "XDG_CONFIG_HOME=", "TERM=xterm-256color", "PATH="+p.dir+":"+os.Getenv("PATH"))
	if cmd.Dir, err = loopPlace(p); err != nil {
		return t, err
	}
	if _, err := output(cmd); err != nil {
		return t, err
	}
	written, err := os.ReadFile(report)
	t.written = string(written)
	return t, err
}

// loopPlace returns a directory with a loop's files and a user's own adapter.
func loopPlace(p *consolePlace) (string, error) {
	work := filepath.Join(p.dir, "work")
	if err := os.Mkdir(work, 0o755); err != nil {
		return "", err
	}
	setup := exec.Command(p.binary, "init")
	setup.Dir = work
	if out, err := setup.CombinedOutput(); err != nil {
		return "", fmt.Errorf("ripple init: %w: %s", err, out)
	}
	own, err := os.ReadFile("adapters/bash.yaml")
	if err != nil {
		return "", err
	}
	return work, os.WriteFile(filepath.Join(work, "own.yaml"), own, 0o600)
}

// buildRipple builds the binary in a directory, as make build does.
func buildRipple(dir string) (binary string, err error) {
	binary = filepath.Join(dir, "ripple")
	build := exec.Command("go", "build", "-tags", "nethttpomithttp2", "-o", binary, "./cmd/ripple")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("go build: %w: %s", err, out)
	}
	return binary, nil
}
