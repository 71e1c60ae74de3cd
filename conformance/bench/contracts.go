//go:build unix

package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"time"

	"example.com/ripple/schema"
)

func init() { measurements = append(measurements, measurement{"contracts", contracts}) }

// contracts measures the contract tests of one adapter, from fork to exit, sequentially and
// concurrently.
func contracts(a *schema.Adapter, quick bool) (t table, err error) {
	rounds := 10
	if quick {
		rounds = 3
	}
	t = table{
		title: "`ripple adapter test " + a.Name + "`, from fork to exit", columns: []string{"median", "p90", "ratio"},
		note: "The two take turns. One test has the program sleep for a second.",
	}
	dir, err := os.MkdirTemp("", "bench")
	if err != nil {
		return t, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	binary, err := buildRipple(dir)
	if err != nil {
		return t, err
	}
	contenders := []string{"1", "4"}
	times := make([][]time.Duration, len(contenders))
	for range rounds {
		for i, parallel := range contenders {
			began := time.Now()
			if out, err := exec.Command(binary, "adapter", "test", a.Name, "--parallel", parallel).CombinedOutput(); err != nil {
				return t, fmt.Errorf("--parallel %s: %w: %s", parallel, err, out)
			}
			times[i] = append(times[i], time.Since(began))
		}
	}
	base := percentile(times[0], 0.5)
	for i, parallel := range contenders {
		median := percentile(times[i], 0.5)
		t.rows = append(t.rows, row{"`--parallel " + parallel + "`", []string{milli(median), milli(percentile(times[i], 0.9)), ratio(median, base)}})
	}
	return t, nil
}
