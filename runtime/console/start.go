package console

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
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
	if spec.Name != "" {
		return start(ctx, argv, getenv, spec)
	}
	for n := 1; ; n++ {
		spec.Name = fmt.Sprintf("%s-%d", plainName(spec.Adapter), n)
		c, status, err := start(ctx, argv, getenv, spec)
		var f *Fault
		if errors.As(err, &f) && f.Code == FaultTaken {
			continue
		}
		return c, status, err
	}
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

func start(ctx context.Context, argv []string, getenv func(string) string, spec Spec) (*Client, Status, error) {
	f, err := places(getenv, spec.Name)
	if err != nil {
		return nil, Status{}, err
	}
	from, err := os.Getwd()
	if err != nil {
		return nil, Status{}, err
	}
	if spec.Dir, err = filepath.Abs(spec.Dir); err != nil {
		return nil, Status{}, err
	}
	if strings.ContainsRune(spec.Adapter, os.PathSeparator) { // the host works elsewhere
		if spec.Adapter, err = filepath.Abs(spec.Adapter); err != nil {
			return nil, Status{}, err
		}
	}
	text, err := json.Marshal(order{Spec: spec, From: from})
	if err != nil {
		return nil, Status{}, err
	}
	answer, err := spawn(ctx, argv, text)
	switch {
	case err != nil:
		return nil, Status{}, err
	case answer.Error != nil:
		return nil, Status{}, answer.Error
	case answer.Status == nil:
		return nil, Status{}, fault(FaultStart, "the console's process said nothing")
	}
	return newClient(spec.Name, f), *answer.Status, nil
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
