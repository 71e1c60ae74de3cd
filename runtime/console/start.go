package console

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"os/exec"

	"example.org/ripple/runtime/console/place"
	"example.org/ripple/runtime/launch"
	"example.org/ripple/runtime/session"
)

// places returns the files of a console; their directories are created and checked.
func places(getenv func(string) string, name string) (place.Files, error) {
	f, err := place.Of(getenv, name)
	if err != nil {
		err = asFault(err)
	}
	return f, err
}

// asFault returns err as a *Fault if it describes an invalid request or an unsupported system.
func asFault(err error) error {
	if _, ok := errors.AsType[*place.NameError](err); ok {
		return newFault(FaultBadRequest, "%v", err)
	}
	if _, ok := errors.AsType[*place.SizeError](err); ok {
		return newFault(FaultBadRequest, "%v", err)
	}
	if errors.Is(err, place.ErrUnsupported) {
		return newFault(FaultStartFailed, "%v", err)
	}
	return err
}

// Start starts a console in a process of its own and returns when its program is at its first
// prompt, when the program has waited for other input for five seconds, or after half a minute. argv is the command line of a process that calls Serve with its
// standard input and output.
//
// Errors: *Fault: FaultNameInUse if a console of that name is running, FaultProgramMissing if the program does
// not exist, FaultBadRequest if the size is invalid or the directory is missing or closed to this user, FaultStartFailed otherwise.
func Start(ctx context.Context, argv []string, getenv func(string) string, spec Spec) (*Client, Status, error) {
	if err := spec.Check(getenv); err != nil {
		return nil, Status{}, asFault(err)
	}
	p, err := Spawn(argv)
	if err != nil {
		return nil, Status{}, err
	}
	return p.Start(ctx, getenv, spec)
}

// Start makes the process the host of a console, like the function [Start]. It can be called once.
func (p *Process) Start(ctx context.Context, getenv func(string) string, spec Spec) (*Client, Status, error) {
	text, err := spec.EncodeOrder(getenv)
	if err != nil {
		p.Abandon()
		return nil, Status{}, asFault(err)
	}
	answer, err := p.tell(ctx, text)
	switch {
	case err != nil:
		return nil, Status{}, err
	case answer.Error != nil:
		return nil, Status{}, answer.Error
	case answer.Status == nil:
		return nil, Status{}, newFault(FaultStartFailed, "the console's process returned an empty answer")
	}
	f, err := places(getenv, answer.Status.Name)
	if err != nil {
		return nil, Status{}, err
	}
	return newClient(*answer.Status, filesOf(f, *answer.Status)), *answer.Status, nil
}

// Process is a host process that has not been assigned a console yet.
type Process struct {
	In   io.WriteCloser // its standard input; nil: it already knows its console
	Out  io.ReadCloser  // its standard output
	Wait func() error   // waits for its end
}

// Spawn starts a host process. argv is the command line of a process that calls Serve with its
// standard input and output.
func Spawn(argv []string) (*Process, error) {
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Dir = "/"
	asSessionLeader(cmd)
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

// Abandon ends a process that will not become a host, and waits for its end.
func (p *Process) Abandon() {
	if p.In != nil {
		_ = p.In.Close() // the process ends when its input ends
	}
	_ = p.Out.Close()
	_ = p.Wait() // its exit status does not matter
}

// tell sends the order to the process and waits for its readiness.
func (p *Process) tell(ctx context.Context, text []byte) (readiness, error) {
	if p.In != nil {
		_, err := p.In.Write(text) // the process reads it immediately
		if err = errors.Join(err, p.In.Close()); err != nil {
			p.Abandon()
			return readiness{}, newFault(FaultStartFailed, "the console's process ended without an answer: %v", err)
		}
	}
	got := make(chan readiness, 1)
	failed := make(chan error, 1)
	go func() {
		var r readiness
		err := json.NewDecoder(p.Out).Decode(&r)
		_ = p.Out.Close() // the host sends nothing else
		if err == nil && r.Error == nil {
			got <- r
		}
		_ = p.Wait() // reaps the process if this one still runs; a process that is not a host has ended by then
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
		return readiness{}, newFault(FaultStartFailed, "the console's process ended without an answer: %v", err)
	case <-ctx.Done():
		return readiness{}, ctx.Err()
	}
}

// startFault returns the fault for a program that did not reach its first prompt.
func startFault(err error) *Fault {
	if f, ok := errors.AsType[*Fault](err); ok {
		return f
	}
	if f, ok := errors.AsType[*Fault](asFault(err)); ok {
		return f
	}
	var missing *launch.MissingError
	if errors.As(err, &missing) {
		return newFault(FaultProgramMissing, "%v", err)
	}
	if _, ok := errors.AsType[*launch.DirError](err); ok {
		return newFault(FaultBadRequest, "%v", err)
	}
	f := newFault(FaultStartFailed, "%v", err)
	var s *session.StartError
	if errors.As(err, &s) {
		f.Output = s.Output
	}
	return f
}
