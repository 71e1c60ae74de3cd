package ui

import (
	"fmt"
	"os"
)

// Recording is the file given with --record. It is written without buffering, so that it is
// complete even if ripple is killed.
type Recording struct{ *os.File }

// CreateRecording creates the file, readable only by its owner: a recording shows everything,
// including typed secrets.
func CreateRecording(path string) (*Recording, error) {
	f, err := CreatePrivate(path)
	if err != nil {
		return nil, UsageError("", "creating the recording: %w", err)
	}
	return &Recording{f}, nil
}

// Finish closes the file and reports whether the recording is complete.
func (r *Recording) Finish() error {
	if err := r.Close(); err != nil {
		return fmt.Errorf("writing the recording: %w", err)
	}
	return nil
}
