package main

import (
	"fmt"
	"time"

	"github.com/charmbracelet/x/ansi"

	"ripple/runtime/loop"
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
		fmt.Fprintf(v.err, "\r\x1b[K%s", v.paint(dim, fitLine(v.parts(), v.columns())))
	}
}

// parts are those of the status line, the important first.
func (v *loopView) parts() []string {
	var parts []string
	if v.waiting != "" {
		parts = append(parts, v.waiting)
	}
	parts = append(parts, fmt.Sprintf("turn %d/%d", v.turn, v.config.MaxTurns), v.turns.now().Sub(v.started).Round(time.Second).String())
	if n := len(v.turns.open); n > 0 {
		t := v.turns.open[n-1]
		parts = append(parts, fmt.Sprintf("%s %s", ansi.Truncate(t.name+" "+t.what, 40, "…"), v.turns.now().Sub(t.begun).Round(time.Second)))
	}
	s, err := loop.ReadStanding(".")
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
		parts = append(parts, "this turn "+v.turns.now().Sub(v.begun).Round(time.Second).String())
	}
	return parts
}

// fitLine joins the parts that have room on a line; the first is there in any
// case, cut where it must be. A wrapped line could not be rewritten.
func fitLine(parts []string, columns int) string {
	var line string
	for _, part := range parts {
		longer := firstLine(part)
		if line != "" {
			longer = line + " · " + longer
		}
		if line == "" || ansi.StringWidth(longer) <= columns {
			line = longer
		}
	}
	return ansi.Truncate(line, columns, "…")
}

func (v *loopView) clear() {
	if v.line {
		fmt.Fprint(v.err, "\r\x1b[K")
	}
}
