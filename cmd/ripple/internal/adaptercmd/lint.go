package adaptercmd

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"github.com/spf13/cobra"

	"ripple/adapters"
	"ripple/cmd/ripple/internal/ui"
	"ripple/runtime/registry"
	"ripple/schema"
)

func newAdapterLint(a *app) *cobra.Command {
	var all, asJSON, strict bool
	cmd := &cobra.Command{
		Use:   "lint {FILE | DIRECTORY | NAME}... | --all",
		Short: "Check adapter files without starting anything",
		Long: `Check adapter files without starting anything. Errors are what keeps a file from
loading (exit code 2); warnings are legal and likely wrong (exit code 0, or 1 with
--strict). Of a directory every .yaml and .yml file is checked.`,
		Example: "  ripple adapter lint adapters\n  ripple adapter lint --all --strict",
		Args:    namesOrAll,
		RunE: func(_ *cobra.Command, args []string) error {
			found, err := a.lint(args, all)
			if err != nil {
				return err
			}
			if asJSON {
				err = a.PrintJSON(diagnosticViews(found))
			} else {
				a.printDiagnostics(found)
			}
			if err != nil {
				return ui.FailWith(ui.ExitFailed, err, "")
			}
			return ui.ExitWith(lintCode(found, strict))
		},
		ValidArgsFunction: ui.CompleteAdapter(a.App),
	}
	cmd.Flags().BoolVar(&all, "all", false, "check every adapter that ripple knows")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the findings as a JSON array")
	cmd.Flags().BoolVar(&strict, "strict", false, "exit with 1 if there are warnings")
	return cmd
}

func lintCode(found []schema.Diagnostic, strict bool) int {
	code := ui.ExitOK
	for _, d := range found {
		switch {
		case d.Severity == schema.SeverityError:
			return ui.ExitUsage
		case strict:
			code = ui.ExitFailed
		}
	}
	return code
}

// lint collects the findings about the named adapters, or all.
func (a *app) lint(args []string, all bool) ([]schema.Diagnostic, error) {
	r, err := a.Registry()
	if err != nil {
		return nil, err
	}
	var found []schema.Diagnostic
	if all {
		for _, n := range r.Notices() {
			found = append(found, n.Diagnostics...)
		}
		for _, e := range r.List() {
			args = append(args, e.Name)
		}
	}
	if args, err = filesOf(args); err != nil {
		return nil, err
	}
	for _, name := range args {
		entry, err := r.Find(name)
		diagnostics, err := a.lintOne(entry, err)
		if err != nil {
			return nil, err
		}
		found = append(found, diagnostics...)
	}
	return found, nil
}

// filesOf puts the adapter files of a directory in its place.
func filesOf(args []string) ([]string, error) {
	var files []string
	for _, arg := range args {
		if info, err := os.Stat(arg); err != nil || !info.IsDir() || isYAML(arg) {
			files = append(files, arg)
			continue
		}
		found, err := os.ReadDir(arg) // in order of names
		if err != nil {
			return nil, ui.FailWith(ui.ExitUsage, err, "")
		}
		before := len(files)
		for _, f := range found {
			if !f.IsDir() && isYAML(f.Name()) {
				files = append(files, filepath.Join(arg, f.Name()))
			}
		}
		if len(files) == before {
			return nil, ui.UsageError("adapter files end in .yaml or .yml", "the directory %s holds no adapter", arg)
		}
	}
	return files, nil
}

func isYAML(name string) bool { return filepath.Ext(name) == ".yaml" || filepath.Ext(name) == ".yml" }

// lintOne gives the errors of a file that did not load, or the warnings about
// one that did.
func (a *app) lintOne(e *registry.Entry, err error) ([]schema.Diagnostic, error) {
	if broken, ok := ui.AsBroken(err); ok {
		return broken.Diagnostics, nil
	}
	if err != nil {
		return nil, ui.AdapterError(err)
	}
	options := schema.Options{Scripts: a.AdapterSources().Scripts}
	if e.Origin == registry.OriginEmbedded {
		data, err := fs.ReadFile(adapters.FS, path.Base(e.Path))
		if err != nil {
			return nil, ui.FailWith(ui.ExitFailed, err, "")
		}
		return schema.Lint(e.Path, data, options), nil
	}
	data, err := os.ReadFile(e.Path) // it was loaded just now: it is small
	if err != nil {
		return nil, ui.FailWith(ui.ExitUsage, err, "")
	}
	return schema.Lint(e.Path, data, options.Beside(e.Path)), nil
}

func (a *app) printDiagnostics(found []schema.Diagnostic) {
	errors, warnings := 0, 0
	for _, d := range found {
		if d.Severity == schema.SeverityError {
			errors++
		} else {
			warnings++
		}
		d.Message = string(d.Severity) + ": " + d.Message // as compilers do: editors find the place
		a.Printf("%s\n", d.Format())
	}
	if len(found) > 0 {
		a.Printf("%s, %s\n", ui.Count(errors, "error"), ui.Count(warnings, "warning"))
	}
}

// diagnosticView is a finding as --json prints it.
type diagnosticView struct {
	File     string          `json:"file"`
	Line     int             `json:"line"`
	Column   int             `json:"column"`
	Severity schema.Severity `json:"severity"`
	Kind     string          `json:"kind"`
	Message  string          `json:"message"`
}

func diagnosticViews(found []schema.Diagnostic) []diagnosticView {
	views := make([]diagnosticView, 0, len(found))
	for _, d := range found {
		views = append(views, diagnosticView{d.File, d.Line, d.Column, d.Severity, d.Kind, d.Message})
	}
	return views
}
