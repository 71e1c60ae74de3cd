package adaptercmd

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"example.org/ripple/cmd/ripple/internal/annotate"
	"example.org/ripple/cmd/ripple/internal/ui"
	"example.org/ripple/runtime/pty"
	"example.org/ripple/runtime/session"
)

// layout divides a terminal into the program's screen, a margin on its right, and status lines
// below.
type layout struct {
	cols, rows int // size of the program's screen
	margin     int // columns, including the line before it
	whole      int // columns of the terminal
}

const (
	statusRows  = 2   // rows of the status lines
	wideEnough  = 100 // minimum number of columns for a margin with rules and names of markers
	usualMargin = 17
	leastMargin = 9
)

func newLayout(cols, rows int) layout {
	l := layout{whole: cols, margin: usualMargin}
	switch {
	case cols >= wideEnough:
		l.margin = min(cols*2/5, 60)
	case cols < 50:
		l.margin = leastMargin
	}
	l.cols, l.rows = max(cols-l.margin, 20), max(rows-statusRows, 3)
	return l
}

// frameGap is the minimum time between frames; glance is the interval of checks for a waiting
// program.
const (
	frameGap = 15 * time.Millisecond
	glance   = 500 * time.Millisecond
)

// paint paints changes until ctx ends.
func (b *bench) paint(ctx context.Context) {
	tick := time.NewTicker(glance)
	defer tick.Stop()
	gap := time.NewTimer(0)
	defer gap.Stop()
	shown := ""
	for {
		select {
		case <-b.news:
			shown = ""
		case <-tick.C:
		case <-ctx.Done():
			return
		}
		if frame := b.frame(); frame != shown {
			b.tty.Write([]byte(frame))
			shown = frame
		}
		gap.Reset(frameGap)
		select {
		case <-gap.C:
		case <-ctx.Done():
			return
		}
	}
}

// last returns the last frame, with the cursor at the end.
func (b *bench) last() []byte {
	_, rows, err := b.tty.Size()
	if err != nil {
		return nil
	}
	return fmt.Appendf([]byte(b.frame()), "\x1b[%d;1H", rows)
}

func (b *bench) frame() string {
	state, line := b.standing()
	b.mu.Lock()
	sheet, l := b.sheet, b.layout
	b.mu.Unlock()
	if sheet == nil {
		return ""
	}
	p := ui.Page{Width: l.whole, Color: b.Color(b.Stdout)}
	return string(sheet.Paint(nil, l.noted(p), []string{
		p.Paint(ui.Bold, fit(state, l.whole)), p.Paint(ui.Dim, fit(line, l.whole)),
	}))
}

func fit(text string, width int) string {
	return ansi.Truncate(strings.Join(strings.Fields(ui.Harmless(text)), " "), max(width-1, 1), "…")
}

// standing describes the state in two lines: what is waited for or what ended the wait, and how to
// continue.
func (b *bench) standing() (state, line string) {
	b.mu.Lock()
	e, s, t, sheet := b.entry, b.session, b.term, b.sheet
	rule, result, problem, end := b.rule, b.result, b.problem, b.end
	b.mu.Unlock()
	if end[0] != "" {
		return end[0], end[1]
	}
	line = filepath.Base(b.file) + ": " + result
	switch {
	case result == "" && b.recording != nil:
		line = filepath.Base(b.file) + ": each command becomes a test"
	case result == "":
		line = filepath.Base(b.file) + ": changes of the file apply immediately"
	}
	line = leaveNames + " ends · " + line
	switch {
	case problem != "":
		return problem, line
	case e.Adapter == nil, sheet == nil:
		return "starting", line
	case s == nil && t == nil:
		return "starting " + e.Adapter.Name, line
	case s == nil:
		if t.Readiness().State == pty.Waiting {
			return fmt.Sprintf("the program waits for input at %q, not at its first prompt (%s)", sheet.Line(), prompts(e.Adapter)), line
		}
		return "waiting for the first prompt: " + prompts(e.Adapter), line
	}
	switch st := s.State(); {
	case st.Phase == session.PhaseReady:
		return "ended: " + rule, line
	case st.Waiting == session.WaitingSecret:
		return "the program reads a secret: the terminal's echo is off", line
	case st.Waiting == session.WaitingInput:
		return fmt.Sprintf("the program waits for input at %q, not at a prompt (%s)", sheet.Line(), prompts(e.Adapter)), line
	default:
		return "the program runs: no prompt yet", line
	}
}

// noted returns a function that formats the margin of a row.
func (l layout) noted(p ui.Page) func([]annotate.Note) string {
	return func(notes []annotate.Note) string {
		var words, markers []string
		rule := ""
		for _, n := range notes {
			switch {
			case n.As == session.ClassEnd:
				rule = n.Text
			case n.As == session.ClassMarker:
				name, _, _ := strings.Cut(n.Text, "=") // a directory does not fit
				markers = append(markers, p.Paint(ui.Dim, name))
			default:
				words = append(words, p.Paint(colorOf[n.As], string(n.As)))
			}
		}
		if len(words) == 0 || l.margin >= 30 {
			words = append(words, markers...)
		}
		text := strings.Join(words, " ")
		if rule != "" && l.margin >= 30 {
			text += p.Paint(ui.Dim, " ← "+rule)
		}
		return p.Paint(ui.Dim, "│ ") + ansi.Truncate(text, max(l.margin-3, 1), "…")
	}
}

var colorOf = map[session.Class]string{
	session.ClassBanner: ui.Dim, session.ClassPrompt: ui.Green, session.ClassContinuation: ui.Green, session.ClassEcho: ui.Cyan,
	session.ClassOutOfBand: ui.Magenta, session.ClassForged: ui.Red, session.ClassWithdrawn: ui.Red,
}
