// Package onepage writes HTML pages of one file each: they need no network, run only their
// own script, and show all output as text and never as markup.
package onepage

import (
	"crypto/sha256"
	"encoding/base64"
	"html"
	"io"
	"strings"

	"example.com/ripple/runtime/event"
)

// Page is a page before its body is known.
type Page struct {
	Title         string
	Style, Script string // ours: their hashes are what the page allows
}

// Write writes the page; body writes what is inside of its body.
func (p Page) Write(w io.Writer, body func(*Markup)) error {
	var m Markup
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

func (p Page) head(m *Markup) {
	m.Open("head")
	m.Open("meta", "charset", "utf-8")
	m.Open("meta", "http-equiv", "Content-Security-Policy", "content",
		"default-src 'none'; style-src "+Hash(p.Style)+"; script-src "+Hash(p.Script)+"; base-uri 'none'; form-action 'none'")
	m.Open("meta", "name", "viewport", "content", "width=device-width, initial-scale=1")
	m.Open("meta", "name", "color-scheme", "content", "light dark")
	m.Element("title", p.Title)
	m.WriteString("<style>" + p.Style + "</style>\n")
	m.Close("head")
}

// Hash allows one inline text (https://www.w3.org/TR/CSP3/#grammardef-hash-source).
func Hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

// Markup writes HTML or SVG. Tags and names of attributes are ours; every text and every
// value is escaped, and rid of what would move a terminal's cursor or turn letters round.
type Markup struct{ strings.Builder }

// Open begins an element; attributes are names and values in turn. A class that is empty
// is left out.
func (m *Markup) Open(tag string, attributes ...string) {
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
func (m *Markup) Text(s string) { m.WriteString(html.EscapeString(event.Printable(s))) }

// Close ends an element.
func (m *Markup) Close(tag string) { m.WriteString("</" + tag + ">\n") }

// Element writes one that holds only text.
func (m *Markup) Element(tag, text string, attributes ...string) {
	m.Open(tag, attributes...)
	m.Text(text)
	m.Close(tag)
}
