//go:build linux

package torture

import (
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"sync"
)

type verdict int

const (
	passed verdict = iota
	failed
	skipped
)

// table counts the results of the cases, by class and program.
type table struct {
	programs
	classes []class

	mu      sync.Mutex
	ran     int
	cells   map[string]map[string]*[3]int // class, program
	details strings.Builder
	absent  map[string]string // by program: reason for skipping it; "" if installed
}

func newTable(p programs, classes []class) *table {
	return &table{programs: p, classes: classes, cells: map[string]map[string]*[3]int{}, absent: map[string]string{}}
}

// missing returns the reason why a program cannot be run; ripple reports that with exit code 3.
func (tab *table) missing(binary, name string) string {
	tab.mu.Lock()
	defer tab.mu.Unlock()
	reason, known := tab.absent[name]
	if !known {
		out, err := exec.Command(binary, "exec", name, "--", "").CombinedOutput()
		if exit, failed := errors.AsType[*exec.ExitError](err); failed && exit.ExitCode() == 3 {
			reason = strings.TrimSpace(string(out))
		}
		tab.absent[name] = reason
	}
	return reason
}

func (tab *table) enter(class string, d *drive, v verdict, problems []string) {
	tab.mu.Lock()
	defer tab.mu.Unlock()
	row := tab.cells[class]
	if row == nil {
		row = map[string]*[3]int{}
		tab.cells[class] = row
	}
	if row[d.program.Name] == nil {
		row[d.program.Name] = &[3]int{}
	}
	row[d.program.Name][v]++
	if v != skipped {
		tab.ran++
	}
	if v == failed {
		fmt.Fprintf(&tab.details, "- **%s / %s / %s** – %s\n", class, d.tortureCase.Name, d.program.Name, d.Because)
		for _, p := range problems {
			fmt.Fprintf(&tab.details, "  - %s\n", strings.ReplaceAll(p, "\n", "\n  "))
		}
		fmt.Fprintf(&tab.details, "  - `%s`\n", d.reproduction())
	}
}

// String formats the table: passed of run cases, or a dot if no case applies.
func (tab *table) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%-14s", "")
	for _, p := range tab.Programs {
		fmt.Fprintf(&b, " %8s", p.Name)
	}
	var sum [3]int
	for _, c := range tab.classes {
		if tab.cells[c.name] == nil {
			continue
		}
		fmt.Fprintf(&b, "\n%-14s", c.name)
		for _, p := range tab.Programs {
			cell := tab.cells[c.name][p.Name]
			text := "·"
			if cell != nil {
				text = fmt.Sprintf("%d/%d", cell[passed], cell[passed]+cell[failed])
				if cell[skipped] > 0 {
					text = "skipped"
				}
				for v := range sum {
					sum[v] += cell[v]
				}
			}
			fmt.Fprintf(&b, " %8s", text)
		}
	}
	fmt.Fprintf(&b, "\n%d passed, %d failed, %d skipped\n", sum[passed], sum[failed], sum[skipped])
	for _, p := range tab.Programs {
		if reason := tab.absent[p.Name]; reason != "" {
			fmt.Fprintf(&b, "skipped: %s: %s\n", p.Name, reason)
		}
	}
	return b.String()
}

// failures lists every failure with a command that reproduces it.
func (tab *table) failures() string {
	tab.mu.Lock()
	defer tab.mu.Unlock()
	return "```\n" + tab.String() + "```\n\n" + tab.details.String()
}
