//go:build unix

package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"ripple/schema"
)

func init() { measurements = append(measurements, measurement{"cold", colds}) }

// colds times whole commands as someone at a prompt meets them: from fork to
// exit, through a pipe, with an empty home. The rows take turns, so that what
// else the machine does falls on all of them.
func colds(_ *schema.Adapter, quick bool) (table, error) {
	t := table{
		title: "A whole command, from fork to exit",
		note: "`exec bash true` starts a bash, runs the command in it and ends it, as the expect script does. " +
			"Home is empty; output goes to a pipe.",
		columns: []string{"median", "p90", "to expect(1)"},
	}
	dir, err := os.MkdirTemp("", "bench-cold-")
	if err != nil {
		return t, err
	}
	defer os.RemoveAll(dir)
	binary := filepath.Join(dir, "ripple")
	if out, err := exec.Command("go", "build", "-o", binary, "./cmd/ripple").CombinedOutput(); err != nil {
		return t, fmt.Errorf("go build: %w: %s", err, out)
	}
	commands := [][]string{
		{"expect", "-c", `log_user 0; spawn bash --norc --noediting; expect -re {[$#] $}; send "true\r"; expect -re {[$#] $}; send "exit\r"; expect eof`},
		{"bash", "-ic", "true"},
		{binary, "version"},
		{binary, "exec", "bash", "true"},
		{binary, "adapter", "list"},
		{binary, "adapter", "show", "bash"},
		{binary, "run", "--adapter", "rehearsal", "--dry-run"},
	}
	work := filepath.Join(dir, "work")
	if err := os.Mkdir(work, 0o755); err != nil {
		return t, err
	}
	setup := exec.Command(binary, "init")
	setup.Dir = work
	if out, err := setup.CombinedOutput(); err != nil {
		return t, fmt.Errorf("ripple init: %w: %s", err, out)
	}
	times := make([][]time.Duration, len(commands))
	rounds := 100
	if quick {
		rounds = 10
	}
	for range rounds {
		for i, argv := range commands {
			d, err := cold(argv, work, dir)
			if err != nil {
				return t, fmt.Errorf("%v: %w", argv, err)
			}
			if d > 0 {
				times[i] = append(times[i], d)
			}
		}
	}
	for i, argv := range commands {
		name := "expect(1): the same as `exec bash true`"
		if i > 0 {
			name = "`" + strings.Join(append([]string{filepath.Base(argv[0])}, argv[1:]...), " ") + "`"
		}
		if len(times[i]) == 0 {
			t.rows = append(t.rows, missing(name, len(t.columns)))
			continue
		}
		median := percentile(times[i], 0.5)
		compared := "–"
		if len(times[0]) > 0 {
			compared = ratio(median, percentile(times[0], 0.5))
		}
		t.rows = append(t.rows, row{name, []string{milli(median), milli(percentile(times[i], 0.9)), compared}})
	}
	return t, nil
}

// cold runs one command; 0 when the program is not there.
func cold(argv []string, work, home string) (time.Duration, error) {
	if _, err := exec.LookPath(argv[0]); err != nil {
		return 0, nil
	}
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Dir = work
	cmd.Env = append(os.Environ(), "HOME="+home, "XDG_CONFIG_HOME=", "TERM=xterm-256color")
	begin := time.Now()
	out, err := cmd.CombinedOutput() // a pipe, read to its end
	if err != nil {
		return 0, fmt.Errorf("%w: %s", err, out)
	}
	return time.Since(begin), nil
}
