package mcp

import "time"

// SetProgressEvery shortens the time between two words on a wait.
func (s *Server) SetProgressEvery(d time.Duration) { s.progressEvery = d }

// The texts of results.
var (
	Clean = clean
	Word  = word
)

// Seconds is how long a wait of so many seconds is.
var Seconds = seconds
