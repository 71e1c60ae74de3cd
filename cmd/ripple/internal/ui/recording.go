package ui

import (
	"fmt"
	"os"
)

// Recording is the file that --record names. Nothing is held back: what was
// seen is there, whatever becomes of us.
type Recording struct{ *os.File }

// CreateRecording makes the file, readable by its owner alone: a recording
// shows everything, typed secrets too.
func CreateRecording(path string) (*Recording, error) {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return nil, UsageError("", "creating the recording: %w", err)
	}
	return &Recording{f}, nil
}

// Finish closes the file and says whether all of the recording is there.
func (r *Recording) Finish() error {
	if err := r.Close(); err != nil {
		return fmt.Errorf("writing the recording: %w", err)
	}
	return nil
}
