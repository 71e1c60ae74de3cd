package adaptercmd

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strings"
	"text/tabwriter"

	"ripple/cmd/ripple/internal/ui"
)

// table is a head and rows of as many cells.
type table struct {
	head []string
	rows [][]string
}

func (a *app) printTable(t table) error {
	w := tabwriter.NewWriter(a.Out, 0, 0, 2, ' ', 0)
	for _, row := range append([][]string{t.head}, t.rows...) {
		for i, cell := range row {
			row[i] = ui.Harmless(cell)
		}
		fmt.Fprintln(w, strings.Join(row, "\t"))
	}
	return w.Flush()
}

// markdown is the table as a document has it.
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

// The lines of a document between which a table stands.
const (
	tableBegin = "<!-- ripple agent matrix -->\n"
	tableEnd   = "<!-- end -->\n"
)

// write puts the table in its place in a document.
func (t table) write(path string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return ui.FailWith(ui.ExitUsage, err, "")
	}
	before, rest, begun := bytes.Cut(text, []byte(tableBegin))
	_, after, ended := bytes.Cut(rest, []byte(tableEnd))
	if !begun || !ended {
		return ui.FailWith(ui.ExitUsage, errors.New(path+" has no place for the table"),
			"it stands between these two lines:\n"+ui.Indent(strings.TrimSpace(tableBegin+tableEnd)))
	}
	text = fmt.Appendf(nil, "%s%s%s%s%s", before, tableBegin, t.markdown(), tableEnd, after)
	return ui.ReplaceFile(path, text)
}
