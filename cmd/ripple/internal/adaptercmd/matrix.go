package adaptercmd

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"example.org/ripple/cmd/ripple/internal/ui"
	"example.org/ripple/runtime/contract"
)

func newAdapterMatrix(a *app) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "matrix [NAME=]REPORT...",
		Short: "Compare test results of adapters in several reports",
		Long: `Show a table of the JSON reports of "ripple adapter test": a row for each adapter, and a
column for each report, such as those of several machines, images, or versions of a program. A
column is named NAME, or after its file. A cell contains the program's version, and either the
adapter's level and its number of passed tests or, if any failed, the number of failed tests.`,
		Example: "  ripple adapter matrix bookworm=a.json trixie=b.json",
		Args:    someReports,
		RunE: func(_ *cobra.Command, args []string) error {
			files, err := readReports(args, a.In)
			if err != nil {
				return err
			}
			if asJSON {
				return a.PrintJSON(matrixOf(files))
			}
			return a.printTable(matrixTable(files))
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON: {adapter: {column: [cell...]}}")
	return cmd
}

// cell is the result of an adapter in one report.
type cell struct {
	Version string `json:"version,omitempty"`
	Level   int    `json:"level"`
	Passed  int    `json:"passed"`
	Failed  int    `json:"failed"`
	Skipped string `json:"skipped,omitempty"` // reason why nothing was run

	ungraded bool
}

func cellOf(r *contract.Report) cell {
	return cell{
		r.InterpreterVersion, r.Level, r.Count(contract.Passed), r.Count(contract.Failed) + r.Count(contract.Errored), r.Skipped,
		strings.HasPrefix(r.LevelNote, "no level"),
	}
}

func (c cell) String() string {
	switch text := c.Version + " "; {
	case c.Skipped != "":
		return "skipped"
	case c.Failed > 0:
		return strings.TrimSpace(text + fmt.Sprintf("%d FAILED", c.Failed))
	case c.ungraded:
		return strings.TrimSpace(text + fmt.Sprintf("%d passed", c.Passed))
	default:
		return strings.TrimSpace(text + fmt.Sprintf("level %d, %d passed", c.Level, c.Passed))
	}
}

// matrixOf returns the cells for each adapter and report: several if one run tested several
// versions.
func matrixOf(files []reportFile) map[string]map[string][]cell {
	m := map[string]map[string][]cell{}
	for _, f := range files {
		for _, r := range f.reports {
			if m[r.Adapter] == nil {
				m[r.Adapter] = map[string][]cell{}
			}
			m[r.Adapter][f.name] = append(m[r.Adapter][f.name], cellOf(r))
		}
	}
	return m
}

// matrixTable returns a table with a row for each adapter and a column for each report.
func matrixTable(files []reportFile) table {
	t := table{head: []string{"ADAPTER"}}
	for _, f := range files {
		t.head = append(t.head, f.name)
	}
	m := matrixOf(files)
	for _, adapter := range ui.SortedKeys(m) {
		row := []string{adapter}
		for _, f := range files {
			var words []string
			for _, c := range m[adapter][f.name] {
				words = append(words, c.String())
			}
			row = append(row, cmp.Or(strings.Join(words, ", "), "-"))
		}
		t.rows = append(t.rows, row)
	}
	return t
}
