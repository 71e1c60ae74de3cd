package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"

	"github.com/creack/pty"
)

// bareMarker is a prompt that nothing else prints.
const bareMarker = "\x1eREADY\x1e"

// bareShell is the least that can drive a shell: a PTY, a write, and reads
// until the prompt. It is what everything else is compared with.
type bareShell struct {
	cmd *exec.Cmd
	tty *os.File
	buf []byte
	end []byte // the end of what was read, at least a marker long
}

// startBare starts bash with the settings of ripple's own adapter and waits for
// its first prompt.
func startBare() (*bareShell, error) {
	cmd := exec.Command("bash", "--noediting", "--norc", "--noprofile", "-i")
	cmd.Env = append(os.Environ(), "PS1="+bareMarker, "TERM=xterm-256color")
	tty, err := pty.StartWithSize(cmd, &pty.Winsize{Cols: 200, Rows: 50})
	if err != nil {
		return nil, err
	}
	s := &bareShell{cmd: cmd, tty: tty, buf: make([]byte, 64<<10)}
	if _, err := s.prompt(); err != nil {
		return nil, err
	}
	return s, nil
}

// prompt reads to the next prompt and returns how many bytes came before it.
func (s *bareShell) prompt() (int, error) {
	total := 0
	s.end = s.end[:0]
	for {
		n, err := s.tty.Read(s.buf)
		if err != nil {
			return total, fmt.Errorf("bare shell: %w", err)
		}
		total += n
		s.end = append(s.end, s.buf[max(0, n-64):n]...)
		s.end = s.end[max(0, len(s.end)-64):]
		if bytes.HasSuffix(s.end, []byte(bareMarker)) {
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
	_ = s.cmd.Wait()  // and its status is of no interest
}
