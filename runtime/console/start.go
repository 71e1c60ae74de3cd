package console

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"ripple/runtime/launch"
	"ripple/runtime/session"
)

// places are the files of a console; their directories are made and checked.
func places(getenv func(string) string, name string) (files, error) {
	if err := checkName(name); err != nil {
		return files{}, fault(FaultRequest, "%v", err)
	}
	if !supported {
		return files{}, fault(FaultStart, "consoles need a Unix system")
	}
	dir, err := Dir(getenv)
	if err != nil {
		return files{}, err
	}
	state, err := stateDir(getenv)
	if err != nil {
		return files{}, err
	}
	return filesOf(dir, state, name)
}

// Start starts a console in a process of its own and returns when its program is at
// its first prompt, or has not come there for half a minute. argv is the command line
// of a process that calls Serve with its standard input and output.
//
// Errors: *Fault: FaultTaken when a console of that name is running, FaultMissing when
// there is no such program, FaultStart otherwise.
func Start(ctx context.Context, argv []string, getenv func(string) string, spec Spec) (*Client, Status, error) {
	name := spec.Name
	if name == "" { // the host finds a free one
		name = plainName(spec.Adapter)
	}
	if _, err := places(getenv, name); err != nil {
		return nil, Status{}, err
	}
	status, err := start(ctx, argv, spec)
	if err != nil {
		return nil, Status{}, err
	}
	f, err := places(getenv, status.Name)
	if err != nil {
		return nil, Status{}, err
	}
	return newClient(status, f.of(status)), status, nil
}

// plainName is what consoles of an adapter are called.
func plainName(adapter string) string {
	base := adapter[strings.LastIndexAny(adapter, `/\`)+1:]
	base = strings.TrimSuffix(strings.TrimSuffix(base, ".yaml"), ".yml")
	if checkName(base) != nil {
		return "console"
	}
	return base
}

// start starts a host and returns when it is ready.
func start(ctx context.Context, argv []string, spec Spec) (Status, error) {
	from, err := os.Getwd()
	if err != nil {
		return Status{}, err
	}
	if spec.Dir, err = filepath.Abs(spec.Dir); err != nil {
		return Status{}, err
	}
	if spec.Sandbox != "" {
		if spec.Sandbox, err = filepath.Abs(spec.Sandbox); err != nil {
			return Status{}, err
		}
	}
	if strings.ContainsRune(spec.Adapter, os.PathSeparator) { // the host works elsewhere
		if spec.Adapter, err = filepath.Abs(spec.Adapter); err != nil {
			return Status{}, err
		}
	}
	text, err := json.Marshal(order{Spec: spec, From: from})
	if err != nil {
		return Status{}, err
	}
	answer, err := spawn(ctx, argv, text)
	switch {
	case err != nil:
		return Status{}, err
	case answer.Error != nil:
		return Status{}, answer.Error
	case answer.Status == nil:
		return Status{}, fault(FaultStart, "the console's process said nothing")
	}
	return *answer.Status, nil
}

// spawn starts a host and waits for its readiness.
func spawn(ctx context.Context, argv []string, text []byte) (readiness, error) {
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Dir = "/"
	cmd.Stdin = bytes.NewReader(text)
	ofItsOwn(cmd)
	out, err := cmd.StdoutPipe()
	if err != nil {
		return readiness{}, err
	}
	if err := cmd.Start(); err != nil {
		return readiness{}, err
	}
	got := make(chan readiness, 1)
	failed := make(chan error, 1)
	go func() {
		var r readiness
		err := json.NewDecoder(out).Decode(&r)
		_ = out.Close() // the host has said all
		if err != nil {
			failed <- err
		} else {
			got <- r
		}
		_ = cmd.Wait() // reaps it, should we still be there
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
