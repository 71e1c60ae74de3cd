package htmlpage

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"example.org/ripple/cmd/ripple/internal/ui"
	"example.org/ripple/runtime/event"
	"example.org/ripple/runtime/loop"
	"example.org/ripple/runtime/loop/record"
)

// card returns the markup of a turn; a short one leaves out its messages and tools.
func (t *turn) card(short bool) string {
	var m markup
	m.Open("article", "id", "turn-"+strconv.Itoa(t.Turn), "class", t.outcome(), "tabindex", "-1")
	t.heading(&m)
	if short {
		m.Element("p", ui.Count(len(t.events), "event")+" left out, so that the page stays small", "class", "aside")
	} else {
		for _, h := range t.events {
			h.write(&m)
		}
	}
	t.result(&m)
	m.Close("article")
	return m.String()
}

// outcome is the class that says how the turn went.
func (t *turn) outcome() string {
	switch e := t.ended; {
	case e == nil:
		return "open"
	case e.Failure != nil:
		return "failed"
	case e.Progress != nil && *e.Progress:
		return "went"
	}
	return "idle"
}

func (t *turn) heading(m *markup) {
	name := "turn " + strconv.Itoa(t.Turn)
	if t.MaxTurns > 0 {
		name += "/" + strconv.Itoa(t.MaxTurns)
	}
	m.Open("h2")
	m.Text(name)
	for _, part := range []string{t.Hat, t.Subject, t.Agent, t.Branch, span(t.took), dollars(t.cost), tokens(t.used), t.diff()} {
		if part != "" {
			m.WriteString(" ")
			m.Element("span", part)
		}
	}
	m.Close("h2")
	if t.Task != "" {
		m.Element("p", "next: "+t.Task, "class", "task")
	}
}

// diff is how much was written in the turn, as far as its tools say it.
func (t *turn) diff() string {
	if t.added+t.gone == 0 {
		return ""
	}
	return fmt.Sprintf("+%d −%d", t.added, t.gone)
}

func (h *happened) write(m *markup) {
	if h.line != nil {
		after(m, *h.line)
		return
	}
	switch h.Type {
	case event.Text:
		sayAll(m, h.Text)
	case event.Reasoning:
		fold(m, "reason", "thought", "", h.Text)
	case event.ToolUse:
		h.tool(m)
	case event.RateLimited:
		m.Element("p", "◷ the provider reports a limit: "+h.Message, "class", "aside warn")
	case event.PermissionDenied:
		m.Element("p", strings.TrimSpace("⊘ refused: "+h.Name+" "+h.Detail), "class", "aside bad")
	case event.Error:
		m.Element("p", "! "+h.Message, "class", "aside bad")
	}
}

func (h *happened) tool(m *markup) {
	mark, class, content := "…", "tool", ""
	if h.result != nil {
		mark, content = "✓", h.result.Content
		if h.result.IsError {
			mark, class = "✗", "tool bad"
		}
	}
	_, subject := ui.ToolSubject(h.Event)
	title := strings.TrimSpace(mark + " " + h.Name + " " + firstLine(subject))
	if first := resultLine(content); first != "" {
		title += " → " + first
	}
	fold(m, class, title, span(h.took), content)
}

// resultLine is the first line of what a tool returned, as far as it stands beside its name.
func resultLine(content string) string {
	const most = 80 // characters
	line, _, _ := strings.Cut(strings.TrimSpace(content), "\n")
	line = strings.TrimSpace(line)
	if letters := []rune(line); len(letters) > most {
		line = string(letters[:most-1]) + "…"
	}
	return line
}

// say writes the agent's text; code between fences keeps its lines.
func say(m *markup, text string) {
	var said []string
	tag := "div"
	end := func() {
		if block := strings.Trim(strings.Join(said, "\n"), "\n"); block != "" {
			m.Element(tag, block, "class", "say")
		}
		said = nil
	}
	for line := range strings.Lines(text) {
		if !strings.HasPrefix(strings.TrimSpace(line), "```") {
			said = append(said, strings.TrimRight(line, "\r\n"))
			continue
		}
		end()
		if tag == "div" {
			tag = "pre"
		} else {
			tag = "div"
		}
	}
	end()
}

// fold writes a line with a duration, which expands to show the content, if there is any.
func fold(m *markup, class, title, took, content string) {
	line, more := "p", strings.TrimSpace(content) != ""
	if more {
		m.Open("details", "class", class)
		line, class = "summary", ""
	}
	m.Open(line, "class", class)
	m.Text(title)
	if took != "" {
		m.WriteString(" ")
		m.Element("span", took)
	}
	m.Close(line)
	if more {
		m.Element("pre", content)
		m.Close("details")
	}
}

// result writes how the turn ended.
func (t *turn) result(m *markup) {
	if e := t.ended; e != nil {
		switch {
		case e.Failure != nil:
			m.Element("p", "✗ failed: "+e.Failure.Error(), "class", "aside bad")
		case e.Progress != nil && *e.Progress:
			m.Element("p", "✓ made progress", "class", "aside good")
		default:
			m.Element("p", "· no progress", "class", "aside")
		}
		if len(e.Changed) > 0 {
			fold(m, "files", ui.Count(len(e.Changed), "file")+" changed", "", strings.Join(e.Changed, "\n"))
		}
	}
	for _, line := range t.after {
		after(m, line)
	}
}

// asked is a question of the agent, or the answer to it.
func asked(m *markup, line record.Line) {
	q := line.Question
	switch {
	case q == nil:
	case q.Given == nil:
		m.Element("p", "? it asks: "+loop.FormatQuestion(*q), "class", "aside warn")
	default:
		answer := q.Given.Option
		if o, found := q.Option(q.Given.Option); found {
			answer = cmp.Or(o.Name, o.ID)
		}
		from := ""
		if q.Given.From != nil {
			from = " (" + q.Given.From.String() + ")"
		}
		m.Element("p", strings.TrimSpace("→ "+cmp.Or(q.Given.By, "a user")+" answers: "+answer+" "+q.Given.Text+from), "class", "aside")
	}
}

func after(m *markup, line record.Line) {
	switch line.Type {
	case record.Verified:
		for _, v := range line.Verdicts {
			if v.OK {
				fold(m, "verify good", "✓ "+v.Command, "", v.Tail)
			} else {
				fold(m, "verify bad", "✗ "+v.Command+": "+cmp.Or(v.Why, "failed"), "", v.Tail)
			}
		}
	case record.Committed:
		m.Element("p", strings.TrimSpace("✓ committed "+line.SHA[:min(10, len(line.SHA))]+" "+line.Tag), "class", "aside good")
	case record.CommitRefused:
		m.Element("p", "✗ not committed: "+line.Why, "class", "aside bad")
	case record.Asked, record.Answered, record.Decided:
		asked(m, line)
	case record.Guided:
		if line.Guide != nil {
			fold(m, "aside", "→ message for the next turn:", "", line.Guide.Text)
		}
	case record.LeftOut, record.BoxDenied:
		m.Element("p", "! "+line.Why, "class", "aside warn")
	case record.Reset:
		m.Element("p", "! "+line.What+" reset", "class", "aside warn")
	}
}
