package mcp

import "time"

// SetProgressEvery sets the interval of progress messages.
func (s *Server) SetProgressEvery(d time.Duration) { s.progressEvery = d }

// Functions that format results.
var (
	Clean = clean
	Word  = word
)

// Seconds converts a number of seconds to the duration of a wait.
var Seconds = seconds

// MaxBatch is the maximum length of a batch.
const MaxBatch = maxBatch
