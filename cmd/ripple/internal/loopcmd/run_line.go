package loopcmd

import (
	"fmt"
	"time"

	"github.com/charmbracelet/x/ansi"

	"ripple/cmd/ripple/internal/ui"
	"ripple/runtime/loop"
	"ripple/runtime/loop/journal"
)

// tick keeps the clock on the status line going.
func (v *loopView) tick() {
	t := time.NewTicker(time.Second)
	defer t.Stop()
	for {
		select {
		case <-t.C:
			v.mu.Lock()
			v.draw()
			v.mu.Unlock()
		case <-v.quit:
			return
		}
	}
}

// draw writes the status line; whoever prints clears it first.
func (v *loopView) draw() {
	if v.line {
		fmt.Fprintf(v.Err, "\r\x1b[K%s", v.Paint(ui.Dim, ui.FitLine(v.parts(), v.Columns())))
	}
}

// parts are those of the status line, the important first.
func (v *loopView) parts() []string {
	var parts []string
	if v.waiting != "" {
		parts = append(parts, v.waiting)
	}
	parts = append(parts, fmt.Sprintf("turn %d/%d", v.turn, v.config.MaxTurns), v.turns.Now().Sub(v.started).Round(time.Second).String())
	if n := len(v.turns.Open); n > 0 {
		t := v.turns.Open[n-1]
		parts = append(parts, fmt.Sprintf("%s %s", ansi.Truncate(t.Name+" "+t.What, 40, "…"), v.turns.Now().Sub(t.Begun).Round(time.Second)))
	}
	s, err := journal.ReadStanding(".")
	known := err == nil // the loop itself says what is wrong
	if known && s.Breaker.State != "CLOSED" && s.Breaker.State != "" {
		parts = append(parts, "circuit "+s.Breaker.State)
	}
	if known {
		parts = append(parts, fmt.Sprintf("%d calls left", max(0, v.config.CallsPerHour-s.Status.CallsMade)))
	}
	if v.cost > 0 {
		parts = append(parts, loop.Dollars(v.cost))
	}
	if total := s.OpenTasks + s.DoneTasks; known && total > 0 {
		parts = append(parts, fmt.Sprintf("%d/%d tasks open", s.OpenTasks, total))
	}
	if known && s.Breaker.State == "CLOSED" {
		parts = append(parts, "circuit CLOSED")
	}
	if !v.begun.IsZero() {
		parts = append(parts, "this turn "+v.turns.Now().Sub(v.begun).Round(time.Second).String())
	}
	return parts
}

func (v *loopView) clear() {
	if v.line {
		fmt.Fprint(v.Err, "\r\x1b[K")
	}
}
