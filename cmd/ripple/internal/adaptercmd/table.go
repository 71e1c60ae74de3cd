package adaptercmd

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"example.org/ripple/cmd/ripple/internal/ui"
)

// table is a header and rows of the same number of cells.
type table struct {
	head []string
	rows [][]string
}

func (a *app) printTable(t table) error {
	return a.PrintTable(func(w io.Writer) {
		for _, row := range append([][]string{t.head}, t.rows...) {
			for i, cell := range row {
				row[i] = ui.Harmless(cell)
			}
			fmt.Fprintln(w, strings.Join(row, "\t"))
		}
	})
}

// markdown returns the table in Markdown.
func (t table) markdown() string {
	var b strings.Builder
	line := func(cells []string) {
		for i, cell := range cells {
			cells[i] = strings.ReplaceAll(ui.Harmless(cell), "|", "\\|")
		}
		b.WriteString("| " + strings.Join(cells, " | ") + " |\n")
	}
	head, rule := make([]string, len(t.head)), make([]string, len(t.head))
	for i, cell := range t.head {
		head[i], rule[i] = strings.ToLower(cell), "---"
	}
	line(head)
	line(rule)
	for _, row := range t.rows {
		line(row)
	}
	return b.String()
}

// Lines of a document that enclose a table.
const (
	tableBegin = "<!-- ripple agent matrix -->\n"
	tableEnd   = "<!-- end -->\n"
)

// write replaces the table in a document.
func (t table) write(path string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return ui.FailWith(ui.ExitUsage, err, "")
	}
	before, rest, begun := bytes.Cut(text, []byte(tableBegin))
	_, after, ended := bytes.Cut(rest, []byte(tableEnd))
	if !begun || !ended {
		return ui.FailWith(ui.ExitUsage, errors.New(path+" has no place for the table"),
			"it belongs between these two lines:\n"+ui.Indent(strings.TrimSpace(tableBegin+tableEnd)))
	}
	text = fmt.Appendf(nil, "%s%s%s%s%s", before, tableBegin, t.markdown(), tableEnd, after)
	return ui.ReplaceFile(path, text)
}
