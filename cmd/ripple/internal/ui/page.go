package ui

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"example.org/ripple/internal/lazyregexp"
	"example.org/ripple/runtime/event"
)

// Colors of the terminal's own palette, without those with low contrast on some backgrounds:
// yellow, white, and the bright ones.
const (
	Bold    = "\x1b[1m"
	Green   = "\x1b[32m"
	Magenta = "\x1b[35m"
	Cyan    = "\x1b[36m"
)

// widestProse is the maximum length of a readable line of text, in columns.
const widestProse = 110

// Page formats the events of a loop in lines for a terminal: no line is wider than width columns,
// and none contains cursor movements.
type Page struct {
	Width int
	Color bool
}

// Paint adds color to a text, if the page has colors.
func (p Page) Paint(color, text string) string {
	if !p.Color || color == "" || text == "" {
		return text
	}
	return color + text + reset
}

// rule returns a line across the page that begins with a title.
func (p Page) rule(color, title string) string {
	title = FitLine([]string{title}, max(0, p.Width-6))
	rest := strings.Repeat("─", max(0, p.Width-ansi.StringWidth(title)-4))
	return p.Paint(Dim, "── ") + p.Paint(color, title) + p.Paint(Dim, " "+rest)
}

// Head returns the heading of a turn; parts that do not fit are on further lines.
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

// Heading describes a turn: its number, role, directory and task.
type Heading struct {
	Turn, Most          int    // Most is 0 if unknown
	Hat, Subject        string // the name of the role, and its topics
	Agent, Branch, Task string
}

// Parts returns the parts of a heading, most important first.
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

// Next returns the part about the next task, if it is known.
func (h Heading) Next() []string {
	if h.Task == "" {
		return nil
	}
	return []string{"next: " + FirstLine(h.Task)}
}

// Say formats an answer: text wrapped, code unchanged, a status block folded. Lines that look like
// lines of ripple are set off with "│ ".
func (p Page) Say(answer string) (lines []string) {
	for _, part := range passages(Harmless(answer)) {
		if part.status != nil {
			text, color := folded(part.status)
			lines = append(lines, p.Colored(color, text)...)
			continue
		}
		lines = append(lines, p.words(part.text)...)
	}
	return lines
}

// Colored wraps one line of text and adds color.
func (p Page) Colored(color, text string) []string {
	lines := hanging(text, p.Width)
	for i, l := range lines {
		lines[i] = p.Paint(color, l)
	}
	return lines
}

// hanging wraps one line of text and indents its further lines.
func hanging(text string, width int) []string {
	lines := wrapLine(text, min(width, widestProse)-2)
	for i := 1; i < len(lines); i++ {
		lines[i] = "  " + lines[i]
	}
	return lines
}

func (p Page) words(text string) (lines []string) {
	code := false
	for line := range strings.SplitSeq(text, "\n") {
		line = strings.TrimRight(strings.ReplaceAll(line, "\t", "    "), " ")
		fence := strings.HasPrefix(strings.TrimSpace(line), "```")
		lines = append(lines, p.line(line, fence, code)...)
		code = code != fence
	}
	return lines
}

// line formats a line of an answer: a fence of a code block, a line of code, or text.
func (p Page) line(line string, fence, code bool) []string {
	color, lay := "", func(width int) []string { return wrapLine(line, min(width, widestProse)) }
	switch {
	case fence:
		color, lay = Dim, func(width int) []string { return []string{ansi.Truncate(line, width, "…")} }
	case code:
		lay = func(width int) []string { return strings.Split(ansi.Hardwrap(line, width, true), "\n") }
	case strings.HasPrefix(line, "#"):
		color, lay = Bold, func(width int) []string { return hanging(line, width) }
	}
	lines, edge := lay(p.Width), ""
	if slices.ContainsFunc(lines, looksLikeOurs().MatchString) {
		edge = setOffBy
		lines = lay(p.Width - ansi.StringWidth(edge))
	}
	for i, l := range lines {
		lines[i] = p.Paint(Dim, edge) + p.Paint(color, strings.TrimRight(l, " "))
	}
	return lines
}

// setOffBy begins a line of an agent that looks like one of ripple.
const setOffBy = "│ "

// setOff marks these lines of a text that is printed as it is.
func setOff(text string) string {
	lines := strings.Split(text, "\n")
	for i, l := range lines {
		if looksLikeOurs().MatchString(l) {
			lines[i] = setOffBy + l
		}
	}
	return strings.Join(lines, "\n")
}

// looksLikeOurs matches the beginning of a line that a reader could take for one of ripple: those of
// Note, Head, Tool, Aside and folded.
var looksLikeOurs = lazyregexp.New(`^(?:[\s\p{Z}]*(?:ripple:|──|[…✓✗⊘◷■●])|[\s\p{Z}]+(?:[!?→·]|next:))(?:[\s\p{Z}]|$)`)

// ToolUse is a running or completed use of a tool.
type ToolUse struct {
	id, Name, What string
	Begun          time.Time
	took           time.Duration
	ended, failed  bool
	said           string // error message
}

// NewToolUse returns a use that starts at the given time; roots are for shortPath.
func NewToolUse(e event.Event, at time.Time, roots []string) *ToolUse {
	return &ToolUse{id: e.ID, Name: FirstLine(e.Name), What: toolSummary(e, roots), Begun: at}
}

// End records the result.
func (t *ToolUse) End(e event.Event, at time.Time) {
	t.ended, t.failed, t.took = true, e.IsError, max(0, at.Sub(t.Begun))
	if t.failed {
		t.said = cmp.Or(FirstLine(e.Content), "no error message")
	}
}

// OpenTool returns the tool use that a result belongs to: by its ID, otherwise the oldest.
func OpenTool(open []*ToolUse, id string) *ToolUse {
	for _, t := range open {
		if !t.ended && (t.id == id || id == "" || t.id == "") {
			return t
		}
	}
	return nil
}

// Tool formats a tool use with a mark for its success, followed by the error message if it failed.
func (p Page) Tool(t *ToolUse) []string {
	mark, color := "✓", Green
	switch {
	case !t.ended:
		mark, color = "…", Cyan
	case t.failed:
		mark, color = "✗", Red
	}
	took := ""
	if t.took >= time.Second {
		took = "  " + t.took.Round(time.Second).String()
	}
	what := strings.TrimSpace(t.Name + " " + t.What)
	what = ansi.Truncate(what, max(1, p.Width-4-len(took)), "…")
	lines := []string{"  " + p.Paint(color, mark) + " " + p.Paint(Dim, what+took)}
	if t.said != "" {
		lines = append(lines, p.Paint(Red, ansi.Truncate("    "+t.said, p.Width, "…")))
	}
	return lines
}

// Aside formats a message that is not part of the agent's answer, such as a limit, a refusal or the
// end.
func (p Page) Aside(color, mark, text string) (lines []string) {
	for i, l := range wrapLine(strings.ReplaceAll(Harmless(text), "\n", " "), min(p.Width, widestProse)-4) {
		if i > 0 {
			mark = " "
		}
		lines = append(lines, "  "+p.Paint(color, mark+" "+l))
	}
	return lines
}

// Beside formats an event that is neither text nor a tool use; it returns nil for events that are
// not shown.
func (p Page) Beside(e event.Event) []string {
	switch e.Type {
	case event.RateLimited:
		return p.Aside(Magenta, "◷", "the provider reports a limit: "+FirstLine(e.Message))
	case event.PermissionDenied:
		return p.Aside(Red, "⊘", refused(e))
	case event.Error:
		if e.Fatal { // the turn ends with it, and reports it
			return nil
		}
		return p.Aside(Red, "!", FirstLine(e.Message))
	}
	return nil
}
