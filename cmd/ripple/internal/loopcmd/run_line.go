package loopcmd

import (
	"cmp"
	"fmt"
	"path/filepath"
	"time"

	"github.com/charmbracelet/x/ansi"

	"example.org/ripple/cmd/ripple/internal/ui"
	"example.org/ripple/internal/layout"
	"example.org/ripple/runtime/loop"
	"example.org/ripple/runtime/loop/record"
)

// tick updates the clock on the status line.
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

// draw writes the status line; other output clears it first.
func (v *loopView) draw() {
	if v.line {
		v.Rewrite(v.Paint(ui.Dim, ui.FitLine(v.parts(), v.Columns())))
	}
}

// mostTurns returns the number of the last turn that the run may take; turns lost to the provider raise it.
func (v *loopView) mostTurns() int { return cmp.Or(v.loop.MaxTurns, v.config.MaxTurns) }

// parts returns the parts of the status line, most important first.
func (v *loopView) parts() []string {
	var parts []string
	if v.waiting != "" {
		parts = append(parts, v.waiting)
	}
	if n := len(v.loop.Open); n > 0 {
		q := v.loop.Open[0]
		parts = append(parts, fmt.Sprintf("needs you: %s %s", q.ID, max(0, v.turns.Now().Sub(q.Asked)).Round(time.Second)))
	}
	parts = append(parts, fmt.Sprintf("turn %d/%d", v.turn, v.mostTurns()), v.turns.Now().Sub(v.started).Round(time.Second).String())
	if n := len(v.turns.Open); n > 0 {
		t := v.turns.Open[n-1]
		parts = append(parts, fmt.Sprintf("%s %s", ansi.Truncate(t.Name+" "+t.What, 40, "…"), v.turns.Now().Sub(t.Begun).Round(time.Second)))
	}
	if c := v.loop.Circuit; c != "CLOSED" && c != "" {
		parts = append(parts, "circuit "+c)
	}
	parts = append(parts, fmt.Sprintf("%d calls left", max(0, v.config.CallsPerHour-v.loop.Calls)))
	if v.cost > 0 {
		parts = append(parts, loop.FormatUSD(v.cost))
	}
	// The plan belongs to the agent, and changes during a turn.
	tasks, _ := record.ReadTasks(v.where, v.dir()) // the loop itself reports errors
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
		v.Rewrite("")
	}
}

// dir returns the agent's working directory, relative to the project.
func (v *loopView) dir() string {
	if v.loop.Branch == "" {
		return v.where
	}
	return filepath.Join(v.where, layout.Worktree(v.loop.Branch))
}
