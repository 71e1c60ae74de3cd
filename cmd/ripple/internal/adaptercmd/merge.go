package adaptercmd

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"ripple/cmd/ripple/internal/ui"
	"ripple/runtime/contract"
)

func newAdapterMerge(a *app) *cobra.Command {
	f := testFlags{}
	cmd := &cobra.Command{
		Use:   "merge REPORT...",
		Short: "Make one report of several",
		Long: `Make one report of the JSON reports of several runs of "ripple adapter test", such as
those of its shards, in any of its formats. The exit code is that of a run that had
tested all of it.`,
		Example: "  ripple adapter merge shard-*.json --report junit > report.xml",
		Args:    someReports,
		RunE: func(_ *cobra.Command, args []string) error {
			report, err := a.newReporter(f)
			if err != nil {
				return err
			}
			files, err := readReports(args, a.In)
			if err != nil {
				return err
			}
			var all []*contract.Report
			for _, file := range files {
				all = append(all, file.reports...)
			}
			slices.SortStableFunc(all, func(x, y *contract.Report) int { return strings.Compare(x.Adapter, y.Adapter) })
			for range all {
				report.early(all)
			}
			if err := report.finish(all); err != nil && a.OutError() == nil {
				return ui.FailWith(ui.ExitFailed, err, "")
			}
			f.options.Require = slices.ContainsFunc(all, func(r *contract.Report) bool { return r.Skipped != "" && r.Required })
			return f.verdict(all)
		},
	}
	cmd.Flags().StringVar(&f.report, "report", "json", "`FORMAT` of the report: text, json, junit, tap, or github")
	cmd.Flags().BoolVarP(&f.verbose, "verbose", "v", false, "show the tests that passed or did not start, too")
	ui.Choices(cmd, "report", reportFormats...)
	return cmd
}

func newAdapterMatrix(a *app) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "matrix [NAME=]REPORT...",
		Short: "Show how adapters fare where they were tested",
		Long: `Show a table of the JSON reports of "ripple adapter test": a row for each adapter, and a
column for each report, which is one machine, image or version of a program. A column is
called NAME, or as its file. What stands in it is the version of the program with the
level that the adapter has reached, or with the number of tests that failed.`,
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
			return a.printMatrix(files)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print a JSON object: adapter, column, cells")
	return cmd
}

func someReports(_ *cobra.Command, args []string) error {
	if len(args) == 0 {
		return ui.UsageError("ripple adapter test --report json > report.json writes one; - is standard input", "which reports?")
	}
	return nil
}

// reportFile are the reports of one run.
type reportFile struct {
	name    string
	reports []*contract.Report
}

func readReports(args []string, stdin io.Reader) ([]reportFile, error) {
	var files []reportFile
	for _, arg := range args {
		name, path, named := strings.Cut(arg, "=")
		if _, err := os.Stat(arg); !named || err == nil {
			path = arg
			name = strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
		}
		reports, err := readReport(path, stdin)
		if err != nil {
			return nil, ui.FailWith(ui.ExitUsage, fmt.Errorf("%s: %w", path, err), "ripple adapter test --report json writes one")
		}
		if slices.ContainsFunc(files, func(f reportFile) bool { return f.name == name }) {
			name = arg
		}
		files = append(files, reportFile{name, reports})
	}
	return files, nil
}

func readReport(path string, stdin io.Reader) ([]*contract.Report, error) {
	if path == "-" {
		return contract.ReadJSON(stdin)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, errors.Unwrap(err) // the path is said
	}
	defer f.Close() // only read from
	return contract.ReadJSON(f)
}

// cell is how an adapter fared in one report.
type cell struct {
	Version string `json:"version,omitempty"`
	Level   int    `json:"level"`
	Passed  int    `json:"passed"`
	Failed  int    `json:"failed"`
	Skipped string `json:"skipped,omitempty"` // why nothing was run

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
		return strings.TrimSpace(text + fmt.Sprintf("level %d", c.Level))
	}
}

// matrixOf has a list of cells for each adapter and report: several where one run
// tested several versions.
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

func (a *app) printMatrix(files []reportFile) error {
	w := tabwriter.NewWriter(a.Out, 0, 0, 2, ' ', 0)
	fmt.Fprint(w, "ADAPTER")
	for _, f := range files {
		fmt.Fprintf(w, "\t%s", ui.Harmless(f.name))
	}
	fmt.Fprintln(w)
	m := matrixOf(files)
	for _, adapter := range ui.SortedKeys(m) {
		fmt.Fprint(w, ui.Harmless(adapter))
		for _, f := range files {
			var words []string
			for _, c := range m[adapter][f.name] {
				words = append(words, c.String())
			}
			fmt.Fprintf(w, "\t%s", ui.Harmless(cmp.Or(strings.Join(words, ", "), "-")))
		}
		fmt.Fprintln(w)
	}
	return w.Flush()
}
