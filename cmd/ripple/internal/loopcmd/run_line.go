package loopcmd

import (
	"fmt"
	"path/filepath"
	"time"

	"github.com/charmbracelet/x/ansi"

	"ripple/cmd/ripple/internal/ui"
	"ripple/runtime/loop"
	"ripple/runtime/loop/layout"
	"ripple/runtime/loop/record"
)

// tick keeps the clock on the status line going.
func (v *loopView) tick(quit <-chan struct{}) {
	t := time.NewTicker(time.Second)
	defer t.Stop()
	for {
		select {
		case <-t.C:
			v.mu.Lock()
			v.draw()
			v.mu.Unlock()
		case <-quit:
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
	if n := len(v.loop.Open); n > 0 {
		q := v.loop.Open[0]
		parts = append(parts, fmt.Sprintf("needs you: %s %s", q.ID, max(0, v.turns.Now().Sub(q.Asked)).Round(time.Second)))
	}
	parts = append(parts, fmt.Sprintf("turn %d/%d", v.turn, v.config.MaxTurns), v.turns.Now().Sub(v.started).Round(time.Second).String())
	if n := len(v.turns.Open); n > 0 {
		t := v.turns.Open[n-1]
		parts = append(parts, fmt.Sprintf("%s %s", ansi.Truncate(t.Name+" "+t.What, 40, "…"), v.turns.Now().Sub(t.Begun).Round(time.Second)))
	}
	if c := v.loop.Circuit; c != "CLOSED" && c != "" {
		parts = append(parts, "circuit "+c)
	}
	parts = append(parts, fmt.Sprintf("%d calls left", max(0, v.config.CallsPerHour-v.loop.Calls)))
	if v.cost > 0 {
		parts = append(parts, loop.Dollars(v.cost))
	}
	// The plan is the agent's, and changes in the middle of a turn.
	tasks, _ := record.ReadTasks(layout.PlanIn(v.where, v.dir())) // the loop itself says what is wrong
	if p := tasks.Count(); p.Open+p.Ticked > 0 {
		parts = append(parts, fmt.Sprintf("%d/%d tasks open", p.Open, p.Open+p.Ticked))
	}
	if v.loop.Circuit == "CLOSED" {
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

// dir is where the agent works, from the project.
func (v *loopView) dir() string {
	if v.loop.Branch == "" {
		return v.where
	}
	return filepath.Join(v.where, layout.Worktree(v.loop.Branch))
}
