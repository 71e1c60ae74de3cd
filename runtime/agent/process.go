package agent

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"sync"

	"example.org/ripple/runtime/launch"
	"example.org/ripple/runtime/proctree"
	"example.org/ripple/schema"
)

// process is a started agent and its streams. All output is sent to chunks, which is closed after
// the last one.
type process struct {
	pid    int
	chunks chan chunk
	exited <-chan struct{} // closed when the leader has exited; nil once that was received
	dead   <-chan struct{} // the same, but never nil
	status func() (code int, signal string)

	send   func([]byte) // to its standard input; never blocks
	hangUp func()       // ends the input after all pieces are written

	members func() []proctree.Process
	end     func(context.Context, ...proctree.Step) error // of the whole tree, while chunks are received
	close   func()                                        // stops reading and closes chunks
}

// start starts the agent over pipes or on a terminal.
func start(g *schema.Agent, plan launch.Plan, stdin source, sole bool) (*process, error) {
	if carriesTerminal(g) {
		return startTerminal(plan, sole)
	}
	return startPipe(plan, stdin, sole)
}

// readSize is the default capacity of a pipe, in bytes.
const readSize = 64 << 10

func startPipe(plan launch.Plan, stdin source, sole bool) (*process, error) {
	cmd := exec.Command(plan.Path, plan.Argv[1:]...)
	cmd.Env, cmd.Dir, cmd.SysProcAttr = plan.Env, plan.Dir, ownSession()
	var ours, theirs []*os.File
	shut := func(files []*os.File) {
		for _, f := range files {
			_ = f.Close() // read to its end, or abandoned
		}
	}
	for _, to := range []*io.Writer{&cmd.Stdout, &cmd.Stderr} {
		r, w, err := os.Pipe()
		if err != nil {
			shut(append(ours, theirs...))
			return nil, err
		}
		enlarge(w)
		ours, theirs, *to = append(ours, r), append(theirs, w), w
	}
	var in io.WriteCloser // nil: the input is empty, since some agents wait while it stays open
	var err error
	if stdin.text != "" || stdin.open {
		in, err = cmd.StdinPipe()
	}
	if err == nil {
		err = cmd.Start()
	}
	shut(theirs)
	if err != nil {
		shut(ours)
		return nil, err
	}
	gone := make(chan struct{})
	go func() {
		_ = cmd.Wait() // its state has the result
		close(gone)
	}()
	tree := proctree.New(cmd.Process.Pid, "")
	tree.OwnsOrphans = sole
	p := &process{
		pid: cmd.Process.Pid, exited: gone, dead: gone, members: tree.Members,
		status: func() (int, string) { return exitStatus(cmd.ProcessState) },
		end: func(ctx context.Context, steps ...proctree.Step) error {
			err := tree.End(ctx, steps...)
			if errors.Is(err, proctree.ErrUnsupported) {
				_ = cmd.Process.Kill() // it may have exited
				err = nil
			}
			return err
		},
		close: func() { shut(ours) },
	}
	p.feed(in, stdin)
	p.read(ours[0], ours[1])
	return p, nil
}

// source returns the agent's standard input: a text, and later messages if it stays open.
type source struct {
	text string
	open bool
}

// feed starts to write the input of a started process.
func (p *process) feed(w io.WriteCloser, stdin source) {
	if w == nil {
		return
	}
	in := newInput(w)
	p.send, p.hangUp = in.send, in.hangUp
	if stdin.text != "" {
		in.send([]byte(stdin.text))
	}
	if !stdin.open {
		in.hangUp()
	}
	end := p.close
	p.close = func() {
		in.close()
		end()
	}
}

// read drains all streams at once, so that none fills up.
func (p *process) read(streams ...io.Reader) {
	p.chunks = make(chan chunk)
	var wg sync.WaitGroup
	for i, s := range streams {
		wg.Go(func() {
			for {
				b := make([]byte, readSize)
				n, err := s.Read(b)
				if n > 0 {
					p.chunks <- chunk{data: b[:n], stderr: i == 1}
				}
				if err != nil {
					p.chunks <- chunk{stderr: i == 1, last: true}
					return
				}
			}
		})
	}
	go func() { wg.Wait(); close(p.chunks) }()
}

// exitStatus returns an exit code, or -1 and the signal.
func exitStatus(s *os.ProcessState) (code int, signal string) {
	if s == nil {
		return -1, ""
	}
	return s.ExitCode(), signalOf(s)
}
