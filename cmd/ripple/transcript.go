package main

import (
	"errors"
	"fmt"
	"os"
)

// transcript records the streams of a turn byte for byte, as tests of adapters
// want them: the output in a file, standard error beside it if there is any.
type transcript struct {
	path   string
	out    *os.File
	stderr *os.File // nil: nothing came
}

func newTranscript(path string) (*transcript, error) {
	out, err := os.Create(path)
	if err != nil {
		return nil, failWith(exitUsage, fmt.Errorf("--transcript: %w", err), "")
	}
	_ = os.Remove(path + ".stderr") // of an earlier recording; most have none
	return &transcript{path: path, out: out}, nil
}

// Write takes standard error.
func (t *transcript) Write(b []byte) (int, error) {
	if t.stderr == nil {
		f, err := os.Create(t.path + ".stderr")
		if err != nil {
			return 0, err
		}
		t.stderr = f
	}
	return t.stderr.Write(b)
}

func (t *transcript) close() error {
	err := t.out.Close()
	if t.stderr != nil {
		err = errors.Join(err, t.stderr.Close())
	}
	if err != nil {
		return fmt.Errorf("the transcript is not complete: %w", err)
	}
	return nil
}
