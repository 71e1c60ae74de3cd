package mcp

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"example.org/ripple/runtime/console"
)

// headline describes the state of a console and its command in one line.
func headline(s console.Status, c *console.Command) string { return headlineAs(state(s, c), s, c) }

// headlineAs is headline with another name for the state.
func headlineAs(state string, s console.Status, c *console.Command) string {
	b := &strings.Builder{}
	b.WriteString("[" + word(s.Name))
	if c != nil {
		b.WriteString(" #" + strconv.Itoa(c.ID))
	}
	b.WriteString("] " + state)
	switch {
	case c != nil && c.ExitCode != nil:
		fmt.Fprintf(b, " exit=%d", *c.ExitCode)
	case c != nil && !c.Running() && c.Error:
		b.WriteString(" error")
	}
	if s.Cwd != "" {
		b.WriteString(" cwd=" + word(s.Cwd))
	}
	if s.Mode != "" && s.Mode != "main" {
		b.WriteString(" mode=" + word(s.Mode))
	}
	if s.Queued > 0 {
		fmt.Fprintf(b, " queued=%d", s.Queued)
	}
	if c != nil {
		fmt.Fprintf(b, " %s %s", duration(c), outputSize(c))
	}
	return b.String()
}

// state returns a console's state in the terms of the tools.
func state(s console.Status, c *console.Command) string {
	switch {
	case s.State == console.Exited || s.State == console.Dead:
		return "exited (" + word(oneLine(s.Exit)) + ")"
	case s.State == console.Idle && c != nil:
		return "done"
	case s.Stopped != nil:
		return fmt.Sprintf("stopped (%s; to continue it: kill -CONT %d)", word(s.Stopped.String()), s.Stopped.PID)
	}
	return word(string(s.State))
}

func duration(c *console.Command) string {
	d := max(0, c.Duration)
	switch {
	case d < 100*time.Millisecond:
		return d.Truncate(100 * time.Microsecond).String()
	case d < time.Minute:
		return strconv.FormatFloat(d.Seconds(), 'f', 1, 64) + "s"
	}
	return d.Truncate(time.Second).String()
}

func outputSize(c *console.Command) string {
	size := fmt.Sprintf("%d B", c.Bytes)
	switch {
	case c.Bytes >= 10<<20:
		size = fmt.Sprintf("%d MB", c.Bytes>>20)
	case c.Bytes >= 10_000:
		size = fmt.Sprintf("%d kB", c.Bytes/1000)
	}
	return lineCount(c.Lines) + "/" + size
}

// lineCount formats a number of lines: 1 line, 2,000 lines.
func lineCount(n int64) string {
	if n == 1 {
		return "1 line"
	}
	return thousands(n) + " lines"
}

func thousands(n int64) string {
	s := strconv.FormatInt(n, 10)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

func oneLine(s string) string {
	line, rest, _ := strings.Cut(strings.TrimSpace(s), "\n")
	if rest != "" || len(line) > 120 {
		return strings.ToValidUTF8(line[:min(len(line), 120)], "") + " …"
	}
	return line
}
