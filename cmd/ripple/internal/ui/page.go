package ui

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"ripple/runtime/event"
)

// Colours are those of the terminal's own palette, without the ones that are
// pale on one kind of background: yellow, white, and the bright ones.
const (
	Bold    = "\x1b[1m"
	Green   = "\x1b[32m"
	Magenta = "\x1b[35m"
	Cyan    = "\x1b[36m"
)

// widestProse is how long a line of words may be to be read well.
const widestProse = 110

// Page lays out what happens in a loop in lines for a terminal: no line is wider
// than width columns, and nothing in it moves the cursor.
type Page struct {
	Width  int
	Colour bool
}

// Paint puts a colour around a text, where the page has colours.
func (p Page) Paint(colour, text string) string {
	if !p.Colour || colour == "" || text == "" {
		return text
	}
	return colour + text + reset
}

// rule is a line across the page that begins with a title.
func (p Page) rule(colour, title string) string {
	title = FitLine([]string{title}, max(0, p.Width-6))
	rest := strings.Repeat("─", max(0, p.Width-ansi.StringWidth(title)-4))
	return p.Paint(Dim, "── ") + p.Paint(colour, title) + p.Paint(Dim, " "+rest)
}

// Head is the line over a turn; what has no room there stands below it.
func (p Page) Head(h Heading) []string {
	parts := h.Parts()
	if whole := strings.Join(append(parts, h.Next()...), " · "); ansi.StringWidth(whole)+6 <= p.Width {
		return []string{p.rule(Bold, whole)}
	}
	lines := []string{p.rule(Bold, FitLine(parts, p.Width-6))}
	for _, n := range h.Next() {
		lines = append(lines, p.Paint(Bold, ansi.Truncate("   "+n, p.Width, "…")))
	}
	return lines
}

// Heading says which turn it is, by whom, where, and for what.
type Heading struct {
	Turn, Most          int    // most: 0 when that is not known
	Hat, Subject        string // whose role, and the topics that it has
	Agent, Branch, Task string
}

// Parts are what a heading says, the important first.
func (h Heading) Parts() []string {
	turn := fmt.Sprintf("turn %d", h.Turn)
	if h.Most > 0 {
		turn = fmt.Sprintf("turn %d/%d", h.Turn, h.Most)
	}
	parts := []string{turn}
	role := h.Hat
	if h.Subject != "" && role != "" {
		role += ": " + h.Subject
	}
	for _, part := range []string{role, h.Agent, h.Branch} {
		if part = FirstLine(part); part != "" {
			parts = append(parts, part)
		}
	}
	return parts
}

// Next is the part that says what comes; there is none where that is not known.
func (h Heading) Next() []string {
	if h.Task == "" {
		return nil
	}
	return []string{"next: " + FirstLine(h.Task)}
}

// Say lays out an answer: words wrapped, code as it is, a status block folded.
func (p Page) Say(answer string) (lines []string) {
	for _, part := range passages(Harmless(answer)) {
		if part.status != nil {
			text, colour := folded(part.status)
			lines = append(lines, p.Coloured(colour, text)...)
			continue
		}
		lines = append(lines, p.words(part.text)...)
	}
	return lines
}

// Coloured wraps one line of words in a colour.
func (p Page) Coloured(colour, text string) (lines []string) {
	for i, l := range wrapLine(text, min(p.Width, widestProse)-2) {
		if i > 0 {
			l = "  " + l
		}
		lines = append(lines, p.Paint(colour, l))
	}
	return lines
}

func (p Page) words(text string) (lines []string) {
	code := false
	for line := range strings.SplitSeq(text, "\n") {
		line = strings.TrimRight(strings.ReplaceAll(line, "\t", "    "), " ")
		fence := strings.HasPrefix(strings.TrimSpace(line), "```")
		switch {
		case fence:
			lines = append(lines, p.Paint(Dim, ansi.Truncate(line, p.Width, "…")))
		case code:
			for piece := range strings.SplitSeq(ansi.Hardwrap(line, p.Width, true), "\n") {
				lines = append(lines, strings.TrimRight(piece, " "))
			}
		case strings.HasPrefix(line, "#"):
			lines = append(lines, p.Coloured(Bold, line)...)
		default:
			lines = append(lines, wrapLine(line, min(p.Width, widestProse))...)
		}
		code = code != fence
	}
	return lines
}

// ToolUse is a tool that the agent uses, or used.
type ToolUse struct {
	id, Name, What string
	Begun          time.Time
	took           time.Duration
	ended, failed  bool
	said           string // why it failed
}

// NewToolUse is a use that begins; roots are for ShortPath.
func NewToolUse(e event.Event, at time.Time, roots []string) *ToolUse {
	return &ToolUse{id: e.ID, Name: FirstLine(e.Name), What: toolSummary(e, roots), Begun: at}
}

// End notes the result.
func (t *ToolUse) End(e event.Event, at time.Time) {
	t.ended, t.failed, t.took = true, e.IsError, max(0, at.Sub(t.Begun))
	if t.failed {
		t.said = cmp.Or(FirstLine(e.Content), "it says nothing")
	}
}

// OpenTool finds the tool that a result belongs to: by its id, else the oldest.
func OpenTool(open []*ToolUse, id string) *ToolUse {
	for _, t := range open {
		if !t.ended && (t.id == id || id == "" || t.id == "") {
			return t
		}
	}
	return nil
}

// Tool is a tool with the mark of its success; why it failed stands below.
func (p Page) Tool(t *ToolUse) []string {
	mark, colour := "✓", Green
	switch {
	case !t.ended:
		mark, colour = "…", Cyan
	case t.failed:
		mark, colour = "✗", Red
	}
	took := ""
	if t.took >= time.Second {
		took = "  " + t.took.Round(time.Second).String()
	}
	what := strings.TrimSpace(t.Name + " " + t.What)
	what = ansi.Truncate(what, max(1, p.Width-4-len(took)), "…")
	lines := []string{"  " + p.Paint(colour, mark) + " " + p.Paint(Dim, what+took)}
	if t.said != "" {
		lines = append(lines, p.Paint(Red, ansi.Truncate("    "+t.said, p.Width, "…")))
	}
	return lines
}

// Aside is what is said beside the agent's words: a limit, a refusal, an end.
func (p Page) Aside(colour, mark, text string) (lines []string) {
	for i, l := range wrapLine(strings.ReplaceAll(Harmless(text), "\n", " "), min(p.Width, widestProse)-4) {
		if i > 0 {
			mark = " "
		}
		lines = append(lines, "  "+p.Paint(colour, mark+" "+l))
	}
	return lines
}

// Beside is an event that is neither words nor a tool, nil for those that nobody
// has to see.
func (p Page) Beside(e event.Event) []string {
	switch e.Type {
	case event.RateLimited:
		return p.Aside(Magenta, "◷", "limited by the provider: "+FirstLine(e.Message))
	case event.PermissionDenied:
		return p.Aside(Red, "⊘", strings.TrimSpace("refused: "+FirstLine(e.Name)+" "+FirstLine(e.Detail)))
	case event.Error:
		if e.Fatal { // the turn ends with it, and says so
			return nil
		}
		return p.Aside(Red, "!", FirstLine(e.Message))
	}
	return nil
}

// WithoutTool is a list that one use is taken out of.
func WithoutTool(list []*ToolUse, t *ToolUse) (rest []*ToolUse) {
	for _, o := range list {
		if o != t {
			rest = append(rest, o)
		}
	}
	return rest
}
