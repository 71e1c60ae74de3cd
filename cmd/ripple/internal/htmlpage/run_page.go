package htmlpage

import (
	_ "embed"
	"fmt"
	"io"
	"strings"

	"example.org/ripple/cmd/ripple/internal/ui"
	"example.org/ripple/runtime/loop/record"
)

// Ours is all that runs and all that styles: their hashes are what the page allows.
var (
	//go:embed run.css
	runStyle string
	//go:embed run.js
	runScript string
)

// maxBytes is the maximum size of a page; older turns are shortened to keep to it.
const maxBytes = 4_500_000

// Write makes the page of a run.
func (r *Run) Write(w io.Writer) error {
	return document{Title: r.title(), Style: runStyle, Script: runScript}.Write(w, func(m *markup) {
		m.Open("main")
		r.overview(m)
		r.cards(m)
		m.Close("main")
	})
}

func (r *Run) title() string {
	text := "A loop of " + ui.Count(len(r.measures), "turn")
	if r.stopped != nil {
		text += ", stopped: " + r.stopped.Reason
	}
	return text
}

func (r *Run) overview(m *markup) {
	m.Open("header")
	m.Element("h1", r.title())
	if r.stopped != nil {
		m.Element("p", r.stopped.Why, "class", "why")
	}
	m.Open("dl")
	for _, fact := range [][2]string{
		{"began", when(r.began)},
		{"took", span(r.ended.Sub(r.began))},
		{"cost", dollars(r.cost)},
		{"tokens", tokens(r.used)},
		{"turns", fmt.Sprint(len(r.measures))},
	} {
		if fact[1] != "" {
			m.Element("dt", fact[0])
			m.Element("dd", fact[1])
		}
	}
	m.Close("dl")
	r.chart(m)
	plan(m, r.Plan)
	m.Element("p", "j and k move between the turns; o opens folded parts.", "class", "keys")
	m.Close("header")
}

// plan shows the boxes as they are now.
func plan(m *markup, tasks record.Tasks) {
	if len(tasks) == 0 {
		return
	}
	c := tasks.Count()
	m.Open("details", "class", "plan")
	m.Element("summary", fmt.Sprintf("plan: %d of %d done", c.Ticked, len(tasks)))
	m.Open("ul")
	for _, t := range tasks {
		mark := "☐ "
		if t.Done {
			mark = "☑ "
		}
		m.Element("li", mark+t.Text)
	}
	m.Close("ul")
	m.Close("details")
}

// cards writes the cards of the turns. If they would be too large, the messages and tools of the
// oldest turns are left out, which their cards say, and then these cards themselves.
func (r *Run) cards(m *markup) {
	rendered := make([]string, len(r.turns))
	room, first, short := maxBytes-m.Len(), 0, false
	for i := len(r.turns) - 1; i >= 0 && first == 0; i-- {
		rendered[i] = r.turns[i].card(short)
		if !short && len(rendered[i]) > room/2 { // the other half is for the cards before it
			short = true
			rendered[i] = r.turns[i].card(short)
		}
		if room -= len(rendered[i]); room < 0 {
			rendered[i], first = "", i+1
		}
	}
	if first += len(r.measures) - len(r.turns); first > 0 {
		m.Element("p", ui.Count(first, "turn")+" before these are left out, so that the page stays small", "class", "aside")
	}
	m.WriteString(strings.Join(rendered, ""))
}
