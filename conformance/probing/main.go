// Command probing measures `ripple adapter new --probe` with the programs of a list, without any
// other knowledge of them, and writes the table of docs/probe.md.
package main

import (
	"cmp"
	"context"
	_ "embed"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"
)

//go:embed commands.txt
var commands string

func main() {
	binary := flag.String("binary", "bin/ripple", "the ripple to measure")
	kept := flag.String("results", "bin/probing.jsonl", "file of the results so far: a program is measured once per binary")
	page := flag.String("o", "docs/probe.md", "page whose table is replaced")
	only := flag.String("only", "", "names, separated by commas (then the page is not changed)")
	limit := flag.Duration("limit", 5*time.Minute, "time limit for one program")
	jobs := flag.Int("jobs", 2, "number of programs measured concurrently")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, *binary, *kept, *page, *only, *limit, *jobs); err != nil {
		fmt.Fprintln(os.Stderr, "probing:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, binary, kept, page, only string, limit time.Duration, jobs int) error {
	binary, err := filepath.Abs(binary)
	if err != nil {
		return err
	}
	r, err := openResults(kept, binary)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "probing-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	programs := chosen(only)
	list := make([]outcome, len(programs))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(jobs)
	for i, p := range programs {
		group.Go(func() error {
			o, known := r.known[p.name]
			if !known || o.Command != p.command {
				o = measure(ctx, binary, dir, p.name, p.command, limit)
				if ctx.Err() != nil {
					return ctx.Err()
				}
				if err := r.keep(o); err != nil {
					return err
				}
			}
			fmt.Printf("%-12s level %d, %s passed, %.1f s %s\n", p.name, o.Level, o.Passed, o.Took.Seconds(), o.Why)
			list[i] = o
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return err
	}
	if only != "" {
		return nil
	}
	return write(page, list, jobs)
}

// program is a line of the list.
type program struct{ name, command string }

// chosen returns the installed programs of the list, or those with the given names.
func chosen(only string) (list []program) {
	for line := range strings.Lines(commands) {
		name, command, found := strings.Cut(strings.TrimSpace(line), "\t")
		if !found || only != "" && !slices.Contains(strings.Split(only, ","), name) {
			continue
		}
		executable, _, _ := strings.Cut(command, " ")
		if _, err := exec.LookPath(executable); err != nil {
			fmt.Printf("%-12s is not installed\n", name)
			continue
		}
		list = append(list, program{name, command})
	}
	return list
}

var (
	verdict  = regexp.MustCompile(`(?m)^\S+.*: level (\d)(?:, (\d+) passed)?(?:, (\d+) failed)?(?:, (\d+) errors?)?(?:, (\d+) not applicable)?.*$`)
	language = regexp.MustCompile(`(?m)^= it speaks (.+), or something like it`)
	prompts  = regexp.MustCompile(`(?m)^prompt:\n(?: .*\n)*?  strategy: (\w+)$`)
	why      = regexp.MustCompile(`is not reached: failed: (.*)$`)
)

// kinds maps init strategies to the terms of the table.
var kinds = map[string]string{"regex": "pattern", "marker": "marker", "shell_integration": "OSC 633"}

// measure learns one adapter, as a user would, and parses the output.
func measure(ctx context.Context, binary, dir, name, command string, limit time.Duration) outcome {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	o := outcome{Name: name, Command: command, Level: -1, Passed: "0", NA: "0", Load: load()}
	file := filepath.Join(dir, name+".yaml")
	cmd := exec.CommandContext(ctx, binary, "adapter", "new", name, "--probe", command, "-o", file)
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 20 * time.Second
	began := time.Now()
	out, err := cmd.CombinedOutput()
	o.Took = time.Since(began)
	m := verdict.FindStringSubmatch(string(out))
	if m == nil {
		first, _, _ := strings.Cut(strings.TrimPrefix(string(out), "ripple: "), "\n")
		o.Why = cmp.Or(first, fmt.Sprint(err))
		return o
	}
	o.Level, _ = strconv.Atoi(m[1]) // the pattern matches digits
	o.Passed, o.Failed, o.NA = cmp.Or(m[2], "0"), m[3], cmp.Or(m[5], "0")
	if reason := why.FindStringSubmatch(m[0]); reason != nil {
		o.Why = reason[1]
	}
	if text, err := os.ReadFile(file); err == nil {
		if p := prompts.FindSubmatch(text); p != nil {
			o.Prompts = kinds[string(p[1])]
		}
	}
	if evidence, err := os.ReadFile(strings.TrimSuffix(file, ".yaml") + ".evidence.txt"); err == nil {
		if l := language.FindAllStringSubmatch(string(evidence), -1); l != nil {
			o.Language = l[len(l)-1][1]
		}
	}
	return o
}

// load returns the system's load average of the last minute (proc(5)), 0 if unknown.
func load() (mean float64) {
	text, _ := os.ReadFile("/proc/loadavg")
	_, _ = fmt.Sscan(string(text), &mean)
	return mean
}

const begin, end = "<!-- table: generated by make bench-probe -->\n", "<!-- end -->"

// write puts the table into the page.
func write(page string, list []outcome, jobs int) error {
	text, err := os.ReadFile(page)
	if err != nil {
		return err
	}
	before, rest, found := strings.Cut(string(text), begin)
	_, after, closed := strings.Cut(rest, end)
	if !found || !closed {
		return fmt.Errorf("%s lacks the lines around the table: %q … %q", page, begin, end)
	}
	return os.WriteFile(page, []byte(before+begin+table(list, jobs)+end+after), 0o644)
}

func table(list []outcome, jobs int) string {
	var b strings.Builder
	counts, took, loads := [5]int{}, []time.Duration{}, []float64{}
	for _, o := range list {
		took, loads = append(took, o.Took), append(loads, o.Load)
		for level := 0; level <= o.Level; level++ {
			counts[level]++
		}
	}
	slices.Sort(took)
	slices.Sort(loads)
	fmt.Fprintf(&b, "Of %d programs %d reach level 4, %d level 3 or more, %d level 2 or more, %d level 1 or more; of %d nothing was learned. ",
		len(list), counts[4], counts[3], counts[2], counts[1], len(list)-counts[0])
	if len(took) > 0 {
		fmt.Fprintf(&b, "The median takes %.0f s, the longest %.0f s: %d at a time, on %d processors with a load between %.0f and %.0f (the median is %.0f) when each was started.\n\n",
			took[len(took)/2].Seconds(), took[len(took)-1].Seconds(), jobs, runtime.NumCPU(), loads[0], loads[len(loads)-1], loads[len(loads)/2])
	}
	b.WriteString("| command | language | prompts by | level | passed | n/a | seconds | what failed |\n|---|---|---|---|---|---|---|---|\n")
	for _, o := range list {
		level := strconv.Itoa(o.Level)
		if o.Level < 0 {
			level = "–"
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s | %s | %.0f | %s |\n", o.Command, o.Language, o.Prompts, level, o.Passed, o.NA, o.Took.Seconds(), strings.ReplaceAll(o.Why, "|", `\|`))
	}
	return b.String()
}
