package looppage

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"ripple/runtime/event"
	"ripple/runtime/loop"
	"ripple/runtime/loop/record"
)

// card is a turn; a short one leaves out what was said and done in it.
func (t *turn) card(short bool) string {
	var m markup
	m.open("article", "id", "turn-"+strconv.Itoa(t.Turn), "class", t.outcome(), "tabindex", "-1")
	t.heading(&m)
	if short {
		m.element("p", count(len(t.events), "event")+" left out, so that the page stays small", "class", "aside")
	} else {
		for _, h := range t.events {
			h.write(&m)
		}
	}
	t.result(&m)
	m.close("article")
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
	m.open("h2")
	m.text(name)
	for _, part := range []string{t.Hat, t.Subject, t.Agent, t.Branch, span(t.took), dollars(t.cost), tokens(t.used), t.diff()} {
		if part != "" {
			m.WriteString(" ")
			m.element("span", part)
		}
	}
	m.close("h2")
	if t.Task != "" {
		m.element("p", "next: "+t.Task, "class", "task")
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
		say(m, h.Text)
	case event.Reasoning:
		fold(m, "reason", "thought", "", h.Text)
	case event.ToolUse:
		h.tool(m)
	case event.RateLimited:
		m.element("p", "◷ limited by the provider: "+h.Message, "class", "aside warn")
	case event.PermissionDenied:
		m.element("p", strings.TrimSpace("⊘ refused: "+h.Name+" "+h.Detail), "class", "aside bad")
	case event.Error:
		m.element("p", "! "+h.Message, "class", "aside bad")
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
	fold(m, class, strings.TrimSpace(mark+" "+h.Name+" "+subject(h.Event)), span(h.took), content)
}

// say is what the agent says; code between fences keeps its lines.
func say(m *markup, text string) {
	var said []string
	tag := "div"
	end := func() {
		if block := strings.Trim(strings.Join(said, "\n"), "\n"); block != "" {
			m.element(tag, block, "class", "say")
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

// fold is a line, with how long it took, and more behind it if there is more.
func fold(m *markup, class, title, took, content string) {
	line, more := "p", strings.TrimSpace(content) != ""
	if more {
		m.open("details", "class", class)
		line, class = "summary", ""
	}
	m.open(line, "class", class)
	m.text(title)
	if took != "" {
		m.WriteString(" ")
		m.element("span", took)
	}
	m.close(line)
	if more {
		m.element("pre", content)
		m.close("details")
	}
}

// result is what became of the turn.
func (t *turn) result(m *markup) {
	if e := t.ended; e != nil {
		switch {
		case e.Failure != nil:
			m.element("p", "✗ failed: "+e.Failure.Error(), "class", "aside bad")
		case e.Progress != nil && *e.Progress:
			m.element("p", "✓ made progress", "class", "aside good")
		default:
			m.element("p", "· no progress", "class", "aside")
		}
		if len(e.Changed) > 0 {
			fold(m, "files", count(len(e.Changed), "file")+" changed", "", strings.Join(e.Changed, "\n"))
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
		m.element("p", "? it asks: "+loop.Words(*q), "class", "aside warn")
	default:
		answer := q.Given.Option
		if o, found := q.Option(q.Given.Option); found {
			answer = cmp.Or(o.Name, o.ID)
		}
		m.element("p", strings.TrimSpace("→ "+cmp.Or(q.Given.By, "a person")+" answers: "+answer+" "+q.Given.Text), "class", "aside")
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
		m.element("p", strings.TrimSpace("✓ committed "+line.SHA[:min(10, len(line.SHA))]+" "+line.Tag), "class", "aside good")
	case record.CommitRefused:
		m.element("p", "✗ not committed: "+line.Why, "class", "aside bad")
	case record.Asked, record.Answered, record.Decided:
		asked(m, line)
	case record.Guided:
		if line.Guide != nil {
			fold(m, "aside", "→ the next turn is told:", "", line.Guide.Text)
		}
	case record.Reset:
		m.element("p", "! "+line.What+" reset", "class", "aside warn")
	}
}
