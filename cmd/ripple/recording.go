package main

import (
	"fmt"
	"os"
)

// recordingFile is the file that --record names. Nothing is held back: what was
// seen is there, whatever becomes of us.
type recordingFile struct{ *os.File }

// createRecording makes the file, readable by its owner alone: a recording
// shows everything, typed secrets too.
func createRecording(path string) (*recordingFile, error) {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return nil, usageError("", "creating the recording: %w", err)
	}
	return &recordingFile{f}, nil
}

func (r *recordingFile) close() error {
	if err := r.Close(); err != nil {
		return fmt.Errorf("writing the recording: %w", err)
	}
	return nil
}
