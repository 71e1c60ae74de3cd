package loop

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"

	"ripple/runtime/loop/record"
	"ripple/runtime/proctree"
)

// verifyGrace is how long a command that ran too long may take to end itself.
const verifyGrace = 3 * time.Second

// verifyAll runs commands in turn up to the first that fails. What they print
// goes to log. The error is that of a run which could not take place.
func verifyAll(ctx context.Context, dir string, commands []string, timeout time.Duration, log *os.File) ([]record.Verdict, error) {
	var done []record.Verdict
	for _, c := range commands {
		v, err := verifyOne(ctx, dir, c, timeout, log)
		if err != nil {
			return done, err
		}
		if done = append(done, v); !v.OK {
			break
		}
	}
	return done, nil
}

// verifyOne runs one command in the system's command language. Its output goes
// straight to a file, so that a child which keeps it open holds nobody up; when
// it ends, or time is up, its whole tree is ended.
func verifyOne(ctx context.Context, dir, command string, timeout time.Duration, log *os.File) (record.Verdict, error) {
	v := record.Verdict{Command: command}
	start, err := log.Seek(0, io.SeekEnd)
	if err != nil {
		return v, err
	}
	cmd := shell(command)
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, log, log
	if err := cmd.Start(); err != nil {
		return v, fmt.Errorf("cannot run the check %q: %w", command, err)
	}
	tree := proctree.New(cmd.Process.Pid, "")
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	limit := time.NewTimer(timeout)
	defer limit.Stop()
	select {
	case err = <-ended:
		v.OK, v.Why = err == nil, exitWords(err)
		endTree(tree, cmd)
	case <-limit.C:
		v.Why = fmt.Sprintf("timed out after %v", timeout)
		endTree(tree, cmd)
		reaped(ended)
	case <-ctx.Done():
		endTree(tree, cmd)
		reaped(ended)
		return v, ctx.Err()
	}
	v.Tail = tail(log, start)
	return v, nil
}

// endTree ends what is left of a command; its leader at least.
func endTree(t *proctree.Tree, cmd *exec.Cmd) {
	ctx, cancel := context.WithTimeout(context.Background(), 2*verifyGrace)
	defer cancel()
	if err := t.End(ctx, steps()...); err != nil {
		_ = cmd.Process.Kill() // it may have ended
	}
}

// reaped waits for a leader that was killed, but not for one that hangs in the
// kernel: that one may stay for ever.
func reaped(ended <-chan error) {
	limit := time.NewTimer(verifyGrace)
	defer limit.Stop()
	select {
	case <-ended:
	case <-limit.C:
	}
}

func exitWords(err error) string {
	if exit, ok := errors.AsType[*exec.ExitError](err); ok && exit.ExitCode() >= 0 {
		return fmt.Sprintf("exit code %d", exit.ExitCode())
	}
	if err != nil {
		return err.Error()
	}
	return ""
}

const maxTail = 300 // characters

// tail is the last words of a file from a place on, on one line.
func tail(f *os.File, start int64) string {
	info, err := f.Stat()
	if err != nil {
		return ""
	}
	start = max(start, info.Size()-4*maxTail)
	data := make([]byte, info.Size()-start)
	n, _ := f.ReadAt(data, start) // what was read
	text := []rune(strings.ToValidUTF8(strings.Join(strings.Fields(string(data[:n])), " "), ""))
	if len(text) > maxTail {
		return "…" + string(text[len(text)-maxTail+1:])
	}
	return string(text)
}
