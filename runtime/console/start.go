package console

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"os/exec"

	"ripple/runtime/console/place"
	"ripple/runtime/launch"
	"ripple/runtime/session"
)

// places are the files of a console; their directories are made and checked.
func places(getenv func(string) string, name string) (place.Files, error) {
	f, err := place.Of(getenv, name)
	if err != nil {
		err = placeFault(err)
	}
	return f, err
}

// placeFault is err, as a *Fault where it says what is wrong with a request or a system.
func placeFault(err error) error {
	if _, ok := errors.AsType[*place.NameError](err); ok {
		return fault(FaultRequest, "%v", err)
	}
	if errors.Is(err, place.ErrUnsupported) {
		return fault(FaultStart, "%v", err)
	}
	return err
}

// Start starts a console in a process of its own and returns when its program is at
// its first prompt, or has not come there for half a minute. argv is the command line
// of a process that calls Serve with its standard input and output.
//
// Errors: *Fault: FaultTaken when a console of that name is running, FaultMissing when
// there is no such program, FaultStart otherwise.
func Start(ctx context.Context, argv []string, getenv func(string) string, spec Spec) (*Client, Status, error) {
	if err := spec.Check(getenv); err != nil {
		return nil, Status{}, placeFault(err)
	}
	p, err := Spawn(argv)
	if err != nil {
		return nil, Status{}, err
	}
	return p.Start(ctx, getenv, spec)
}

// Start makes the process the host of a console, as the function of that name does. It
// can be done once.
func (p *Process) Start(ctx context.Context, getenv func(string) string, spec Spec) (*Client, Status, error) {
	text, err := spec.Written(getenv)
	if err != nil {
		p.Abandon()
		return nil, Status{}, placeFault(err)
	}
	answer, err := p.tell(ctx, text)
	switch {
	case err != nil:
		return nil, Status{}, err
	case answer.Error != nil:
		return nil, Status{}, answer.Error
	case answer.Status == nil:
		return nil, Status{}, fault(FaultStart, "the console's process said nothing")
	}
	f, err := places(getenv, answer.Status.Name)
	if err != nil {
		return nil, Status{}, err
	}
	return newClient(*answer.Status, filesOf(f, *answer.Status)), *answer.Status, nil
}

// Process is that of a host which has not been started yet.
type Process struct {
	In   io.WriteCloser // its standard input; nil: it has been told what console it is to be
	Out  io.ReadCloser  // its standard output
	Wait func() error   // waits for its end
}

// Spawn starts the process of a host. argv is the command line of one that calls Serve
// with its standard input and output.
func Spawn(argv []string) (*Process, error) {
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Dir = "/"
	ofItsOwn(cmd)
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, errors.Join(err, in.Close())
	}
	if err := cmd.Start(); err != nil { // closes both
		return nil, err
	}
	return &Process{In: in, Out: out, Wait: cmd.Wait}, nil
}

// Abandon lets a process end that is to be no host, and waits until it has.
func (p *Process) Abandon() {
	if p.In != nil {
		_ = p.In.Close() // which is all that it waits for
	}
	_ = p.Out.Close()
	_ = p.Wait() // however it ends
}

// tell tells the process what it is to be and waits for its readiness.
func (p *Process) tell(ctx context.Context, text []byte) (readiness, error) {
	if p.In != nil {
		_, err := p.In.Write(text) // which it reads at once
		if err = errors.Join(err, p.In.Close()); err != nil {
			p.Abandon()
			return readiness{}, fault(FaultStart, "the console's process ended without a word: %v", err)
		}
	}
	got := make(chan readiness, 1)
	failed := make(chan error, 1)
	go func() {
		var r readiness
		err := json.NewDecoder(p.Out).Decode(&r)
		_ = p.Out.Close() // the host has said all
		if err == nil && r.Error == nil {
			got <- r
		}
		_ = p.Wait() // reaps it, should we still be there; one that is no host is gone then
		if err != nil {
			failed <- err
		} else if r.Error != nil {
			got <- r
		}
	}()
	select {
	case r := <-got:
		return r, nil
	case err := <-failed:
		return readiness{}, fault(FaultStart, "the console's process ended without a word: %v", err)
	case <-ctx.Done():
		return readiness{}, ctx.Err()
	}
}

// startFault is why a program did not come to its first prompt.
func startFault(err error) *Fault {
	if f, ok := errors.AsType[*Fault](err); ok {
		return f
	}
	if f, ok := errors.AsType[*Fault](placeFault(err)); ok {
		return f
	}
	var missing *launch.MissingError
	if errors.As(err, &missing) {
		return fault(FaultMissing, "%v", err)
	}
	f := fault(FaultStart, "%v", err)
	var s *session.StartError
	if errors.As(err, &s) {
		f.Output = s.Output
	}
	return f
}
