//go:build unix

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"

	"example.com/ripple/runtime/console"
	"example.com/ripple/schema"
)

func init() {
	measurements = append(measurements, measurement{"console-redraw", consoleRedraws})
}

// The redraws: a screen of a usual size, sixty times a second.
const (
	redrawCols, redrawRows = 120, 40
	redrawsASecond         = 60
)

// consoleRedraws measures the CPU time that a full-screen program costs its console; other load
// hardly affects it.
func consoleRedraws(_ *schema.Adapter, quick bool) (t table, err error) {
	lasts := 20 * time.Second
	if quick {
		lasts = 5 * time.Second
	}
	t = table{
		title: fmt.Sprintf("Consoles: a program that redraws %d by %d cells %d times a second", redrawCols, redrawRows, redrawsASecond), columns: []string{"of one core"},
		note: "Each row has a colour of its own. What the console's process takes; the program's own is not counted.",
	}
	p, err := newConsolePlace()
	if err != nil {
		return t, err
	}
	defer func() { err = errors.Join(err, p.remove()) }()
	self, err := os.Executable()
	if err != nil {
		return t, err
	}
	ctx := context.Background()
	c, err := p.start(ctx)
	if err != nil {
		return t, err
	}
	defer c.Close()
	status, err := c.Status(ctx)
	if err != nil {
		return t, err
	}
	for _, looked := range []bool{false, true} {
		name := "**nobody looks**"
		if looked {
			name = "**with an attached client**"
			a, err := c.Attach(ctx, console.AttachRequest{Cols: redrawCols, Rows: redrawRows, ReadOnly: true})
			if err != nil {
				return t, err
			}
			defer a.Close()
			go func() {
				for {
					if _, err := a.Next(); err != nil {
						return
					}
				}
			}()
		}
		before, err := processorTimeOf(status.Host)
		if err != nil {
			return t, err
		}
		began := time.Now()
		if _, err := c.Exec(ctx, console.ExecRequest{Code: fmt.Sprintf("'%s' -child redraw=%v", self, lasts), Stay: true, Quiet: true}, io.Discard); err != nil {
			return t, err
		}
		took := time.Since(began)
		after, err := processorTimeOf(status.Host)
		if err != nil {
			return t, err
		}
		t.rows = append(t.rows, row{name, []string{fmt.Sprintf("%.1f %%", 100*(after-before).Seconds()/took.Seconds())}})
	}
	return t, nil
}

// redraw is the program.
func redraw(text string) error {
	lasts, err := time.ParseDuration(text)
	if err != nil {
		return err
	}
	tick := time.NewTicker(time.Second / redrawsASecond)
	defer tick.Stop()
	fmt.Print("\x1b[?1049h")
	for n := range int(lasts.Seconds() * redrawsASecond) {
		<-tick.C
		var frame strings.Builder
		frame.WriteString("\x1b[H")
		for row := range redrawRows {
			fmt.Fprintf(&frame, "\x1b[%d;1H\x1b[38;5;%dm%s\x1b[0m", row+1, (row+n)%256, strings.Repeat(string(rune('a'+(row+n)%26)), redrawCols))
		}
		fmt.Print(frame.String())
	}
	fmt.Print("\x1b[?1049l")
	return nil
}

// processorTimeOf returns the CPU time of a process, from proc_pid_stat(5).
func processorTimeOf(pid int) (time.Duration, error) {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, err
	}
	_, rest, _ := strings.Cut(string(data), ") ")
	words := strings.Fields(rest)
	const user, system, tick = 11, 12, 10 * time.Millisecond
	if len(words) <= system {
		return 0, fmt.Errorf("/proc/%d/stat has %d words", pid, len(words))
	}
	var sum time.Duration
	for _, i := range []int{user, system} {
		n, err := strconv.Atoi(words[i])
		if err != nil {
			return 0, err
		}
		sum += time.Duration(n) * tick
	}
	return sum, nil
}
