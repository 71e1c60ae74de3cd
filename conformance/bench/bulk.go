//go:build linux

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"

	"example.org/ripple/runtime/session"
	"example.org/ripple/schema"
)

// bulkSize is how much output a bulk command prints, in bytes.
const bulkSize = 100_000_000

// bulkCases are commands that print bulkSize bytes: the line length affects the speed of a
// terminal, because each newline costs it a carriage return.
var bulkCases = []struct{ name, title, command string }{
	{"lines", "100 MB of 78-column lines", `yes "$(printf '%077d' 7)" | head -c 100000000`},
	{"line", "100 MB in one line", `head -c 100000000 /dev/zero | tr '\0' x`},
}

// bulkFigures are the figures of one driver for one case, measured in a new process so that the
// peak memory is its own.
type bulkFigures struct {
	Bytes   int64
	Elapsed time.Duration
	PeakKiB int64 // ru_maxrss
}

func bulk(_ *schema.Adapter, quick bool) (table, error) {
	runs := 3
	if quick {
		runs = 1
	}
	t := table{
		title: "Bulk output through bash", columns: []string{"speed", "share of the bare read", "peak memory"},
		note: "ripple keeps a window in memory and the whole output in a file. The best run of each is shown.",
	}
	for _, c := range bulkCases {
		best := map[string]bulkFigures{}
		for range runs {
			for _, driver := range []string{"bare", "keep", "stream"} {
				f, err := bulkRun(driver + ":" + c.name)
				if err != nil {
					return t, err
				}
				if b, ok := best[driver]; !ok || f.Elapsed < b.Elapsed {
					best[driver] = f
				}
			}
		}
		base := best["bare"]
		for _, r := range []struct{ driver, name string }{
			{"bare", "bare read"}, {"keep", "**ripple**, output kept"}, {"stream", "**ripple**, output passed on"},
		} {
			f := best[r.driver]
			t.rows = append(t.rows, row{c.title + ", " + r.name, []string{
				fmt.Sprintf("%.1f MB/s", float64(f.Bytes)/1e6/f.Elapsed.Seconds()),
				fmt.Sprintf("%.2f×", base.Elapsed.Seconds()/f.Elapsed.Seconds()),
				fmt.Sprintf("%.1f MB", float64(f.PeakKiB)/1000),
			}})
		}
	}
	return t, nil
}

// bulkRun measures in a new process.
func bulkRun(what string) (bulkFigures, error) {
	var f bulkFigures
	self, err := os.Executable()
	if err != nil {
		return f, err
	}
	cmd := exec.Command(self, "-child", what)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return f, fmt.Errorf("%s: %w", what, err)
	}
	return f, json.Unmarshal(out, &f)
}

// bulkChild is that process.
func bulkChild(what string) error {
	driver, name, _ := strings.Cut(what, ":")
	command := ""
	for _, c := range bulkCases {
		if c.name == name {
			command = c.command
		}
	}
	run := bulkRipple(driver == "stream")
	if driver == "bare" {
		run = bulkBare
	}
	f, err := run(command)
	if err != nil {
		return err
	}
	if f.Bytes < bulkSize {
		return fmt.Errorf("%s: %d bytes arrived of %d", what, f.Bytes, bulkSize)
	}
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		return err
	}
	f.PeakKiB = usage.Maxrss
	return json.NewEncoder(os.Stdout).Encode(f)
}

func bulkBare(command string) (bulkFigures, error) {
	a, err := subject()
	if err != nil {
		return bulkFigures{}, err
	}
	shell, err := newSameShell(a)
	if err != nil {
		return bulkFigures{}, err
	}
	defer shell.remove()
	s, err := shell.start()
	if err != nil {
		return bulkFigures{}, err
	}
	defer s.close()
	began := time.Now()
	n, err := s.eval(command)
	return bulkFigures{Bytes: int64(n), Elapsed: time.Since(began)}, err
}

func bulkRipple(stream bool) func(string) (bulkFigures, error) {
	return func(command string) (bulkFigures, error) {
		a, err := subject()
		if err != nil {
			return bulkFigures{}, err
		}
		var passed int64
		o := session.Options{Env: []string{home}}
		if stream {
			o.Window, o.Output = -1, func(b []byte) { passed += int64(len(b)) }
		}
		ctx := context.Background()
		s, err := session.Open(ctx, a, o)
		if err != nil {
			return bulkFigures{}, err
		}
		defer s.Close(ctx)
		began := time.Now()
		r, err := s.Eval(ctx, command)
		if stream && passed != r.Bytes {
			return bulkFigures{}, fmt.Errorf("%d bytes passed on of %d", passed, r.Bytes)
		}
		return bulkFigures{Bytes: r.Bytes, Elapsed: time.Since(began)}, err
	}
}
