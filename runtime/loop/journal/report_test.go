package journal

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"example.org/ripple/runtime/loop/record"
)

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func TestStateOfAReport(t *testing.T) {
	for status, want := range map[string]string{
		"completed": "completed", "graceful_exit": "completed", "halted": "blocked", "stopped": "blocked", "error": "blocked",
		"running": "blocked", "paused": "blocked", "success": "blocked", "of another program": "unknown", "": "unknown",
	} {
		s := Report{Found: true, Status: record.Status{Status: status}}
		assert.Equal(t, want, s.normal(), status)
		s.Runner = &record.Holder{}
		assert.Equal(t, "running", s.normal(), status)
	}
	assert.Equal(t, "not_started", (&Report{}).normal())
}
