package looppage

import (
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"io"
	"strings"

	"ripple/runtime/loop/record"
)

// Ours is all that runs and all that styles: their hashes are what the page allows.
var (
	//go:embed page.css
	style string
	//go:embed page.js
	script string
)

// maxBytes is how large a page may become; older turns are told shorter for it.
const maxBytes = 4_500_000

// Write makes the page of a run.
func (r *Run) Write(w io.Writer) error {
	var m markup
	m.WriteString("<!doctype html>\n")
	m.open("html", "lang", "en")
	r.head(&m)
	m.open("body")
	m.open("main")
	r.overview(&m)
	r.cards(&m)
	m.close("main")
	m.WriteString("<script>" + script + "</script>\n")
	m.close("body")
	m.close("html")
	_, err := io.WriteString(w, m.String())
	return err
}

func (r *Run) head(m *markup) {
	m.open("head")
	m.open("meta", "charset", "utf-8")
	m.open("meta", "http-equiv", "Content-Security-Policy", "content",
		"default-src 'none'; style-src "+hash(style)+"; script-src "+hash(script)+"; base-uri 'none'; form-action 'none'")
	m.open("meta", "name", "viewport", "content", "width=device-width, initial-scale=1")
	m.open("meta", "name", "color-scheme", "content", "light dark")
	m.element("title", r.title())
	m.WriteString("<style>" + style + "</style>\n")
	m.close("head")
}

// hash allows one inline text (https://www.w3.org/TR/CSP3/#grammardef-hash-source).
func hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

func (r *Run) title() string {
	text := "A loop of " + count(len(r.turns), "turn")
	if r.stopped != nil {
		text += ", stopped: " + r.stopped.Reason
	}
	return text
}

func (r *Run) overview(m *markup) {
	m.open("header")
	m.element("h1", r.title())
	if r.stopped != nil {
		m.element("p", r.stopped.Why, "class", "why")
	}
	m.open("dl")
	for _, fact := range [][2]string{
		{"began", when(r.began)},
		{"took", span(r.ended.Sub(r.began))},
		{"cost", dollars(r.cost)},
		{"tokens", tokens(r.used)},
		{"turns", fmt.Sprint(len(r.turns))},
	} {
		if fact[1] != "" {
			m.element("dt", fact[0])
			m.element("dd", fact[1])
		}
	}
	m.close("dl")
	r.chart(m)
	plan(m, r.Plan)
	m.element("p", "j and k go from turn to turn, o opens what is folded.", "class", "keys")
	m.close("header")
}

// plan shows the boxes as they are now.
func plan(m *markup, tasks record.Tasks) {
	if len(tasks) == 0 {
		return
	}
	c := tasks.Count()
	m.open("details", "class", "plan")
	m.element("summary", fmt.Sprintf("plan: %d of %d done", c.Ticked, len(tasks)))
	m.open("ul")
	for _, t := range tasks {
		mark := "☐ "
		if t.Done {
			mark = "☑ "
		}
		m.element("li", mark+t.Text)
	}
	m.close("ul")
	m.close("details")
}

// cards are the turns. Where they would be too many bytes, what was said in the oldest
// ones is left out, which their cards say, and then these cards themselves.
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
	if first > 0 {
		m.element("p", count(first, "turn")+" before these are left out, so that the page stays small", "class", "aside")
	}
	m.WriteString(strings.Join(rendered, ""))
}
