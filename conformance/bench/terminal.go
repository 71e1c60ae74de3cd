//go:build unix

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"example.com/ripple/schema"
)

// Directory of the streams for measuring terminals, from the module's root.
const recorded = "runtime/internal/vt/testdata/recorded"

// terminals compares ripple's tokenizer and screen with other terminals on the same streams: the
// library that was used before, and xterm.js without a browser.
func terminals(_ *schema.Adapter, quick bool) (table, error) {
	t := table{
		title:   "A terminal's screen: 200 × 50, 1,000 lines of history",
		note:    "Bytes a second that a terminal takes. The streams are in " + recorded + "; xterm.js is there after `tools/xterm`.",
		columns: []string{"tokenizer alone", "screen", "charmbracelet/x/vt", "xterm.js 6 headless"},
	}
	ours, err := goBench("Recorded", quick, "MB/s")
	if err != nil {
		return t, err
	}
	files, err := filepath.Glob(recorded + "/*")
	if err != nil || len(files) == 0 {
		return t, errors.Join(err, fmt.Errorf("no streams in %s: run it in the module's root", recorded))
	}
	for _, file := range files {
		name := filepath.Base(file)
		cells := []string{ours[name+"/tokenizer"] + " MB/s", ours[name+"/screen"] + " MB/s"}
		for _, peer := range []func(string, time.Duration) (string, error){libraryPeer, xtermPeer} {
			cell, err := peer(file, measuredFor(quick))
			if err != nil {
				return t, err
			}
			cells = append(cells, cell)
		}
		t.rows = append(t.rows, row{name, cells})
	}
	return t, nil
}

// hostiles measures the cost of the worst kinds of output for ripple's screen.
func hostiles(_ *schema.Adapter, quick bool) (table, error) {
	t := table{title: "64 KB of hostile output on a full screen of 200 × 50", columns: []string{"time"}}
	costs, err := goBench("Hostile", quick, "ns/op")
	if err != nil {
		return t, err
	}
	for name, cost := range costs {
		ns, err := strconv.ParseFloat(cost, 64)
		if err != nil {
			return t, fmt.Errorf("go test -bench: %s: %w", name, err)
		}
		t.rows = append(t.rows, row{strings.ReplaceAll(name, "_", " "), []string{fmt.Sprintf("%.1f ms", ns/1e6)}})
	}
	slices.SortFunc(t.rows, func(a, b row) int { return strings.Compare(a.name, b.name) })
	return t, nil
}

func measuredFor(quick bool) time.Duration {
	if quick {
		return 200 * time.Millisecond
	}
	return time.Second
}

// goBench runs a benchmark of the terminal's package and returns the figures with the given unit,
// by sub-benchmark.
func goBench(name string, quick bool, unit string) (map[string]string, error) {
	out, err := output(exec.CommandContext(context.Background(), "go", "test", "-run", "^$", "-bench", "^Benchmark"+name+"$",
		"-benchtime", measuredFor(quick).String(), "example.com/ripple/runtime/internal/vt"))
	if err != nil {
		return nil, err
	}
	figures := map[string]string{}
	for line := range strings.Lines(out) {
		part, isPart := strings.CutPrefix(line, "Benchmark"+name+"/")
		fields := strings.Fields(part)
		if i := slices.Index(fields, unit); isPart && i > 0 {
			part = fields[0]
			if j := strings.LastIndexByte(part, '-'); j > 0 {
				part = part[:j]
			}
			figures[part] = fields[i-1]
		}
	}
	if len(figures) == 0 {
		return nil, errors.New("no benchmark reported " + unit)
	}
	return figures, nil
}

// libraryPeer runs a program in a module of its own, so that the library is not a requirement of
// ripple's.
func libraryPeer(file string, d time.Duration) (string, error) {
	path, err := filepath.Abs(file)
	if err != nil {
		return "", err
	}
	return speedOf(exec.CommandContext(context.Background(), "go", "-C", "tools/vtpeer", "run", ".", "-for", d.String(), path))
}

func xtermPeer(file string, d time.Duration) (string, error) {
	modules, err := filepath.Abs(".xterm/node_modules")
	if err != nil {
		return "", err
	}
	if _, err := os.Stat(filepath.Join(modules, "@xterm/headless")); err != nil {
		return "not installed", nil
	}
	argv := append(slices.Clone(measured.Xterm), file, "200", "50", strconv.FormatInt(d.Milliseconds(), 10))
	cmd := exec.CommandContext(context.Background(), argv[0], argv[1:]...)
	cmd.Env = append(os.Environ(), "NODE_PATH="+modules)
	return speedOf(cmd)
}

// speedOf runs a peer that prints bytes per second.
func speedOf(cmd *exec.Cmd) (string, error) {
	out, err := output(cmd)
	if err != nil {
		return "", err
	}
	n, err := strconv.ParseFloat(strings.TrimSpace(out), 64)
	if err != nil {
		return "", fmt.Errorf("%s: %w", strings.Join(cmd.Args, " "), err)
	}
	return fmt.Sprintf("%.1f MB/s", n/1e6), nil
}

func output(cmd *exec.Cmd) (string, error) {
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("%s: %w\n%s%s", strings.Join(cmd.Args, " "), err, out, stderr.String())
	}
	return string(out), nil
}
