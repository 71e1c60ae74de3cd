package agentcmd

import (
	"errors"
	"fmt"
	"os"

	"example.org/ripple/cmd/ripple/internal/ui"
)

// transcript records the streams of a turn byte for byte, as tests of adapters
// want them: the output in a file, standard error beside it if there is any.
type transcript struct {
	path   string
	out    *os.File
	stderr *os.File // nil: nothing came
	failed error    // the first that a write ended with
}

func newTranscript(path string) (*transcript, error) {
	out, err := ui.CreatePrivate(path)
	if err != nil {
		return nil, ui.FailWith(ui.ExitUsage, fmt.Errorf("--transcript: %w", err), "")
	}
	_ = os.Remove(path + ".stderr") // of an earlier recording; most have none
	return &transcript{path: path, out: out}, nil
}

// Write writes output to the transcript. After the first error it discards the rest and reports
// success, so that the turn continues; close returns that error.
func (t *transcript) Write(b []byte) (int, error) {
	if t.failed == nil {
		_, t.failed = t.out.Write(b)
	}
	return len(b), nil
}

// errorStream takes standard error.
type errorStream struct{ *transcript }

func (t errorStream) Write(b []byte) (int, error) {
	if t.failed == nil && t.stderr == nil {
		t.stderr, t.failed = ui.CreatePrivate(t.path + ".stderr")
	}
	if t.failed == nil {
		_, t.failed = t.stderr.Write(b)
	}
	return len(b), nil
}

// close ends the recording.
func (t *transcript) close() error {
	err := errors.Join(t.failed, t.out.Close())
	if t.stderr != nil {
		err = errors.Join(err, t.stderr.Close())
	}
	if err != nil {
		return ui.FailWith(ui.ExitFailed, fmt.Errorf("the transcript is not complete: %w", err), "")
	}
	return nil
}
