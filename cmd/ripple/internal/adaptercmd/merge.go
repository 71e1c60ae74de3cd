package adaptercmd

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"

	"github.com/spf13/cobra"

	"example.org/ripple/cmd/ripple/internal/ui"
	"example.org/ripple/runtime/contract"
)

func newAdapterMerge(a *app) *cobra.Command {
	f := testFlags{}
	cmd := &cobra.Command{
		Use:   "merge REPORT...",
		Short: "Merge several reports",
		Long: `Merge the JSON reports of several runs of "ripple adapter test", such as those of its
shards, into one report in any of its formats. The exit code is that of a single run of
all these tests.`,
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
			sort.SliceStable(all, func(i, j int) bool { return all[i].Adapter < all[j].Adapter })
			for range all {
				report.early(all)
			}
			if err := report.finish(all); err != nil && a.OutError() == nil {
				return ui.FailWith(ui.ExitFailed, err, "")
			}
			f.options.RequireProgram = slices.ContainsFunc(all, func(r *contract.Report) bool { return r.Skipped != "" && r.Required })
			return f.verdict(all)
		},
	}
	cmd.Flags().StringVar(&f.report, "report", "json", "`FORMAT` of the report: text, json, junit, tap or github")
	cmd.Flags().BoolVarP(&f.verbose, "verbose", "v", false, "also show tests that passed or did not start")
	ui.Choices(cmd, "report", reportFormats...)
	return cmd
}

func someReports(_ *cobra.Command, args []string) error {
	if len(args) == 0 {
		return ui.UsageError("to write one: ripple adapter test --report json > report.json; - is standard input", "no report given")
	}
	return nil
}

// reportFile holds the reports of one run.
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
			return nil, ui.FailWith(ui.ExitUsage, fmt.Errorf("%s: %w", path, err), "to write one: ripple adapter test --report json")
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
		return nil, errors.Unwrap(err) // the message already names the path
	}
	defer f.Close() // opened for reading only
	return contract.ReadJSON(f)
}
