package looppage

import (
	"html"
	"strings"

	"ripple/runtime/event"
)

// markup writes HTML. Tags and names of attributes are ours; every text and every value
// is escaped, and rid of what would move a terminal's cursor or turn letters round.
type markup struct{ strings.Builder }

// open begins an element; attributes are names and values in turn.
func (m *markup) open(tag string, attributes ...string) {
	m.WriteString("<" + tag)
	for i := 0; i+1 < len(attributes); i += 2 {
		if attributes[i] == "class" && attributes[i+1] == "" {
			continue
		}
		m.WriteString(" " + attributes[i])
		if value := attributes[i+1]; value != "" {
			m.WriteString(`="` + html.EscapeString(event.Printable(value)) + `"`)
		}
	}
	m.WriteString(">")
}

func (m *markup) text(s string) { m.WriteString(html.EscapeString(event.Printable(s))) }

func (m *markup) close(tag string) { m.WriteString("</" + tag + ">\n") }

// element is a whole one that holds only text.
func (m *markup) element(tag, text string, attributes ...string) {
	m.open(tag, attributes...)
	m.text(text)
	m.close(tag)
}
