package loopcmd

import (
	"errors"
	"io/fs"
	"path/filepath"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/spf13/cobra"

	"ripple/cmd/ripple/internal/ui"
	"ripple/runtime/event"
	"ripple/runtime/loop/journal"
	"ripple/runtime/loop/layout"
)

// NewWatch is ripple watch.
func NewWatch(shared *ui.App) *cobra.Command {
	a := &app{shared}
	return &cobra.Command{
		Use:   "watch",
		Short: "Watch the loop of this directory on a dashboard",
		Long: `Watch the loop of this directory: its turn, breaker, limits and tasks, what the agent
says and does, and what it costs, from the files under .ralph. It only reads: q ends
the dashboard, not the loop. The arrow keys, PgUp, PgDn, Home and End scroll; at the
end the dashboard follows the loop. Without a terminal it prints what "ripple status"
prints.`,
		Args: ui.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			s, err := journal.ReadStanding(".")
			if err != nil {
				return standingError(err)
			}
			if !a.Interactive() {
				a.printStanding(s)
				return nil
			}
			d := &dashboard{
				standing: s, tail: &eventTail{path: filepath.Join(layout.Dir, layout.EventsFile)}, now: time.Now,
				story: story{roots: ui.ProjectRoots()}, colour: a.Colour(a.Stdout),
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
	standing      journal.Standing
	problem       string
	tail          *eventTail
	now           func() time.Time
	width, height int
	colour        bool

	story  story
	top    int  // first line of the story that is shown, when it does not follow
	behind bool // it does not follow: somebody scrolled back

	heading ui.Heading
	begun   time.Time // of the turn; zero: none is under way
	turns   []turnFigures
	tokens  event.Tokens
	reason  string // why it stopped
}

// turnFigures are those of one turn.
type turnFigures struct {
	turn     int
	begun    time.Time
	took     time.Duration
	used     event.Tokens
	ended    bool
	failed   bool
	progress bool
}

// keptTurns is more than fits on a screen.
const keptTurns = 200

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
	last := max(0, len(l.story)-l.rows)
	at := last
	if d.behind {
		at = min(d.top, last)
	}
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
	s, err := journal.ReadStanding(".")
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
	l := d.story.read(line)
	if l == nil {
		return
	}
	switch l.Type {
	case "run_started":
		d.turns, d.tokens, d.reason, d.begun, d.behind = nil, event.Tokens{}, "", time.Time{}, false
	case "turn_started":
		d.heading = ui.Heading{Turn: l.Turn, Most: l.MaxTurns, Agent: l.Agent, Branch: l.Branch}
		d.begun, d.reason = l.Time, ""
		d.turns = append(d.turns, turnFigures{turn: l.Turn, begun: l.Time})
		d.turns = d.turns[max(0, len(d.turns)-keptTurns):]
	case "turn_ended":
		d.begun = time.Time{}
		if n := len(d.turns); n > 0 {
			t := &d.turns[n-1]
			t.ended, t.failed, t.took = true, l.Failure != nil, max(0, l.Time.Sub(t.begun))
			t.progress = l.Progress != nil && *l.Progress
		}
	case "stopped":
		d.begun, d.reason = time.Time{}, l.Reason
	case string(event.Usage):
		d.used(line)
	}
}

// used takes in what a turn used so far.
func (d *dashboard) used(line []byte) {
	var e event.Event
	n := len(d.turns)
	if e.UnmarshalJSON(line) != nil || e.Tokens == nil || n == 0 {
		return
	}
	before := d.turns[n-1].used
	d.turns[n-1].used = *e.Tokens
	d.tokens = d.tokens.Add(*e.Tokens)
	d.tokens.Input -= before.Input
	d.tokens.Output -= before.Output
	d.tokens.CostUSD = event.SumUSD(d.tokens.CostUSD, -before.CostUSD)
}

// View makes it a tea.Model.
func (d *dashboard) View() tea.View {
	v := tea.NewView(d.render())
	v.AltScreen = true
	return v
}
