package ui

import (
	"fmt"
	"strings"
)

// Sheet prints labeled values and omits empty ones.
type Sheet struct{ a *App }

// NewSheet returns a sheet that prints on standard output.
func (a *App) NewSheet() Sheet { return Sheet{a} }

// Title starts a section.
func (s Sheet) Title(text string) { s.a.Printf("\n%s\n", Harmless(text)) }

// Row prints a value with its label.
func (s Sheet) Row(label string, value any) {
	text := Harmless(fmt.Sprint(value))
	if text == "" {
		return
	}
	s.a.Printf("  %-20s %s\n", Harmless(label), strings.ReplaceAll(strings.TrimRight(text, "\n"), "\n", "\n"+strings.Repeat(" ", 23)))
}

// Item prints an item of a list.
func (s Sheet) Item(text string) { s.a.Printf("  %s\n", Harmless(text)) }

// Text prints lines without labels.
func (s Sheet) Text(text string) { s.a.Printf("%s\n", Harmless(text)) }
