package loopcmd

import (
	"cmp"
	"errors"
	"io/fs"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/spf13/cobra"

	"example.org/ripple/cmd/ripple/internal/ui"
	"example.org/ripple/runtime/loop/journal"
	"example.org/ripple/runtime/loop/record"
)

// newWatch is ripple watch.
func newWatch(shared *ui.App) *cobra.Command {
	a := &app{shared}
	return &cobra.Command{
		Use:   "watch",
		Short: "Watch the loop of this directory on a dashboard",
		Long: `Watch the loop of this directory: its turn, circuit breaker, limits and tasks, the agent's
messages and tool calls, and the cost. The dashboard only reads files below .ralph: q ends the
dashboard, not the loop. The arrow keys, PgUp, PgDn, Home and End scroll; at the end, the
dashboard follows the loop. If standard output is not a terminal, the command prints what
"ripple status" prints.`,
		Args: ui.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			project := loopDir()
			s, err := journal.ReadReport(project)
			if err != nil {
				return reportError(err)
			}
			if !a.Interactive() {
				r, _ := runOf(cmd.Context(), project, s) // the other rows do not depend on it
				a.printReport(project, s, r)
				return nil
			}
			d := &dashboard{
				report: s, project: project, tail: journal.NewTail(project), now: time.Now,
				story: story{roots: ui.ProjectRoots()}, color: a.Color(a.Stdout),
			}
			d.read()
			_, err = tea.NewProgram(d, tea.WithContext(cmd.Context()), tea.WithInput(a.In), tea.WithOutput(a.Stdout)).Run()
			if err != nil && !errors.Is(err, tea.ErrProgramKilled) {
				return ui.FailWith(ui.ExitFailed, err, "")
			}
			return nil
		},
	}
}

// refresh is how often the files are looked at.
const refresh = 500 * time.Millisecond

// dashboard is the model of `ripple watch`.
type dashboard struct {
	project       string
	report        journal.Report
	problem       string
	tail          *journal.Tail
	now           func() time.Time
	width, height int
	color         bool

	story  story
	top    int  // first line of the story that is shown, when it does not follow
	behind bool // it does not follow: somebody scrolled back

	view journal.View
}

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
		d.scroll(msg.String())
	case tick:
		d.read()
		return d, next()
	}
	return d, nil
}

// scroll moves what is shown of the story.
func (d *dashboard) scroll(key string) {
	l := d.layout()
	at, last := d.shown(l)
	switch key {
	case "up", "k":
		at--
	case "down", "j":
		at++
	case "pgup", "b":
		at -= max(1, l.rows-1)
	case "pgdown", "space", "f":
		at += max(1, l.rows-1)
	case "home", "g":
		at = 0
	case "end", "G":
		at = last
	default:
		return
	}
	d.top = max(0, min(at, last))
	d.behind = d.top < last
}

// read takes in what is new in the files.
func (d *dashboard) read() {
	s, err := journal.ReadReport(cmp.Or(d.project, "."))
	if err == nil {
		d.report, d.problem = s, ""
	} else {
		d.problem = err.Error()
	}
	records, err := d.tail.Records()
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		d.problem = err.Error()
	}
	for _, r := range records {
		d.view.Take(r)
		d.story.take(r)
		if r.Type == record.RunStarted {
			d.behind = false
		}
	}
}

// View makes it a tea.Model.
func (d *dashboard) View() tea.View {
	v := tea.NewView(d.render())
	v.AltScreen = true
	return v
}
