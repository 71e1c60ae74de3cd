//go:build linux

package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	peervt "github.com/charmbracelet/x/vt"

	"example.org/ripple/internal/vt"
	"example.org/ripple/schema"
)

// recorded is the directory of the streams for measuring terminals, from the root of the repository.
const recorded = "internal/vt/testdata/recorded"

// The screen that the terminals have.
const screenCols, screenRows = 200, 50

// terminals compares ripple's tokenizer and screen with other terminals on the same streams: a
// library for Go, and xterm.js without a browser.
func terminals(_ *schema.Adapter, quick bool) (table, error) {
	t := table{
		title:   "A terminal's screen: 200 × 50, 1,000 lines of history",
		note:    "Bytes per second that a terminal processes. The streams are in " + recorded + "; `tools/xterm` installs xterm.js.",
		columns: []string{"tokenizer alone", "screen", "charmbracelet/x/vt", "xterm.js 6 headless"},
	}
	atLeast := time.Second
	if quick {
		atLeast /= 5
	}
	files, err := filepath.Glob(recorded + "/*")
	if err != nil || len(files) == 0 {
		return t, errors.Join(err, fmt.Errorf("no streams in %s: run it in the root of the repository", recorded))
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			return t, err
		}
		cells := []string{tokenizer(data, atLeast), screen(data, atLeast), libraryScreen(data, atLeast)}
		xterm, err := xtermScreen(file, atLeast)
		if err != nil {
			return t, err
		}
		t.rows = append(t.rows, row{filepath.Base(file), append(cells, xterm)})
	}
	return t, nil
}

func tokenizer(data []byte, atLeast time.Duration) string {
	var p vt.Parser
	n := 0
	return throughput(data, atLeast, func() { p.Feed(data, func(t *vt.Token) { n += len(t.Raw) }) })
}

func screen(data []byte, atLeast time.Duration) string {
	s := vt.New(vt.Options{Cols: screenCols, Rows: screenRows, History: 1000})
	return throughput(data, atLeast, func() { s.Write(data) })
}

func libraryScreen(data []byte, atLeast time.Duration) string {
	s := peervt.NewEmulator(screenCols, screenRows)
	go io.Copy(io.Discard, s) // its answers to queries block it until they are read
	defer s.Close()
	return throughput(data, atLeast, func() { s.Write(data) }) // never fails
}

// throughput feeds data again and again.
func throughput(data []byte, atLeast time.Duration, feed func()) string {
	began, n := time.Now(), 0
	for time.Since(began) < atLeast {
		feed()
		n += len(data)
	}
	return speed(float64(n) / time.Since(began).Seconds())
}

func speed(bytesPerSecond float64) string { return fmt.Sprintf("%.1f MB/s", bytesPerSecond/1e6) }

func xtermScreen(file string, atLeast time.Duration) (string, error) {
	modules, err := filepath.Abs(".xterm/node_modules")
	if err != nil {
		return "", err
	}
	if _, err := os.Stat(filepath.Join(modules, "@xterm/headless")); err != nil {
		return "not installed", nil
	}
	argv := append(slices.Clone(measured.Xterm), file, strconv.Itoa(screenCols), strconv.Itoa(screenRows), strconv.FormatInt(atLeast.Milliseconds(), 10))
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Env = append(os.Environ(), "NODE_PATH="+modules)
	out, err := output(cmd)
	if err != nil {
		return "", err
	}
	n, err := strconv.ParseFloat(strings.TrimSpace(out), 64)
	if err != nil {
		return "", fmt.Errorf("%s: %w", strings.Join(argv, " "), err)
	}
	return speed(n), nil
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
