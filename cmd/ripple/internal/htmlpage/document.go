// Package htmlpage writes HTML pages of one file each: one plays a recording, which can also be an
// animated picture (SVG), one shows a loop's turns as cards, with a chart of their costs. They need no
// network, run only their own script, and show what agents and programs have printed as text and never
// as markup.
package htmlpage

import (
	"crypto/sha256"
	"encoding/base64"
	"html"
	"io"
	"strings"

	"example.org/ripple/runtime/event"
)

// document is a page before its body is known.
type document struct {
	Title         string
	Style, Script string // ours: their hashes are what the page allows
}

// Write writes the page; body writes what is inside of its body.
func (p document) Write(w io.Writer, body func(*markup)) error {
	var m markup
	m.WriteString("<!doctype html>\n")
	m.Open("html", "lang", "en")
	p.head(&m)
	m.Open("body")
	body(&m)
	m.WriteString("<script>" + p.Script + "</script>\n")
	m.Close("body")
	m.Close("html")
	_, err := io.WriteString(w, m.String())
	return err
}

func (p document) head(m *markup) {
	m.Open("head")
	m.Open("meta", "charset", "utf-8")
	m.Open("meta", "http-equiv", "Content-Security-Policy", "content",
		"default-src 'none'; style-src "+hashSource(p.Style)+"; script-src "+hashSource(p.Script)+"; base-uri 'none'; form-action 'none'")
	m.Open("meta", "name", "viewport", "content", "width=device-width, initial-scale=1")
	m.Open("meta", "name", "color-scheme", "content", "light dark")
	m.Element("title", p.Title)
	m.WriteString("<style>" + p.Style + "</style>\n")
	m.Close("head")
}

// hashSource allows one inline text (https://www.w3.org/TR/CSP3/#grammardef-hash-source).
func hashSource(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

// markup writes HTML or SVG. Tags and names of attributes are ours; every text and every
// value is escaped, and rid of what would move a terminal's cursor or turn letters round.
type markup struct{ strings.Builder }

// Open begins an element; attributes are names and values in turn. A class that is empty
// is left out.
func (m *markup) Open(tag string, attributes ...string) {
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

// Text writes text.
func (m *markup) Text(s string) { m.WriteString(html.EscapeString(event.Printable(s))) }

// Close ends an element.
func (m *markup) Close(tag string) { m.WriteString("</" + tag + ">\n") }

// Element writes one that holds only text.
func (m *markup) Element(tag, text string, attributes ...string) {
	m.Open(tag, attributes...)
	m.Text(text)
	m.Close(tag)
}
