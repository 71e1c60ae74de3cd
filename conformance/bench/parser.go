//go:build unix

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"

	"example.com/ripple/schema"
)

// parsers runs the Go benchmarks of the byte-level packages, so that each is measured in one place
// only.
func parsers(_ *schema.Adapter, quick bool) (table, error) {
	t := table{title: "Throughput of the byte-level parsers", columns: []string{"speed"}}
	benchtime := "1s"
	if quick {
		benchtime = "100ms"
	}
	var stderr bytes.Buffer
	cmd := exec.CommandContext(context.Background(), "go", "test", "-run", "^$", "-bench", ".", "-benchtime", benchtime,
		"example.com/ripple/runtime/internal/vt", "example.com/ripple/runtime/internal/prompt", "example.com/ripple/runtime/internal/render", "example.com/ripple/runtime/internal/echo", "example.com/ripple/runtime/internal/balance")
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return t, fmt.Errorf("go test -bench: %w\n%s%s", err, out, stderr.String())
	}
	pkg := ""
	for _, line := range strings.Split(string(out), "\n") {
		if rest, ok := strings.CutPrefix(line, "pkg: "); ok {
			pkg = rest[strings.LastIndexByte(rest, '/')+1:]
		}
		fields := strings.Fields(line)
		for i, f := range fields {
			if f == "MB/s" && strings.HasPrefix(line, "Benchmark") {
				name := strings.TrimPrefix(fields[0], "Benchmark")
				if j := strings.LastIndexByte(name, '-'); j > 0 {
					name = name[:j]
				}
				t.rows = append(t.rows, row{pkg + ": " + name, []string{fields[i-1] + " MB/s"}})
			}
		}
	}
	if len(t.rows) == 0 {
		return t, errors.New("no benchmark reported a speed")
	}
	return t, nil
}
