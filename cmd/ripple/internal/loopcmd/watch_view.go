package loopcmd

import (
	"cmp"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"example.org/ripple/cmd/ripple/internal/ui"
	"example.org/ripple/runtime/loop"
	"example.org/ripple/runtime/loop/journal"
	"example.org/ripple/runtime/loop/record"
)

// screen is one screen of the dashboard, in lines: the state of the loop, its story, on a wide
// terminal a side column with plan and turns, and the keys.
type screen struct {
	head  []string
	story []string
	rows  int // for the story
	side  int // columns of the side column; 0: none
}

// A wide terminal has room for a side column.
const wide, widestSide = 120, 60

func (d *dashboard) layout() screen {
	p := ui.Page{Width: max(cmp.Or(d.width, 80), 10), Color: d.color}
	height := cmp.Or(d.height, 24)
	head := d.head(p)
	l := screen{head: head[:min(len(head), max(1, height-4))]}
	l.rows = max(1, height-len(l.head)-2) // the rule and the footer
	if p.Width >= wide {
		l.side = min(p.Width/3, widestSide)
		p.Width -= l.side + 3
	}
	l.story = d.story.layOut(p)
	return l
}

// shown returns the first line of the story that is shown, and the last one that can be first.
func (d *dashboard) shown(l screen) (at, last int) {
	last = max(0, len(l.story)-l.rows)
	if d.behind {
		return min(d.top, last), last
	}
	return last, last
}

func (d *dashboard) render() string {
	p := ui.Page{Width: max(cmp.Or(d.width, 80), 10), Color: d.color}
	l := d.layout()
	at, last := d.shown(l)
	body := l.story[at:min(at+l.rows, len(l.story))]
	if !d.report.Found {
		body = p.Aside("", "·", "no loop has run here yet; to start one: ripple run")
	}
	lines := append(l.head, p.Paint(ui.Dim, strings.Repeat("─", p.Width)))
	lines = append(lines, d.beside(p, l, body)...)
	return strings.Join(append(lines, d.foot(p, at, last, len(l.story))), "\n")
}

// beside fills the rows of the story, with the side column next to it, if there is one.
func (d *dashboard) beside(p ui.Page, l screen, body []string) []string {
	lines := make([]string, l.rows)
	copy(lines, body)
	if l.side == 0 {
		return lines
	}
	room := p.Width - l.side - 3
	for i, s := range d.side(ui.Page{Width: l.side, Color: p.Color}, l.rows) {
		pad := strings.Repeat(" ", max(0, room-ansi.StringWidth(lines[i])))
		lines[i] += pad + p.Paint(ui.Dim, " │ ") + s
	}
	return lines
}

// head shows the state of the loop.
func (d *dashboard) head(p ui.Page) []string {
	s := d.report
	v := d.view
	h := ui.Heading{Turn: max(v.Turn, s.Status.LoopCount), Most: v.MaxTurns, Hat: v.Hat, Subject: v.Subject, Agent: v.Agent, Branch: v.Branch, Task: s.NextTask}
	lines := d.wrapped(p, ui.Bold, append(h.Parts(), h.Next()...))
	if p.Width < 60 { // the task has a line of its own
		lines = []string{p.Paint(ui.Bold, ui.FitLine(h.Parts(), p.Width))}
		for _, n := range h.Next() {
			lines = append(lines, p.Paint(ui.Bold, ansi.Truncate(n, p.Width, "…")))
		}
	}
	lines = append(lines, d.state(p)...)
	lines = append(lines, d.wrapped(p, "", d.figures())...)
	if d.problem != "" {
		lines = append(lines, p.Colored(ui.Red, strings.ReplaceAll(ui.Harmless(d.problem), "\n", " "))...)
	}
	return lines
}

// wrapped distributes parts over as many lines as they need, without breaking one.
func (d *dashboard) wrapped(p ui.Page, color string, parts []string) (lines []string) {
	line := ""
	for _, part := range parts {
		part = ansi.Truncate(ui.FirstLine(part), p.Width, "…")
		longer := strings.TrimPrefix(line+" · "+part, " · ")
		if line != "" && ansi.StringWidth(longer) > p.Width {
			lines = append(lines, p.Paint(color, line))
			longer = part
		}
		line = longer
	}
	return append(lines, p.Paint(color, line))
}

// state shows in color whether the loop runs, or how it ended.
func (d *dashboard) state(p ui.Page) []string {
	s := d.report
	state, color := ui.FirstLine(shownState(s)), ui.Cyan
	switch {
	case !s.Found:
		state = "no loop yet"
	case s.Runner == nil && (state == "running" || state == "paused" || state == "success"):
		state, color = "interrupted ("+commandIn(cmp.Or(d.project, "."), "ripple run --resume")+")", ui.Red
	case s.StoppedGroup != 0:
		state, color = "suspended ("+continues(s)+")", ui.Red
	case state == "completed":
		color = ui.Green
	case state == "halted" || state == "error":
		color = ui.Red
	case state == "stopped" || state == "paused":
		color = ui.Magenta
	}
	parts := []string{"● " + state}
	if reason := cmp.Or(d.view.Reason, s.Status.ExitReason); reason != "" && s.Runner == nil {
		parts = append(parts, reason)
	} else if action := ui.FirstLine(s.Status.LastAction); s.Found && action != "" && action != "executing" {
		parts = append(parts, action)
	}
	if !d.view.Begun.IsZero() {
		parts = append(parts, "this turn "+d.now().Sub(d.view.Begun).Round(time.Second).String())
	}
	if dir, err := filepath.Abs(d.project); err == nil && !d.low() {
		parts = append(parts, filepath.Base(dir))
	}
	lines := d.wrapped(p, color, parts)
	for _, q := range d.view.Open[:min(len(d.view.Open), 3)] {
		lines = append(lines, p.Paint(ui.Magenta, ansi.Truncate("? "+ui.FirstLine(asksWords(q)), p.Width, "…")))
	}
	if c := s.Breaker; c.State != "" && (c.State != "CLOSED" || c.NoProgress > 0) {
		said := p.Colored(ui.Red, "circuit "+ui.FirstLine(circuit(c)))
		if d.low() {
			said = []string{p.Paint(ui.Red, ansi.Truncate("circuit "+ui.FirstLine(circuit(c)), p.Width, "…"))}
		}
		lines = append(lines, said...)
	}
	return lines
}

// low reports whether the terminal has few rows.
func (d *dashboard) low() bool { return d.height > 0 && d.height < 20 }

// figures shows tasks, calls, the circuit and the cost.
func (d *dashboard) figures() (parts []string) {
	s := d.report
	if !s.Found {
		return nil
	}
	if total := s.OpenTasks + s.DoneTasks; total > 0 {
		parts = append(parts, fmt.Sprintf("tasks %s %d of %d", bar(s.DoneTasks, total, 10), s.DoneTasks, total))
	}
	if s.Breaker.State == "CLOSED" && s.Breaker.NoProgress == 0 {
		parts = append(parts, "circuit CLOSED")
	}
	if !d.low() {
		parts = append(parts, fmt.Sprintf("calls %d of %d an hour", s.Status.CallsMade, s.Status.MaxCalls))
	}
	if t := d.view.Tokens; t.Input+t.Output > 0 && (!d.low() || d.view.Tokens.CostUSD == 0) {
		parts = append(parts, fmt.Sprintf("tokens %s in, %s out", ui.ShortNumber(t.Input), ui.ShortNumber(t.Output)))
	}
	if d.view.Tokens.CostUSD > 0 {
		parts = append(parts, fmt.Sprintf("cost %s %s", loop.FormatUSD(d.view.Tokens.CostUSD), d.chart(20)))
	}
	return parts
}

func bar(part, total, width int) string {
	n := part * width / total
	return strings.Repeat("█", n) + strings.Repeat("░", width-n)
}

// chart draws the costs of the last turns, the highest as a full block.
func (d *dashboard) chart(width int) string {
	levels := []rune(" ▁▂▃▄▅▆▇█")
	top := 0.0
	shown := d.view.Turns[max(0, len(d.view.Turns)-width):]
	for _, t := range shown {
		top = max(top, t.Used.CostUSD)
	}
	var b strings.Builder
	for _, t := range shown {
		if top > 0 {
			b.WriteRune(levels[int(max(0, t.Used.CostUSD)/top*float64(len(levels)-1))])
		}
	}
	return b.String()
}

// side has the plan and the last turns.
func (d *dashboard) side(p ui.Page, rows int) []string {
	lines := []string{p.Paint(ui.Bold, "plan")}
	tasks, turns := d.report.Tasks, d.view.Turns
	if len(tasks) == 0 {
		lines = append(lines, p.Paint(ui.Dim, "the plan has no checkboxes"))
	}
	room := max(3, rows-min(len(turns), rows/2)-3)
	first := 0
	for first < len(tasks) && len(tasks)-first > room && tasks[first].Done {
		first++
	}
	for _, t := range tasks[first:min(len(tasks), first+room)] {
		lines = append(lines, d.task(p, t))
	}
	lines = append(lines, "", p.Paint(ui.Bold, "turns"))
	for _, t := range turns[max(0, len(turns)-max(0, rows-len(lines))):] {
		lines = append(lines, d.turn(p, t))
	}
	for len(lines) < rows {
		lines = append(lines, "")
	}
	return lines[:rows]
}

func (d *dashboard) task(p ui.Page, t record.Task) string {
	text := ansi.Truncate(ui.FirstLine(t.Text), max(1, p.Width-2), "…")
	switch {
	case t.Done:
		return p.Paint(ui.Green, "✓ ") + p.Paint(ui.Dim, text)
	case t.Text == d.report.NextTask:
		return p.Paint(ui.Cyan, "▸ "+text)
	}
	return "· " + text
}

func (d *dashboard) turn(p ui.Page, t journal.Turn) string {
	mark, color, took := "·", ui.Dim, t.Took
	switch {
	case !t.Ended && !t.Begun.IsZero():
		mark, color, took = "…", ui.Cyan, max(0, d.now().Sub(t.Begun))
	case t.Failed:
		mark, color = "✗", ui.Red
	case t.Progress:
		mark, color = "✓", ui.Green
	}
	text := fmt.Sprintf("turn %-4d %8s", t.Turn, took.Round(time.Second))
	if t.Hat != "" {
		text += "  " + ui.FirstLine(t.Hat)
	}
	if n := t.Used.Input + t.Used.Output; n > 0 {
		text += fmt.Sprintf("  %6s tokens", ui.ShortNumber(n))
	}
	if t.Used.CostUSD > 0 {
		text += "  " + loop.FormatUSD(t.Used.CostUSD)
	}
	return p.Paint(color, mark) + " " + ansi.Truncate(text, max(1, p.Width-2), "…")
}

// foot has the keys, and the position in the story.
func (d *dashboard) foot(p ui.Page, at, last, total int) string {
	where := "following"
	if d.behind {
		where = fmt.Sprintf("line %d of %d", at+1, total)
	}
	room := p.Width - len(where) - 2
	if room < len("q quits") {
		return p.Paint(ui.Dim, ansi.Truncate(where, p.Width, ""))
	}
	keys := ui.FitLine([]string{"q quits", "↑↓ PgUp PgDn scroll", "End follows", "the loop continues without it"}, room)
	return p.Paint(ui.Dim, keys+strings.Repeat(" ", max(1, p.Width-ansi.StringWidth(keys)-len(where)))+where)
}
