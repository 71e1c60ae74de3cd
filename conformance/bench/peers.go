//go:build linux

package main

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"
)

// peer is another way to drive a shell; run returns its round-trip times, nil if it is not
// installed.
type peer struct {
	name string
	run  func() ([]time.Duration, error)
}

func peers(shell sameShell, quick bool) []peer {
	n := 4000
	if quick {
		n = 800
	}
	return []peer{
		{"expect(1)", func() ([]time.Duration, error) {
			return script("expect", expectScript(n, shell.argv, shell.marker))
		}},
		{"expect(1), plain shell", func() ([]time.Duration, error) {
			return script("expect", expectScript(n, measured.Plain, bareMarker))
		}},
		{"pexpect.replwrap, without its delay", func() ([]time.Duration, error) { return script(pythonWithPexpect(), pexpectScript(n/2, true)) }},
		{"pexpect.replwrap, with its defaults", func() ([]time.Duration, error) { return script(pythonWithPexpect(), pexpectScript(60, false)) }},
		{"tmux send-keys + wait-for", func() ([]time.Duration, error) { return tmux(n / 20) }},
	}
}

// script runs a peer's own program, which prints one duration per line in µs.
func script(program, text string) ([]time.Duration, error) {
	path, err := exec.LookPath(program)
	if err != nil || program == "" {
		return nil, nil
	}
	f, err := os.CreateTemp("", "ripple-bench-*")
	if err != nil {
		return nil, err
	}
	defer os.Remove(f.Name())
	if _, err := f.WriteString(text); err != nil {
		return nil, err
	}
	if err := f.Close(); err != nil {
		return nil, err
	}
	var stderr bytes.Buffer
	cmd := exec.Command(path, f.Name())
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%s: %w\n%s", program, err, stderr.String())
	}
	var times []time.Duration
	for lines := bufio.NewScanner(bytes.NewReader(out)); lines.Scan(); {
		us, err := strconv.ParseFloat(strings.TrimSpace(lines.Text()), 64)
		if err == nil {
			times = append(times, time.Duration(us*1000))
		}
	}
	if len(times) == 0 {
		return nil, fmt.Errorf("%s printed no figures:\n%s%s", program, out, stderr.String())
	}
	return times, nil
}

func expectScript(n int, argv []string, marker string) string {
	return fmt.Sprintf(`log_user 0
set timeout 20
set env(HOME) /nonexistent
set env(PS1) "%[1]s"
spawn -noecho %[2]s
expect -ex [format "%[3]s" 1]
for {set i 0} {$i < %[4]d} {incr i} {
    set began [clock microseconds]
    send "true\n"
    expect -ex [format "%[3]s" [expr {$i + 2}]]
    puts [expr {[clock microseconds] - $began}]
}
`, tcl(bareMarker), strings.Join(argv, " "), tcl(marker), n)
}

// tcl quotes control characters for a Tcl string in double quotes.
func tcl(s string) string {
	return strings.NewReplacer("\x1b", `\x1b`, "\x1e", `\x1e`, "\a", `\x07`, "]", `\]`).Replace(s)
}

func pexpectScript(n int, tuned bool) string {
	tune := ""
	if tuned {
		tune = "repl.child.delaybeforesend = None"
	}
	return fmt.Sprintf(`import time
import pexpect.replwrap
repl = pexpect.replwrap.bash()
%s
for i in range(%d):
    began = time.perf_counter()
    repl.run_command("true")
    print((time.perf_counter() - began) * 1e6)
`, tune, n)
}

// pythonWithPexpect returns a Python that can import pexpect; empty if there is none.
func pythonWithPexpect() string {
	for _, python := range measured.Pythons {
		if exec.Command(python, "-c", "import pexpect.replwrap").Run() == nil {
			return python
		}
	}
	return ""
}

// tmux types into a detached session and lets the shell signal that it is done.
func tmux(n int) ([]time.Duration, error) {
	if _, err := exec.LookPath("tmux"); err != nil {
		return nil, nil
	}
	call := func(args ...string) error {
		out, err := exec.Command("tmux", append([]string{"-L", "ripple-bench", "-f", "/dev/null"}, args...)...).CombinedOutput()
		if err != nil {
			return fmt.Errorf("tmux %s: %w: %s", args[0], err, out)
		}
		return nil
	}
	if err := call("new-session", "-d", "-x", "200", "-y", "50", measured.Tmux); err != nil {
		return nil, err
	}
	defer func() { _ = call("kill-server") }() // it may have ended with its session
	var times []time.Duration
	for range n {
		began := time.Now()
		if err := call("send-keys", "true; tmux -L ripple-bench wait-for -S done", "Enter"); err != nil {
			return nil, err
		}
		if err := call("wait-for", "done"); err != nil {
			return nil, err
		}
		times = append(times, time.Since(began))
	}
	return times, nil
}
