//go:build unix

package main

import (
	_ "embed"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"gopkg.in/yaml.v3"

	"example.com/ripple/schema"
)

func init() { measurements = append(measurements, measurement{"cold", colds}) }

//go:embed cold.yaml
var coldCommands []byte

// colds measures whole commands as a user at a prompt runs them: from fork to exit, through a pipe,
// with an empty home. They take turns, so that other load affects all of them.
func colds(_ *schema.Adapter, quick bool) (table, error) {
	t := table{
		title: "A whole command, from fork to exit",
		note: "`exec bash true` starts a bash, runs the command in it and ends it, as the expect script does. " +
			"Home is empty; output goes to a pipe.",
		columns: []string{"median", "p90", "to expect(1)"},
	}
	var commands [][]string
	if err := yaml.Unmarshal(coldCommands, &commands); err != nil {
		return t, err
	}
	dir, err := os.MkdirTemp("", "bench-cold-")
	if err != nil {
		return t, err
	}
	defer os.RemoveAll(dir) // a leftover temporary directory is harmless
	work, err := coldPlace(dir)
	if err != nil {
		return t, err
	}
	rounds := 100
	if quick {
		rounds = 10
	}
	times := make([][]time.Duration, len(commands))
	for range rounds {
		for i, argv := range commands {
			d, err := cold(argv, work, dir)
			if err != nil {
				return t, fmt.Errorf("%v: %w", argv, err)
			}
			if d > 0 {
				times[i] = append(times[i], d)
			}
		}
	}
	for i, argv := range commands {
		t.rows = append(t.rows, coldRow(argv, times[i], times[0]))
	}
	return t, nil
}

// coldPlace builds the binary in dir and returns a directory with a loop's files.
func coldPlace(dir string) (work string, err error) {
	binary, err := buildRipple(dir)
	if err != nil {
		return "", err
	}
	work = filepath.Join(dir, "work")
	if err := os.Mkdir(work, 0o755); err != nil {
		return "", err
	}
	setup := exec.Command(binary, "init")
	setup.Dir = work
	if out, err := setup.CombinedOutput(); err != nil {
		return "", fmt.Errorf("ripple init: %w: %s", err, out)
	}
	return work, nil
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

// cold runs one command; it returns 0 if the program does not exist.
func cold(argv []string, work, home string) (time.Duration, error) {
	program := argv[0]
	if program == "ripple" {
		program = filepath.Join(home, program)
	}
	if _, err := exec.LookPath(program); err != nil {
		return 0, nil
	}
	cmd := exec.Command(program, argv[1:]...)
	cmd.Dir = work
	cmd.Env = append(os.Environ(), "HOME="+home, "XDG_CONFIG_HOME=", "TERM=xterm-256color")
	begin := time.Now()
	out, err := cmd.CombinedOutput() // a pipe, read to its end
	if err != nil {
		return 0, fmt.Errorf("%w: %s", err, out)
	}
	return time.Since(begin), nil
}

func coldRow(argv []string, times, base []time.Duration) row {
	name := "`" + strings.Join(argv, " ") + "`"
	if len(name) > 60 {
		name = argv[0] + ": the same as `exec bash true`"
	}
	if len(times) == 0 {
		return missing(name, 3)
	}
	compared := "–"
	median := percentile(times, 0.5)
	if len(base) > 0 {
		compared = ratio(median, percentile(base, 0.5))
	}
	return row{name, []string{milli(median), milli(percentile(times, 0.9)), compared}}
}
