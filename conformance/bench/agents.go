//go:build unix

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"runtime"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"example.com/ripple/adapters"
	"example.com/ripple/runtime/agent"
	"example.com/ripple/runtime/event"
	"example.com/ripple/runtime/mapping"
	"example.com/ripple/runtime/registry"
	"example.com/ripple/schema"
)

func init() { measurements = append(measurements, measurement{"agents", mappings}) }

// usualLine is the length of the line, in bytes, at which mappings are compared.
const usualLine = 300

// mappings measures each agent's mapping on the line of its recorded transcripts whose length is
// closest to usualLine, and the share of the time that decoding the JSON takes.
func mappings(_ *schema.Adapter, quick bool) (table, error) {
	t := table{
		title: "Agents: output lines to events, one core", columns: []string{"line", "lines/s", "JSON decoding", "memory for 200 MB"},
		note: fmt.Sprintf("Of each agent's recorded output the line nearest to %d bytes. Processor time. Memory is the growth of the heap while 200 MB of such lines pass.", usualLine),
	}
	r, err := registry.Open(registry.Sources{Embedded: adapters.FS})
	if err != nil {
		return t, err
	}
	for _, e := range r.List() {
		if e.Adapter.Family != schema.FamilyAgent || e.Adapter.Agent.Output.Format != schema.FormatNDJSON {
			continue
		}
		line, err := nearest(e.Adapter, usualLine)
		if err != nil {
			return t, err
		}
		if line == nil {
			continue // no recorded output
		}
		cells, err := mappingRow(e.Adapter, line, quick)
		if err != nil {
			return t, err
		}
		t.rows = append(t.rows, row{e.Name, cells})
	}
	return t, nil
}

// nearest returns the JSON line of an agent's transcripts whose length is closest.
func nearest(a *schema.Adapter, length int) (best []byte, err error) {
	for _, test := range a.Tests {
		if test.Transcript == "" {
			continue
		}
		data, err := fs.ReadFile(adapters.FS, test.Transcript)
		if err != nil {
			return nil, err
		}
		for line := range bytes.Lines(data) {
			line = bytes.TrimSpace(line)
			if json.Valid(line) && (best == nil || distance(line, length) < distance(best, length)) {
				best = line
			}
		}
	}
	return best, nil
}

func distance(line []byte, length int) int { return max(len(line)-length, length-len(line)) }

func mappingRow(a *schema.Adapter, line []byte, quick bool) ([]string, error) {
	p, err := mapping.New(a.Agent)
	if err != nil {
		return nil, err
	}
	budget := time.Second
	if quick {
		budget /= 10
	}
	var events []event.Event
	mapped := perLine(budget, func() { events, _ = p.Line(line, events[:0]) }) // its errors are lines, too
	var v any
	decoded := perLine(budget, func() { _ = json.Unmarshal(line, &v) }) // valid
	memory, err := streamed(a, line, 200<<20)
	if err != nil {
		return nil, err
	}
	return []string{
		fmt.Sprintf("%d bytes", len(line)), fmt.Sprintf("%.0f", float64(time.Second)/mapped),
		fmt.Sprintf("%.0f %%", 100*decoded/mapped), fmt.Sprintf("%.1f MB", memory),
	}, nil
}

// perLine returns the processor time of one call in nanoseconds.
func perLine(budget time.Duration, f func()) float64 {
	n := 0
	began := processorTime()
	for processorTime()-began < budget {
		for range 100 {
			f()
		}
		n += 100
	}
	return float64(processorTime()-began) / float64(n)
}

// processorTime returns the CPU time used by this process, including its garbage collector.
func processorTime() time.Duration {
	var u unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &u); err != nil {
		panic(err) // the arguments are constants
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// streamed returns by how many megabytes the heap grows while a long stream passes.
func streamed(a *schema.Adapter, line []byte, size int) (float64, error) {
	text := strings.Repeat(string(line)+"\n", 1+(1<<20)/len(line))
	stream := make([]io.Reader, size/len(text))
	for i := range stream {
		stream[i] = strings.NewReader(text)
	}
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	before, peak, n := m.HeapAlloc, m.HeapAlloc, 0
	_, err := agent.Replay(a, agent.Recording{Output: io.MultiReader(stream...)}, func(event.Event) {
		if n++; n%10_000 == 0 {
			runtime.ReadMemStats(&m)
			peak = max(peak, m.HeapAlloc)
		}
	})
	return float64(peak-before) / (1 << 20), err
}
