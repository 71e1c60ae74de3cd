//go:build unix

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"time"

	"example.com/ripple/schema"
)

func init() { measurements = append(measurements, measurement{"loop", loops}) }

var benchmarkLine = regexp.MustCompile(`(?m)^Benchmark(\S+?)(?:-\d+)?\s+\d+\s+(\d+(?:\.\d+)?) ns/op(.*)$`)

// loops runs the loop's own Go benchmarks: checking for progress in a project of 50,000 files, and
// the cost of a turn in addition to the agent's own time.
func loops(_ *schema.Adapter, quick bool) (table, error) {
	t := table{
		title: "The loop", columns: []string{"time", "besides"},
		note: "Snapshots are of 50,000 files, warm: with git they are tracked or not yet added. A thousand turns have an agent that takes no time.",
	}
	times := "5x"
	if quick {
		times = "1x"
	}
	var stderr bytes.Buffer
	cmd := exec.CommandContext(context.Background(), "go", "test", "-run", "^$", "-bench", ".", "-benchtime", times, "-timeout", "20m", "example.com/ripple/runtime/loop")
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return t, fmt.Errorf("go test -bench: %w\n%s%s", err, out, stderr.String())
	}
	for _, m := range benchmarkLine.FindAllStringSubmatch(string(out), -1) {
		ns, err := strconv.ParseFloat(m[2], 64)
		if err != nil {
			return t, err
		}
		t.rows = append(t.rows, row{m[1], []string{milli(time.Duration(ns)), strings.Join(strings.Fields(m[3]), " ")}})
	}
	if len(t.rows) == 0 {
		return t, errors.New("no benchmark reported a time")
	}
	return t, nil
}
