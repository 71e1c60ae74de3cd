//go:build linux

package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"

	"github.com/creack/pty"

	"example.org/ripple/runtime/launch"
	"example.org/ripple/schema"
)

// bareMarker is the end of the plain shell's prompt.
const bareMarker = "\x1eREADY\x1e"

// home keeps the user's own startup files out of every measurement.
const home = "HOME=/nonexistent"

// bareShell is the minimal driver of a shell: a PTY, a write, and reads until the prompt. It is the
// baseline of all comparisons.
type bareShell struct {
	cmd    *exec.Cmd
	tty    *os.File
	buf    []byte
	end    []byte // the end of the output, at least as long as a marker
	marker string // of the prompt; %d stands for the prompt's number, if it has one
	seen   int    // prompts so far
}

// startPlain starts the measured program in the usual way, with a prompt that nothing else prints.
func startPlain() (*bareShell, error) {
	return startBare(measured.Plain, []string{"PS1=" + bareMarker}, bareMarker)
}

// sameShell is the command line, environment and startup file that ripple gives bash, so that only
// the driving is compared.
type sameShell struct {
	argv, env []string
	marker    string // the end of its prompt, with %d for its number
	dir       string // contains the startup file
}

func newSameShell(a *schema.Adapter) (sameShell, error) {
	const nonce = "0123456789abcdef0123456789abcdef"
	dir, err := os.MkdirTemp("", "ripple-bench-*")
	if err != nil {
		return sameShell{}, err
	}
	plan, err := launch.Build(a, launch.OSHost(), launch.Request{Nonce: nonce, ScratchDir: dir, Env: []string{home}})
	if err != nil {
		return sameShell{}, err
	}
	for _, f := range plan.Files {
		if err := os.WriteFile(f.Path, f.Body, 0o600); err != nil {
			return sameShell{}, err
		}
	}
	return sameShell{argv: plan.Argv, env: plan.Env, marker: "\x1b]633;B;%d;" + nonce + "\a", dir: dir}, nil
}

func (s sameShell) start() (*bareShell, error) { return startBare(s.argv, s.env, s.marker) }

func (s sameShell) remove() { _ = os.RemoveAll(s.dir) } // a leftover temporary file is harmless

func startBare(argv, env []string, marker string) (*bareShell, error) {
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Env = append(os.Environ(), append([]string{"TERM=xterm-256color", home}, env...)...)
	tty, err := pty.StartWithSize(cmd, &pty.Winsize{Cols: 200, Rows: 50})
	if err != nil {
		return nil, err
	}
	s := &bareShell{cmd: cmd, tty: tty, buf: make([]byte, 64<<10), marker: marker}
	if _, err := s.prompt(); err != nil {
		return nil, err
	}
	return s, nil
}

// prompt reads to the next prompt and returns the number of bytes before it.
func (s *bareShell) prompt() (int, error) {
	total := 0
	s.seen++
	marker := []byte(strings.ReplaceAll(s.marker, "%d", strconv.Itoa(s.seen)))
	s.end = s.end[:0]
	for {
		n, err := s.tty.Read(s.buf)
		if err != nil {
			return total, fmt.Errorf("bare shell: %w", err)
		}
		total += n
		s.end = append(s.end, s.buf[max(0, n-64):n]...)
		s.end = s.end[max(0, len(s.end)-64):]
		if bytes.HasSuffix(s.end, marker) {
			return total, nil
		}
	}
}

func (s *bareShell) eval(line string) (int, error) {
	if _, err := s.tty.WriteString(line + "\n"); err != nil {
		return 0, err
	}
	return s.prompt()
}

func (s *bareShell) close() {
	_ = s.tty.Close() // hang-up ends the shell
	_ = s.cmd.Wait()  // its exit status does not matter
}
