//go:build linux

// Command soak uses ripple for as long as months of work would: a million commands in a console,
// 20,000 turns of a loop and 200,000 calls of an MCP server. It checks every answer, prints memory,
// open files, disk and latency at intervals, and fails if one of them grows. An interrupted
// run continues.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

// use is one way to use ripple.
type use struct {
	name  string
	units int
	disk  int // limit in MB
	start func(context.Context, *place) (*worker, error)
}

// worker is a process of ripple in use.
type worker struct {
	pid  int
	dir  string          // what it keeps on disk
	next func(int) error // does the unit of this number, counted from 0, and checks it
	stop func() error
}

var uses = []use{
	{"console", 1_000_000, 600, startConsole},
	{"turns", 20_000, 700, startTurns},
	{"mcp", 200_000, 600, startMCP},
}

// intervals is the number of measurements of a whole use. In each, a control is measured that many
// times in turn with the units, so that both see the same load of the machine.
const (
	intervals          = 40
	controlsOfInterval = 50
)

func main() {
	binary := flag.String("binary", "bin/ripple", "the ripple to use")
	kept := flag.String("results", "bin/soak.jsonl", "file of the measurements; a use continues where those of the same binary end")
	percent := flag.Float64("percent", 100, "percentage of the units")
	only := flag.String("only", "", "uses, separated by commas: console, turns, mcp (default: all)")
	var programs programs
	flag.StringVar(&programs.shell, "adapter", "", "adapter of the consoles' program: a POSIX shell with printf (required)")
	flag.StringVar(&programs.agent, "agent", "", "adapter of the agent that takes the turns: it plays the scenario in RIPPLE_SCENARIO (required)")
	flag.Parse()
	if programs.shell == "" || programs.agent == "" {
		fmt.Fprintln(os.Stderr, "soak: -adapter and -agent are required: the names of the adapters to use")
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, *binary, programs, *kept, *percent, *only); err != nil {
		fmt.Fprintln(os.Stderr, "soak:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, binary string, programs programs, kept string, percent float64, only string) error {
	binary, err := filepath.Abs(binary)
	if err != nil {
		return err
	}
	r, err := openResults(kept, binary)
	if err != nil {
		return err
	}
	var failed []error
	for _, u := range uses {
		if only != "" && !slices.Contains(strings.Split(only, ","), u.name) {
			continue
		}
		u.units = int(float64(u.units) * percent / 100)
		if err := u.run(ctx, binary, programs, r); err != nil {
			failed = append(failed, fmt.Errorf("%s: %w", u.name, err))
		}
		if ctx.Err() != nil {
			return errors.New("interrupted; the same command continues")
		}
		if faults := u.judge(r.of(u.name)); len(faults) > 0 {
			failed = append(failed, fmt.Errorf("%s: %s", u.name, strings.Join(faults, "; ")))
		}
	}
	return errors.Join(failed...)
}

// run does the units that are not done yet.
func (u use) run(ctx context.Context, binary string, programs programs, r *results) (err error) {
	done, process := 0, 1
	for _, s := range r.of(u.name) {
		done, process = s.Done, s.Process+1
	}
	if done >= u.units {
		fmt.Printf("%s: %d done before\n", u.name, done)
		return nil
	}
	p, err := newPlace(binary, programs)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, p.remove()) }()
	w, err := u.start(ctx, p)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.stop()) }()
	size := max(1, u.units/intervals)
	for n := 0; done < u.units && ctx.Err() == nil; {
		var controls []time.Duration
		times := make([]time.Duration, min(size, u.units-done))
		for i := range times {
			if i%max(1, len(times)/controlsOfInterval) == 0 {
				took, err := p.control(ctx)
				if err != nil && ctx.Err() == nil {
					return err
				}
				controls = append(controls, took)
			}
			at := time.Now()
			if err := w.next(n); err != nil {
				if ctx.Err() != nil {
					return nil //nolint:nilerr // the interrupt is the cause
				}
				return fmt.Errorf("unit %d of process %d: %w", n, process, err)
			}
			times[i] = time.Since(at)
			n++
		}
		done += len(times)
		s, err := measure(w, times, controls)
		if err != nil {
			return err
		}
		s.Use, s.Process, s.Done = u.name, process, done
		fmt.Println(s)
		if err := r.keep(s); err != nil {
			return err
		}
	}
	return nil
}

// judge compares the end of the longest process with the time after its first tenth.
func (u use) judge(samples []sample) (faults []string) {
	longest := longestProcess(samples)
	if len(longest) < 4 {
		return nil
	}
	early, late := longest[len(longest)/10:len(longest)/2], longest[len(longest)*3/4:]
	grew := func(what string, of func(sample) float64, factor, plus float64) {
		before, after := median(early, of), median(late, of)
		if after > before*factor+plus {
			faults = append(faults, fmt.Sprintf("%s grew from %.2f to %.2f", what, before, after))
		}
	}
	grew("memory (MB)", func(s sample) float64 { return float64(s.RSS) / 1024 }, 1.15, 4)
	grew("open files", func(s sample) float64 { return float64(s.Files) }, 1, 4)
	grew("threads", func(s sample) float64 { return float64(s.Threads) }, 1.2, 4)
	// In relation to a new session at the same time, which a busy machine slows down, too.
	grew("time of a unit (in new sessions)", func(s sample) float64 { return s.P50 / s.Control }, 1.5, 0)
	for _, s := range samples {
		if s.Disk > u.disk<<10 {
			return append(faults, fmt.Sprintf("%d MB on disk after %d, the limit is %d MB", s.Disk>>10, s.Done, u.disk))
		}
	}
	return faults
}

func longestProcess(samples []sample) (longest []sample) {
	of := map[int][]sample{}
	for _, s := range samples {
		of[s.Process] = append(of[s.Process], s)
		if len(of[s.Process]) > len(longest) {
			longest = of[s.Process]
		}
	}
	return longest
}

func median(samples []sample, of func(sample) float64) float64 {
	var all []float64
	for _, s := range samples {
		all = append(all, of(s))
	}
	slices.Sort(all)
	return all[len(all)/2]
}
