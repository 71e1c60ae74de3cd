package loop

import (
	"fmt"
	"time"

	"example.org/ripple/runtime/loop/config"
	"example.org/ripple/runtime/loop/record"
)

// breaker implements the circuit breaker on the state's record; memory does so for its memory.
type (
	breaker record.Breaker
	memory  record.Memory
)

// meanOf is the number of turns in the mean of the output, and the number of consecutive smaller
// outputs that open the breaker.
const meanOf = 3

// thresholds are the breaker's settings. Denials is 0 unless denials are to open it.
type thresholds struct {
	NoProgress, SameError, Denials int
	Decline                        int // percent
	Unchanged                      int // consecutive turns without a changed file, regardless of published topics
	Cooldown                       time.Duration
}

// thresholdsOf returns the thresholds in the settings.
func thresholdsOf(c *config.Config) thresholds {
	t := thresholds{NoProgress: c.NoProgress, SameError: c.SameError, Decline: c.Decline, Cooldown: c.Cooldown}
	if c.DenialMode == "threshold" {
		t.Denials = c.Denials
	}
	t.Unchanged = c.NoProgress
	if c.Hats != nil {
		t.Unchanged *= 1 + len(c.Hats.Hats) // once for each hat and once for the plain turn
	}
	return t
}

// observation is the input of the breaker for one turn.
type observation struct {
	turn     int
	progress bool
	changed  bool // a file changed; progress without it is a new topic of a hat
	denied   bool
	failed   bool
	errors   []string // signatures
	output   int      // text length in characters
}

// allow reports whether a turn may run, and moves OPEN to HALF_OPEN after the cooldown. If the
// clock moved backwards, the state remains OPEN.
func (b *breaker) allow(t thresholds, now time.Time) bool {
	if b.State != record.Open {
		return true
	}
	if b.OpenedAt == nil || b.OpenedAt.IsZero() { // set by another program: the cooldown starts now
		b.OpenedAt = &record.Time{Time: now}
	}
	if now.Sub(b.OpenedAt.Time) < t.Cooldown {
		return false
	}
	b.State = record.HalfOpen
	return true
}

// observe applies a turn that did not hit a provider limit.
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
		b.probe(m, o, t, now)
		return
	}
	if reason := b.tripped(m, t); reason != "" {
		b.open(reason, now)
	}
}

// idle reports whether hats have published for too long without changing a file.
func (m *memory) idle(t thresholds) bool { return t.Unchanged > 0 && m.Unchanged >= t.Unchanged }

// note records a turn for comparison with the next. The output of a failed turn is ignored.
func (m *memory) note(o observation, t thresholds) {
	m.Errors = o.errors
	m.Unchanged = count(m.Unchanged, !o.changed)
	if o.failed {
		return
	}
	m.Declines = count(m.Declines, m.shrunk(o.output, t.Decline))
	m.Outputs = append(m.Outputs, o.output)
	m.Outputs = m.Outputs[max(0, len(m.Outputs)-meanOf):]
}

// shrunk reports whether an output is smaller than the mean of the last three by more than the
// given percentage.
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
	case m.idle(t):
		return fmt.Sprintf("no file changed in %d turns, although topics were published", m.Unchanged)
	case b.SameError >= t.SameError:
		return fmt.Sprintf("the same error in %d turns", b.SameError)
	case m.Declines >= meanOf:
		return fmt.Sprintf("output shrank by more than %d%% in %d turns", t.Decline, m.Declines)
	}
	return ""
}

// probe evaluates the single turn of HALF_OPEN.
func (b *breaker) probe(m *memory, o observation, t thresholds, now time.Time) {
	switch {
	case !o.progress || m.idle(t):
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

// close resets the counters, except the totals.
func (b *breaker) close() {
	*b = breaker{State: record.Closed, LastProgress: b.LastProgress, TotalOpens: b.TotalOpens, CurrentLoop: b.CurrentLoop}
}

// begin converts the breaker of an earlier run for a new one, with counters of its own. An open
// circuit stays open, unless reset is set, and the number of opens is kept.
func (b *breaker) begin(reset bool) {
	if reset || b.State == record.Closed {
		*b = breaker{State: record.Closed, TotalOpens: b.TotalOpens}
		return
	}
	*b = breaker{State: b.State, Reason: b.Reason, OpenedAt: b.OpenedAt, TotalOpens: b.TotalOpens}
}
