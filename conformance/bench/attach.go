//go:build unix

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"time"

	"github.com/creack/pty"

	"example.com/ripple/runtime/console"
	"example.com/ripple/schema"
)

func init() {
	measurements = append(measurements, measurement{"console-attach", consoleAttaches})
}

// consoleAttaches measures the time until an attaching user has the console's screen.
func consoleAttaches(_ *schema.Adapter, quick bool) (t table, err error) {
	n := 100
	if quick {
		n = 20
	}
	t = table{
		title: "Consoles: attach, to the first screen", columns: []string{"p50", "p99"},
		note: "A terminal of 120 by 40, the console's own size; its screen is full.",
	}
	p, err := newConsolePlace()
	if err != nil {
		return t, err
	}
	defer func() { err = errors.Join(err, p.remove()) }()
	ctx := context.Background()
	c, err := p.start(ctx)
	if err != nil {
		return t, err
	}
	defer c.Close()
	if _, err := c.Exec(ctx, console.ExecRequest{Code: "seq 1000 1200"}, nil); err != nil {
		return t, err
	}
	var library, command []time.Duration
	for range n {
		took, err := attachByLibrary(ctx, c)
		if err != nil {
			return t, err
		}
		library = append(library, took)
		if took, err = attachByCommand(p.binary); err != nil {
			return t, err
		}
		command = append(command, took)
	}
	for _, r := range []struct {
		name  string
		times []time.Duration
	}{{"**by the library**", library}, {"**`ripple console attach`, from fork to the screen's last line**", command}} {
		t.rows = append(t.rows, row{r.name, []string{milli(percentile(r.times, 0.5)), milli(percentile(r.times, 0.99))}})
	}
	return t, nil
}

// lastShown is the text of the last line but one of the console's screen.
const lastShown = "1200"

func attachByLibrary(ctx context.Context, c *console.Client) (time.Duration, error) {
	began := time.Now()
	a, err := c.Attach(ctx, console.AttachRequest{Cols: 120, Rows: 40, ReadOnly: true})
	if err != nil {
		return 0, err
	}
	defer a.Close()
	h, err := a.Next()
	if err == nil && !bytes.Contains(h.Output, []byte(lastShown)) {
		err = fmt.Errorf("the first screen is %q", h.Output)
	}
	return time.Since(began), err
}

func attachByCommand(binary string) (took time.Duration, err error) {
	cmd := exec.Command(binary, "console", "attach", "--read-only")
	began := time.Now()
	tty, err := pty.StartWithSize(cmd, &pty.Winsize{Cols: 120, Rows: 40})
	if err != nil {
		return 0, err
	}
	var seen []byte
	for buf := make([]byte, 64<<10); !bytes.Contains(seen, []byte(lastShown)); {
		n, err := tty.Read(buf)
		if seen = append(seen, buf[:n]...); err != nil {
			return 0, fmt.Errorf("%w: %q", err, seen)
		}
	}
	took = time.Since(began)
	if _, err := tty.WriteString("\x1c\x04"); err != nil { // the keys that detach
		return 0, err
	}
	read := make(chan struct{})
	go func() {
		defer close(read)
		_, _ = io.Copy(io.Discard, tty) // its last message; the end of a terminal is an error
	}()
	err = cmd.Wait()
	<-read
	return took, errors.Join(err, tty.Close())
}
