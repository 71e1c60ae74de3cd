package main

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
	bold    = "\x1b[1m"
	green   = "\x1b[32m"
	magenta = "\x1b[35m"
	cyan    = "\x1b[36m"
)

// widestProse is how long a line of words may be to be read well.
const widestProse = 110

// page lays out what happens in a loop in lines for a terminal: no line is wider
// than width columns, and nothing in it moves the cursor.
type page struct {
	width  int
	colour bool
}

func (p page) paint(colour, text string) string {
	if !p.colour || colour == "" || text == "" {
		return text
	}
	return colour + text + reset
}

// rule is a line across the page that begins with a title.
func (p page) rule(colour, title string) string {
	title = fitLine([]string{title}, max(0, p.width-6))
	rest := strings.Repeat("─", max(0, p.width-ansi.StringWidth(title)-4))
	return p.paint(dim, "── ") + p.paint(colour, title) + p.paint(dim, " "+rest)
}

// head is the line over a turn; what has no room there stands below it.
func (p page) head(h heading) []string {
	parts := h.parts()
	if whole := strings.Join(append(parts, h.next()...), " · "); ansi.StringWidth(whole)+6 <= p.width {
		return []string{p.rule(bold, whole)}
	}
	lines := []string{p.rule(bold, fitLine(parts, p.width-6))}
	for _, n := range h.next() {
		lines = append(lines, p.paint(bold, ansi.Truncate("   "+n, p.width, "…")))
	}
	return lines
}

// heading says which turn it is, by whom, where, and for what.
type heading struct {
	turn, most          int // most: 0 when that is not known
	agent, branch, task string
}

func (h heading) parts() []string {
	turn := fmt.Sprintf("turn %d", h.turn)
	if h.most > 0 {
		turn = fmt.Sprintf("turn %d/%d", h.turn, h.most)
	}
	parts := []string{turn}
	for _, part := range []string{h.agent, h.branch} {
		if part = firstLine(part); part != "" {
			parts = append(parts, part)
		}
	}
	return parts
}

func (h heading) next() []string {
	if h.task == "" {
		return nil
	}
	return []string{"next: " + firstLine(h.task)}
}

// say lays out an answer: words wrapped, code as it is, a status block folded.
func (p page) say(answer string) (lines []string) {
	for _, part := range passages(harmless(answer)) {
		if part.status != nil {
			text, colour := folded(part.status)
			lines = append(lines, p.coloured(colour, text)...)
			continue
		}
		lines = append(lines, p.words(part.text)...)
	}
	return lines
}

// coloured wraps one line of words in a colour.
func (p page) coloured(colour, text string) (lines []string) {
	for i, l := range wrapLine(text, min(p.width, widestProse)-2) {
		if i > 0 {
			l = "  " + l
		}
		lines = append(lines, p.paint(colour, l))
	}
	return lines
}

func (p page) words(text string) (lines []string) {
	code := false
	for line := range strings.SplitSeq(text, "\n") {
		line = strings.TrimRight(strings.ReplaceAll(line, "\t", "    "), " ")
		fence := strings.HasPrefix(strings.TrimSpace(line), "```")
		switch {
		case fence:
			lines = append(lines, p.paint(dim, ansi.Truncate(line, p.width, "…")))
		case code:
			for piece := range strings.SplitSeq(ansi.Hardwrap(line, p.width, true), "\n") {
				lines = append(lines, strings.TrimRight(piece, " "))
			}
		case strings.HasPrefix(line, "#"):
			lines = append(lines, p.coloured(bold, line)...)
		default:
			lines = append(lines, wrapLine(line, min(p.width, widestProse))...)
		}
		code = code != fence
	}
	return lines
}

// toolUse is a tool that the agent uses, or used.
type toolUse struct {
	id, name, what string
	begun          time.Time
	took           time.Duration
	ended, failed  bool
	said           string // why it failed
}

func newToolUse(e event.Event, at time.Time, roots []string) *toolUse {
	return &toolUse{id: e.ID, name: firstLine(e.Name), what: toolSummary(e, roots), begun: at}
}

// end notes the result.
func (t *toolUse) end(e event.Event, at time.Time) {
	t.ended, t.failed, t.took = true, e.IsError, max(0, at.Sub(t.begun))
	if t.failed {
		t.said = cmp.Or(firstLine(e.Content), "it says nothing")
	}
}

// endOf finds the tool that a result belongs to: by its id, else the oldest.
func endOf(open []*toolUse, id string) *toolUse {
	for _, t := range open {
		if !t.ended && (t.id == id || id == "" || t.id == "") {
			return t
		}
	}
	return nil
}

// tool is a tool with the mark of its success; why it failed stands below.
func (p page) tool(t *toolUse) []string {
	mark, colour := "✓", green
	switch {
	case !t.ended:
		mark, colour = "…", cyan
	case t.failed:
		mark, colour = "✗", red
	}
	took := ""
	if t.took >= time.Second {
		took = "  " + t.took.Round(time.Second).String()
	}
	what := strings.TrimSpace(t.name + " " + t.what)
	what = ansi.Truncate(what, max(1, p.width-4-len(took)), "…")
	lines := []string{"  " + p.paint(colour, mark) + " " + p.paint(dim, what+took)}
	if t.said != "" {
		lines = append(lines, p.paint(red, ansi.Truncate("    "+t.said, p.width, "…")))
	}
	return lines
}

// aside is what is said beside the agent's words: a limit, a refusal, an end.
func (p page) aside(colour, mark, text string) (lines []string) {
	for i, l := range wrapLine(strings.ReplaceAll(harmless(text), "\n", " "), min(p.width, widestProse)-4) {
		if i > 0 {
			mark = " "
		}
		lines = append(lines, "  "+p.paint(colour, mark+" "+l))
	}
	return lines
}

// beside is an event that is neither words nor a tool, nil for those that nobody
// has to see.
func (p page) beside(e event.Event) []string {
	switch e.Type {
	case event.RateLimited:
		return p.aside(magenta, "◷", "limited by the provider: "+firstLine(e.Message))
	case event.PermissionDenied:
		return p.aside(red, "⊘", strings.TrimSpace("refused: "+firstLine(e.Name)+" "+firstLine(e.Detail)))
	case event.Error:
		if e.Fatal { // the turn ends with it, and says so
			return nil
		}
		return p.aside(red, "!", firstLine(e.Message))
	}
	return nil
}

func without(list []*toolUse, t *toolUse) (rest []*toolUse) {
	for _, o := range list {
		if o != t {
			rest = append(rest, o)
		}
	}
	return rest
}
