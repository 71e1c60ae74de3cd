package ui

import (
	"fmt"
	"strings"
)

// Sheet prints labelled values and leaves out empty ones.
type Sheet struct{ a *App }

// NewSheet is one on standard output.
func (a *App) NewSheet() Sheet { return Sheet{a} }

// Title begins a section.
func (s Sheet) Title(text string) { s.a.Printf("\n%s\n", text) }

// Row is one value, under its label.
func (s Sheet) Row(label string, value any) {
	text := Harmless(fmt.Sprint(value))
	if text == "" {
		return
	}
	s.a.Printf("  %-20s %s\n", label, strings.ReplaceAll(strings.TrimRight(text, "\n"), "\n", "\n"+strings.Repeat(" ", 23)))
}

// Item is one word of a list.
func (s Sheet) Item(text string) { s.a.Printf("  %s\n", text) }
