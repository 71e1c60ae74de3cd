//go:build linux

package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"time"

	"example.org/ripple/runtime/session"
	"example.org/ripple/schema"
)

// clients measures how long a program that drives ripple through pipes waits for a command: it
// writes a line and reads one. ripple adds that time minus the session's own. The cost of a hop
// through cat at the pace of a shell's commands is what a cat before the bare loop adds: one that
// is called without a pause never sleeps.
func clients(a *schema.Adapter, quick bool) (table, error) {
	batches, size := 40, 100
	if quick {
		batches = 10
	}
	t := table{
		title: "`true` on bash, as a client sees it", columns: []string{"p50", "p99", "p50 ratio", "beyond the session"},
		note: "The client writes a line to one pipe and reads a line from another. The bare loop is a separate program that " +
			"drives the same shell over the same pipes. The last column is the additional time compared with a caller in " +
			"the same process, and its ratio to the hop of `cat`: the time that a `cat` before the bare loop adds, at the " +
			"pace of the shell's commands, where each process sleeps before it is woken.",
	}
	dir, err := os.MkdirTemp("", "bench-lines-")
	if err != nil {
		return t, err
	}
	defer os.RemoveAll(dir) // a leftover temporary directory is harmless
	ripple, err := buildRipple(dir)
	if err != nil {
		return t, err
	}
	ctx := context.Background()
	s, err := session.Open(ctx, a, session.Options{Env: []string{home}, Window: -1, Output: func([]byte) {}})
	if err != nil {
		return t, err
	}
	defer s.Close(ctx)
	self, err := os.Executable()
	if err != nil {
		return t, err
	}
	runs := []func() error{func() error { _, err := s.Eval(ctx, "true"); return err }}
	names := []string{"session, in the same process", "bare Go read loop", "bare Go read loop, with `cat` before it", "**ripple exec --lines --json**"}
	for _, argv := range [][]string{
		{self, "-child", "lines"},
		append(slices.Clone(measured.Behind), self, "-child", "lines"),
		{ripple, "exec", a.Name, "--lines", "--json", "--env", home},
	} {
		c, err := startClient(argv)
		if err != nil {
			return t, err
		}
		defer c.close()
		runs = append(runs, c.line)
	}
	times, err := inTurn(runs, batches, size)
	if err != nil {
		return t, err
	}
	own, bare := percentile(times[0], 0.5), percentile(times[1], 0.5)
	hop := percentile(times[2], 0.5) - bare
	for i, name := range names {
		p50, beyond := percentile(times[i], 0.5), "–"
		if i > 0 {
			beyond = micro(p50 - own)
		}
		if i == len(names)-1 && hop > 0 {
			beyond += ", " + ratio(p50-own, hop) + " of `cat`"
		}
		t.rows = append(t.rows, row{name, []string{micro(p50), micro(percentile(times[i], 0.99)), ratio(p50, own), beyond}})
	}
	return t, nil
}

// inTurn runs the contenders in small batches, so that a busy moment of the machine affects all of
// them.
func inTurn(runs []func() error, batches, size int) ([][]time.Duration, error) {
	times := make([][]time.Duration, len(runs))
	for range batches {
		for i, run := range runs {
			for range size {
				began := time.Now()
				if err := run(); err != nil {
					return nil, err
				}
				times[i] = append(times[i], time.Since(began))
			}
		}
	}
	return times, nil
}

// client is a program that answers each line with one line.
type client struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
}

func startClient(argv []string) (*client, error) {
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Stderr = os.Stderr
	in, err1 := cmd.StdinPipe()
	out, err2 := cmd.StdoutPipe()
	if err := errors.Join(err1, err2, cmd.Start()); err != nil {
		return nil, err
	}
	c := &client{cmd, in, bufio.NewReader(out)}
	return c, c.line() // it is running
}

func (c *client) line() error {
	if _, err := io.WriteString(c.in, "true\n"); err != nil {
		return err
	}
	_, err := c.out.ReadString('\n')
	return err
}

func (c *client) close() {
	_ = c.in.Close() // which ends it
	_ = c.cmd.Wait() // its exit status does not matter
}

// bareLines is the bare loop as a program: a line in, the shell's prompt, a line out.
func bareLines(a *schema.Adapter) error {
	shell, err := newSameShell(a)
	if err != nil {
		return err
	}
	defer shell.remove()
	bare, err := shell.start()
	if err != nil {
		return err
	}
	defer bare.close()
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		n, err := bare.eval(lines.Text())
		if err != nil {
			return err
		}
		if _, err := fmt.Printf("%d\n", n); err != nil {
			return err
		}
	}
	return nil
}
