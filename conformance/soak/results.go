//go:build linux

package main

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// sample is a measurement after some units.
type sample struct {
	Build, Use string
	Process    int     // counted from 1: the process of ripple, a new one after an interruption
	Done       int     // units so far, of all processes
	Seconds    float64 // of a unit, on average
	P50, P99   float64 // of a unit, in milliseconds
	Control    float64 // of a new session, in turn with the units: the median, in milliseconds
	RSS, Disk  int     // KB
	Files      int
	Threads    int
}

func (s sample) String() string {
	return fmt.Sprintf("%-8s %8d  %.4f s each  p50 %.2f ms  p99 %.2f ms  control %.2f ms  rss %.1f MB  files %d  threads %d  disk %.1f MB",
		s.Use, s.Done, s.Seconds, s.P50, s.P99, s.Control, float64(s.RSS)/1024, s.Files, s.Threads, float64(s.Disk)/1024)
}

// control returns how long a new session takes: the same kind of work, which months of use cannot
// have slowed down. The start of a program that does nothing hardly takes longer on a machine where
// each switch between processes does.
func (p *place) control(ctx context.Context) (time.Duration, error) {
	began := time.Now()
	if out, err := exec.CommandContext(ctx, p.binary, "exec", p.shell, ":").CombinedOutput(); err != nil {
		return 0, fmt.Errorf("a new session: %w: %s", err, out)
	}
	return time.Since(began), nil
}

// measure measures a worker after units that took these times, with controls between them.
func measure(w *worker, times, controls []time.Duration) (s sample, err error) {
	var sum time.Duration
	for _, t := range times {
		sum += t
	}
	s.Seconds = sum.Seconds() / float64(len(times))
	slices.Sort(times)
	s.P50, s.P99 = milliseconds(times[len(times)/2]), milliseconds(times[len(times)*99/100])
	slices.Sort(controls)
	s.Control = milliseconds(controls[len(controls)/2])
	proc := fmt.Sprintf("/proc/%d/", w.pid)
	status, err := os.ReadFile(proc + "status")
	if err != nil {
		return s, err
	}
	for line := range strings.Lines(string(status)) {
		if key, value, _ := strings.Cut(line, ":"); key == "VmRSS" || key == "Threads" {
			n, err := strconv.Atoi(strings.Fields(value)[0])
			if err != nil {
				return s, err
			}
			if key == "Threads" {
				s.Threads = n
			} else {
				s.RSS = n
			}
		}
	}
	files, err := os.ReadDir(proc + "fd")
	s.Files = len(files)
	s.Disk = onDisk(w.dir)
	return s, err
}

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// onDisk returns the size of a directory's files in KB. A file may be removed meanwhile.
func onDisk(dir string) int {
	bytes := int64(0)
	_ = filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			if info, err := d.Info(); err == nil {
				bytes += info.Size()
			}
		}
		return nil
	})
	return int(bytes >> 10)
}

// results keeps the measurements, so that an interrupted run continues.
type results struct {
	file, build string
	known       []sample // of this build
}

// openResults reads the measurements of a binary; a missing file is empty.
func openResults(file, binary string) (*results, error) {
	f, err := os.Open(binary)
	if err != nil {
		return nil, err
	}
	defer f.Close() // only read from
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return nil, err
	}
	r := &results{file: file, build: fmt.Sprintf("%x", h.Sum(nil)[:6])}
	text, err := os.Open(file)
	if errors.Is(err, fs.ErrNotExist) {
		return r, nil
	} else if err != nil {
		return nil, err
	}
	defer text.Close() // only read from
	for lines := bufio.NewScanner(text); lines.Scan(); {
		var s sample
		if err := json.Unmarshal(lines.Bytes(), &s); err == nil && s.Build == r.build { // the last line may be incomplete
			r.known = append(r.known, s)
		}
	}
	return r, nil
}

func (r *results) of(use string) (list []sample) {
	for _, s := range r.known {
		if s.Use == use {
			list = append(list, s)
		}
	}
	return list
}

// keep adds a measurement.
func (r *results) keep(s sample) error {
	s.Build = r.build
	line, err := json.Marshal(s)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(r.file, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o644)
	if err != nil {
		return err
	}
	_, err = f.Write(append(line, '\n'))
	r.known = append(r.known, s)
	return errors.Join(err, f.Close())
}
