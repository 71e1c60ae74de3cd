package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/spf13/cobra"
	"golang.org/x/term"

	"ripple/runtime/event"
	"ripple/runtime/loop"
)

func newWatch(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "watch",
		Short: "Watch the loop of this directory on a dashboard",
		Long: `Watch the loop of this directory: its turn, breaker, limits and tasks, what the agent
says and does, and what it costs, from the files under .ralph. It only reads: q ends
the dashboard, not the loop. Without a terminal it prints what "ripple status" prints.`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			s, err := loop.ReadStanding(".")
			if err != nil {
				return standingError(err)
			}
			if !a.interactive() {
				a.printStanding(s)
				return nil
			}
			d := &dashboard{standing: s, tail: &eventTail{path: filepath.Join(loop.Dir, loop.EventsFile)}, now: time.Now, roots: roots()}
			d.read()
			_, err = tea.NewProgram(d, tea.WithContext(cmd.Context()), tea.WithInput(a.in), tea.WithOutput(a.out.to)).Run()
			if err != nil && !errors.Is(err, tea.ErrProgramKilled) {
				return failWith(exitFailed, err, "")
			}
			return nil
		},
	}
}

// interactive says that a person sits before both standard streams.
func (a *app) interactive() bool {
	in, isFile := a.in.(*os.File)
	return isFile && term.IsTerminal(int(in.Fd())) && a.outTerminal() && a.getenv("TERM") != "dumb"
}

// outTerminal says that standard output is a terminal.
func (a *app) outTerminal() bool {
	out, isFile := a.out.to.(*os.File)
	return isFile && term.IsTerminal(int(out.Fd()))
}

// refresh is how often the files are looked at.
const refresh = 500 * time.Millisecond

// dashboard is the model of `ripple watch`.
type dashboard struct {
	standing      loop.Standing
	problem       string
	tail          *eventTail
	now           func() time.Time
	roots         []string // for shortPath
	width, height int

	turn    int
	begun   time.Time // of the turn; zero: none is under way
	text    string
	tools   []string // the latest last
	costs   []float64
	tokens  event.Tokens
	stopped string
}

// keptTools and keptCosts are more than fits on a screen.
const keptTools, keptCosts = 50, 200

type tick time.Time

func next() tea.Cmd { return tea.Tick(refresh, func(t time.Time) tea.Msg { return tick(t) }) }

// Init makes it a tea.Model.
func (d *dashboard) Init() tea.Cmd { return next() }

// Update makes it a tea.Model.
func (d *dashboard) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		d.width, d.height = msg.Width, msg.Height
	case tea.KeyPressMsg:
		switch msg.String() {
		case "q", "esc", "ctrl+c":
			return d, tea.Quit
		}
	case tick:
		d.read()
		return d, next()
	}
	return d, nil
}

// read takes in what is new in the files.
func (d *dashboard) read() {
	s, err := loop.ReadStanding(".")
	if err == nil {
		d.standing, d.problem = s, ""
	} else {
		d.problem = err.Error()
	}
	lines, err := d.tail.lines()
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		d.problem = err.Error()
	}
	for _, line := range lines {
		d.take(line)
	}
}

func (d *dashboard) take(line []byte) {
	var l recordedLine
	if json.Unmarshal(line, &l) != nil {
		return // not written by a loop
	}
	switch l.Type {
	case "run_started":
		d.costs, d.tokens, d.stopped, d.text, d.tools = nil, event.Tokens{}, "", "", nil
	case "turn_started":
		d.turn, d.begun, d.stopped = l.Turn, l.Time, ""
		d.costs = append(d.costs, 0)
		d.costs = d.costs[max(0, len(d.costs)-keptCosts):]
	case "turn_ended":
		d.begun = time.Time{}
	case "stopped":
		d.begun, d.stopped = time.Time{}, l.Why
	default:
		var e event.Event
		if json.Unmarshal(line, &e) == nil {
			d.event(e)
		}
	}
}

func (d *dashboard) event(e event.Event) {
	switch e.Type {
	case event.Text:
		d.text = e.Text
	case event.ToolUse:
		d.tools = append(d.tools, e.Name+" "+toolSummary(e, d.roots))
		d.tools = d.tools[max(0, len(d.tools)-keptTools):]
	case event.ToolResult:
		if n := len(d.tools); e.IsError && n > 0 {
			d.tools[n-1] += "  ✗ " + firstLine(e.Content)
		}
	case event.Usage:
		if e.Tokens != nil {
			d.tokens = d.tokens.Add(*e.Tokens)
			if n := len(d.costs); n > 0 {
				d.costs[n-1] += e.Tokens.CostUSD
			}
		}
	}
}

// View makes it a tea.Model.
func (d *dashboard) View() tea.View {
	v := tea.NewView(d.render())
	v.AltScreen = true
	return v
}

var (
	titleStyle = lipgloss.NewStyle().Bold(true)
	faintStyle = lipgloss.NewStyle().Faint(true)
	alarmStyle = lipgloss.NewStyle().Foreground(lipgloss.Color("9"))
)

// render lays the screen out: how the loop stands, the last text, the tools.
func (d *dashboard) render() string {
	width := cmp.Or(d.width, 80)
	var b strings.Builder
	whole := func(style lipgloss.Style, text string) { // on as many lines as it takes
		for l := range strings.SplitSeq(ansi.Wrap(harmless(text), width, ""), "\n") {
			b.WriteString(style.Render(l) + "\n")
		}
	}
	line := func(style lipgloss.Style, text string) {
		b.WriteString(style.MaxWidth(width).Render(harmless(text)) + "\n")
	}
	line(titleStyle, d.headline())
	if !d.standing.Found {
		line(faintStyle, "no loop has run here yet; ripple run begins one")
		return b.String()
	}
	whole(lipgloss.NewStyle(), d.figures())
	if c := d.standing.Breaker; c.State != "CLOSED" || c.NoProgress > 0 {
		whole(alarmStyle, "circuit "+circuit(c))
	}
	whole(lipgloss.NewStyle(), d.money())
	if d.problem != "" {
		whole(alarmStyle, d.problem)
	}
	if d.stopped != "" {
		whole(titleStyle, d.stopped)
	}
	rest := max(d.height-strings.Count(b.String(), "\n")-4, 6)
	line(faintStyle, "── agent "+strings.Repeat("─", max(0, width-10)))
	for _, l := range lastOf(strings.Split(strings.TrimRight(d.text, "\n"), "\n"), rest/2) {
		line(lipgloss.NewStyle(), l)
	}
	line(faintStyle, "── tools "+strings.Repeat("─", max(0, width-10)))
	for _, t := range lastOf(d.tools, rest-rest/2) {
		line(lipgloss.NewStyle(), t)
	}
	line(faintStyle, "q quits the dashboard, not the loop")
	return b.String()
}

func lastOf(list []string, n int) []string { return list[max(0, len(list)-n):] }

func (d *dashboard) headline() string {
	dir, err := os.Getwd()
	if err != nil {
		dir = "."
	}
	state := d.standing.Status.Status
	if d.standing.Runner == nil && (state == "running" || state == "paused") {
		state = "cut off"
	}
	return fmt.Sprintf("ripple · %s · %s", filepath.Base(dir), state)
}

func (d *dashboard) figures() string {
	s := d.standing
	parts := []string{fmt.Sprintf("turn %d", max(d.turn, s.Status.LoopCount))}
	if !d.begun.IsZero() {
		parts = append(parts, "since "+d.now().Sub(d.begun).Round(time.Second).String())
	}
	parts = append(parts, fmt.Sprintf("calls %d of %d", s.Status.CallsMade, s.Status.MaxCalls))
	if total := s.OpenTasks + s.DoneTasks; total > 0 {
		parts = append(parts, fmt.Sprintf("tasks %s %d of %d", bar(s.DoneTasks, total, 10), s.DoneTasks, total))
	}
	return strings.Join(append(parts, s.Status.LastAction), " · ")
}

func bar(part, total, width int) string {
	n := part * width / total
	return strings.Repeat("█", n) + strings.Repeat("░", width-n)
}

// money is the cost with a little chart of the turns.
func (d *dashboard) money() string {
	top := 0.0
	for _, c := range d.costs {
		top = max(top, c)
	}
	sum := d.tokens.CostUSD // of more turns than there are in the chart
	text := fmt.Sprintf("%d tokens in, %d out", d.tokens.Input, d.tokens.Output)
	if sum > 0 {
		text += fmt.Sprintf(" · $%.2f  %s", sum, chart(d.costs, top, 40))
	}
	return text
}

// chart draws the last values, the highest as a full block, and none below nothing.
func chart(values []float64, top float64, width int) string {
	levels := []rune(" ▁▂▃▄▅▆▇█")
	var b strings.Builder
	for _, v := range values[max(0, len(values)-width):] {
		b.WriteRune(levels[int(max(0, v)/top*float64(len(levels)-1))])
	}
	return b.String()
}
