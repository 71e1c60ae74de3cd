package loop

import (
	"fmt"
	"time"

	"ripple/runtime/loop/config"
	"ripple/runtime/loop/record"
)

// breaker decides with the circuit breaker of the state, memory with what it remembers.
type (
	breaker record.Breaker
	memory  record.Memory
)

// meanOf is over how many turns the mean of the output goes, and how many
// shrunken outputs in a row open the breaker.
const meanOf = 3

// thresholds are the breaker's settings. Denials is 0 unless denials are to
// open it.
type thresholds struct {
	NoProgress, SameError, Denials int
	Decline                        int // percent
	Cooldown                       time.Duration
}

// thresholdsOf are those of the settings.
func thresholdsOf(c *config.Config) thresholds {
	t := thresholds{NoProgress: c.NoProgress, SameError: c.SameError, Decline: c.Decline, Cooldown: c.Cooldown}
	if c.DenialMode == "threshold" {
		t.Denials = c.Denials
	}
	return t
}

// observation is what a turn means to the breaker.
type observation struct {
	turn     int
	progress bool
	denied   bool
	failed   bool
	errors   []string // signatures
	output   int      // characters of text
}

// allow says whether a turn may run, and moves OPEN to HALF_OPEN after the
// cooldown. A clock that went backwards stays OPEN.
func (b *breaker) allow(t thresholds, now time.Time) bool {
	if b.State != record.Open {
		return true
	}
	if b.OpenedAt == nil || b.OpenedAt.IsZero() { // a file from elsewhere: the cooldown starts now
		b.OpenedAt = &record.Time{Time: now}
	}
	if now.Sub(b.OpenedAt.Time) < t.Cooldown {
		return false
	}
	b.State = record.HalfOpen
	return true
}

// observe takes in a turn that was no provider limit.
func (b *breaker) observe(m *memory, o observation, t thresholds, now time.Time) {
	b.CurrentLoop = o.turn
	b.NoProgress = count(b.NoProgress, !o.progress)
	if o.progress {
		b.LastProgress = o.turn
	}
	b.PermissionDenials = count(b.PermissionDenials, o.denied)
	switch {
	case repeated(o.errors, m.Errors):
		b.SameError++
	default:
		b.SameError = min(1, len(o.errors))
	}
	m.note(o, t)
	if b.State == record.HalfOpen {
		b.probe(m, o, now)
		return
	}
	if reason := b.tripped(m, t); reason != "" {
		b.open(reason, now)
	}
}

// note remembers a turn for the next. A failed turn's output says nothing.
func (m *memory) note(o observation, t thresholds) {
	m.Errors = o.errors
	if o.failed {
		return
	}
	m.Declines = count(m.Declines, m.shrunk(o.output, t.Decline))
	m.Outputs = append(m.Outputs, o.output)
	m.Outputs = m.Outputs[max(0, len(m.Outputs)-meanOf):]
}

// shrunk says whether an output is smaller than the mean of the last three by
// more than the given percentage.
func (m *memory) shrunk(output, percent int) bool {
	if len(m.Outputs) < meanOf {
		return false
	}
	sum := 0
	for _, n := range m.Outputs {
		sum += n
	}
	return output*100*meanOf < sum*(100-percent)
}

func (b *breaker) tripped(m *memory, t thresholds) string {
	switch {
	case t.Denials > 0 && b.PermissionDenials >= t.Denials:
		return "permission_denied"
	case b.NoProgress >= t.NoProgress:
		return fmt.Sprintf("no progress in %d turns", b.NoProgress)
	case b.SameError >= t.SameError:
		return fmt.Sprintf("the same error in %d turns", b.SameError)
	case m.Declines >= meanOf:
		return fmt.Sprintf("output shrank by more than %d%% in %d turns", t.Decline, m.Declines)
	}
	return ""
}

// probe judges the one turn of HALF_OPEN.
func (b *breaker) probe(m *memory, o observation, now time.Time) {
	switch {
	case !o.progress:
		b.open("no progress in the turn after the cooldown", now)
	case o.failed || len(o.errors) > 0:
		b.open("an error in the turn after the cooldown", now)
	case o.denied && b.Reason == "permission_denied":
		b.open("permission_denied", now)
	default:
		b.close()
		*m = memory{Outputs: m.Outputs}
	}
}

func (b *breaker) open(reason string, now time.Time) {
	b.State, b.Reason, b.OpenedAt = record.Open, reason, &record.Time{Time: now}
	b.TotalOpens++
}

// close puts the counters to zero. What happened in all stays known.
func (b *breaker) close() {
	*b = breaker{State: record.Closed, LastProgress: b.LastProgress, TotalOpens: b.TotalOpens, CurrentLoop: b.CurrentLoop}
}

// begin makes the breaker of an earlier run that of a new one, which has counts of
// its own. What is carried over is that the circuit is open, unless it is to be
// closed, and how often it was.
func (b *breaker) begin(reset bool) {
	if reset || b.State == record.Closed {
		*b = breaker{State: record.Closed, TotalOpens: b.TotalOpens}
		return
	}
	*b = breaker{State: b.State, Reason: b.Reason, OpenedAt: b.OpenedAt, TotalOpens: b.TotalOpens}
}
