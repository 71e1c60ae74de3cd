package loop

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"

	"example.org/ripple/internal/projectfile"
	"example.org/ripple/runtime/box"
	"example.org/ripple/runtime/loop/record"
	"example.org/ripple/runtime/proctree"
)

// verifyGrace is how long a command that timed out may take to end.
const verifyGrace = 3 * time.Second

// verify runs commands where the agent works. Verdicts name the directory unless it is the project's.
func (w *workspace) verify(ctx context.Context, commands []string, log io.Writer) ([]record.Verdict, error) {
	done, err := verifyAll(ctx, w.box(), w.tree.Dir, commands, w.config.VerifyTimeout, log)
	if dir, inside := projectfile.Relative(w.project, w.tree.Dir); inside && dir != "." {
		for i := range done {
			done[i].Dir = dir
		}
	}
	return done, err
}

// verifyAll runs commands one after another, up to the first that fails, and writes their output to
// log. It returns an error if a command could not be run.
func verifyAll(ctx context.Context, in *box.Box, dir string, commands []string, timeout time.Duration, log io.Writer) ([]record.Verdict, error) {
	var done []record.Verdict
	for _, c := range commands {
		v, err := verifyOne(ctx, in, dir, c, timeout, log)
		if err != nil {
			return done, err
		}
		if done = append(done, v); !v.OK {
			break
		}
	}
	return done, nil
}

// verifyOne runs one command with the system's shell. When the command ends or times out, all
// processes that it started are ended. For a process that escapes this and keeps the output open,
// verifyOne waits for at most verifyGrace.
func verifyOne(ctx context.Context, in *box.Box, dir, command string, timeout time.Duration, log io.Writer) (record.Verdict, error) {
	v := record.Verdict{Command: command}
	said := &lastWords{}
	out, err := newOutput(io.MultiWriter(log, said))
	if err != nil {
		return v, err
	}
	defer out.close()
	cmd, err := boxed(in, shell(command), dir)
	if err != nil {
		return v, fmt.Errorf("running the check %q: %w", command, err)
	}
	cmd.Stdout, cmd.Stderr = out.in, out.in
	if err := cmd.Start(); err != nil {
		return v, fmt.Errorf("running the check %q: %w", command, err)
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
	out.close()
	v.Tail = said.String()
	return v, nil
}

// boxed returns a command that starts in dir, in a box unless that is nil.
func boxed(in *box.Box, cmd *exec.Cmd, dir string) (*exec.Cmd, error) {
	cmd.Dir = dir
	if in == nil {
		return cmd, nil
	}
	cmd.Env = in.Environ(os.Environ())
	argv, err := in.Wrap(cmd.Args, cmd.Env, dir, nil, nil)
	if err != nil {
		return nil, err
	}
	cmd.Path, cmd.Args = argv[0], argv
	return cmd, nil
}

// output copies the output of a command and its children to a writer. It has its own pipe, because
// exec would wait until every process has closed the pipe's end.
type output struct {
	in, out *os.File
	copied  chan struct{}
	once    sync.Once
}

// newOutput starts to copy the data written to in, until close.
func newOutput(to io.Writer) (*output, error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	o := &output{in: w, out: r, copied: make(chan struct{})}
	go func() {
		defer close(o.copied)
		_, _ = io.Copy(to, r) // until all writers or close close the pipe
	}()
	return o, nil
}

// close returns when all output is copied. If a process that could not be ended keeps the pipe open,
// close copies for verifyGrace only.
func (o *output) close() {
	o.once.Do(func() {
		_ = o.in.Close() // the command has its own descriptor
		limit := time.NewTimer(verifyGrace)
		defer limit.Stop()
		select {
		case <-o.copied:
		case <-limit.C:
		}
		_ = o.out.Close()
		<-o.copied
	})
}

// release closes log when all output is copied, and waits for that for at most verifyGrace: a
// process that the command left running may continue to print.
func (o *output) release(log io.Closer) {
	_ = o.in.Close() // the command has its own descriptor
	closed := make(chan struct{})
	go func() {
		<-o.copied
		_, _ = o.out.Close(), log.Close() // errors are ignored: the log is for users
		close(closed)
	}()
	limit := time.NewTimer(verifyGrace)
	defer limit.Stop()
	select {
	case <-closed:
	case <-limit.C:
	}
}

// endTree ends all processes of a command, or at least its first one.
func endTree(t *proctree.Tree, cmd *exec.Cmd) {
	ctx, cancel := context.WithTimeout(context.Background(), 2*verifyGrace)
	defer cancel()
	if err := t.End(ctx, steps()...); err != nil {
		_ = cmd.Process.Kill() // it may have ended
	}
}

// reaped waits until a killed process has ended, but for at most verifyGrace: a process that hangs
// in the kernel may never end.
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

// lastWords keeps the end of the data written to it.
type lastWords struct{ end []byte }

func (l *lastWords) Write(data []byte) (int, error) {
	l.end = lastBytes(append(l.end, data[max(0, len(data)-4*maxTail):]...), 4*maxTail)
	return len(data), nil
}

// String returns the end on one line, of at most maxTail characters.
func (l *lastWords) String() string {
	text := []rune(strings.ToValidUTF8(strings.Join(strings.Fields(string(l.end)), " "), ""))
	if len(text) > maxTail {
		return "…" + string(text[len(text)-maxTail+1:])
	}
	return string(text)
}
