package screen

import (
	"bytes"

	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/vt"
)

// grid is the visible text, without blank lines at its end.
func grid(em *vt.Emulator) []byte {
	var out []byte
	for y := range em.Height() {
		out = append(out, row(em.Width(), func(x int) (string, int) { return cell(em.CellAt(x, y)) })...)
		out = append(out, '\n')
	}
	return bytes.TrimRight(out, "\n")
}

// row is one line without trailing blanks.
func row(cols int, at func(x int) (text string, width int)) []byte {
	var out []byte
	for x := 0; x < cols; {
		text, width := at(x)
		out = append(out, text...)
		x += max(width, 1)
	}
	return bytes.TrimRight(out, " ")
}

// cell is a cell's text and width; one that was never written is a blank.
func cell(c *uv.Cell) (text string, width int) {
	if c == nil || c.Content == "" {
		return " ", 1
	}
	return c.Content, c.Width
}
