package adaptercmd

import (
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"example.org/ripple/cmd/ripple/internal/ui"
	"example.org/ripple/runtime/registry"
	"example.org/ripple/schema"
)

func newAdapterLint(a *app) *cobra.Command {
	var all, asJSON, strict bool
	cmd := &cobra.Command{
		Use:   "lint {FILE | DIRECTORY | NAME}... | --all",
		Short: "Check adapter files without starting anything",
		Long: `Check adapter files without starting anything. An error prevents a file from loading
(exit code 2); a warning is about a legal value that is probably wrong (exit code 0, or 1
with --strict). In a directory, every .yaml and .yml file is checked. A file that is a link
out of its repository, or out of the current directory, is not read.`,
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
	cmd.Flags().BoolVar(&all, "all", false, "check all adapters known to ripple")
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

// lint collects the diagnostics for the named adapters, or all.
func (a *app) lint(args []string, all bool) ([]schema.Diagnostic, error) {
	r, err := a.Registry()
	if err != nil {
		return nil, err
	}
	return a.lintIn(r, args, all)
}

// lintIn is lint for the adapters of a registry.
func (a *app) lintIn(r *registry.Registry, args []string, all bool) (found []schema.Diagnostic, err error) {
	var project []*registry.Entry // as they were read: a file may have become a link to another one
	if all {
		for _, n := range r.Notices() {
			found = append(found, n.Diagnostics...)
		}
		for _, e := range r.List() {
			args = append(args, e.Name)
		}
		for _, e := range r.Project() { // lint starts nothing, so they need not be trusted
			if e.Adapter != nil && !a.Trust.Trusts(e) {
				project = append(project, e)
			}
		}
	}
	isAdapter := func(name string) bool {
		if registry.IsPath(name) {
			return false
		}
		_, err := r.Inspect(name)
		_, broken := ui.AsBroken(err)
		return err == nil || broken
	}
	if args, err = filesOf(args, isAdapter); err != nil {
		return nil, err
	}
	for _, name := range args {
		entry, err := r.Inspect(name)
		if broken, is := ui.AsBroken(err); is {
			found = append(found, broken.Diagnostics...)
			continue
		}
		if err != nil {
			return nil, ui.AdapterError(err)
		}
		found = append(found, lintOne(entry)...)
		if unused := r.Unused(name); unused != nil && !all { // the project's own, too, before it is approved
			project = append(project, unused)
		}
	}
	for _, entry := range project {
		found = append(found, lintOne(entry)...)
	}
	return found, nil
}

// filesOf replaces directories by the adapter files in them, except a directory with the name of an
// adapter, because other commands use the adapter. As in the registry, a name that leads to a
// device or a pipe is left out: in a foreign project it may be the user's terminal, and never end.
func filesOf(args []string, isAdapter func(string) bool) ([]string, error) {
	var files []string
	for _, arg := range args {
		if info, err := os.Stat(arg); err != nil || !info.IsDir() || isYAML(arg) || isAdapter(arg) {
			files = append(files, arg)
			continue
		}
		found, err := os.ReadDir(arg) // sorted by name
		if err != nil {
			return nil, ui.FailWith(ui.ExitUsage, err, "")
		}
		before := len(files)
		for _, f := range found {
			file := filepath.Join(arg, f.Name())
			if info, err := os.Stat(file); isYAML(file) && (err != nil || info.Mode().IsRegular()) { // the error is reported by loading it
				files = append(files, file)
			}
		}
		if len(files) == before {
			return nil, ui.UsageError("adapter files end in .yaml or .yml", "the directory %s contains no adapter", arg)
		}
	}
	return files, nil
}

func isYAML(name string) bool { return filepath.Ext(name) == ".yaml" || filepath.Ext(name) == ".yml" }

// lintOne returns the warnings for an adapter that has loaded.
func lintOne(e *registry.Entry) []schema.Diagnostic {
	return schema.Lint(e.Path, e.Text, schema.Options{Scripts: e.Scripts})
}

func (a *app) printDiagnostics(found []schema.Diagnostic) {
	errors, warnings := 0, 0
	for _, d := range found {
		if d.Severity == schema.SeverityError {
			errors++
		} else {
			warnings++
		}
		d.Message = string(d.Severity) + ": " + d.Message // the format of compilers: editors can jump to the position
		a.Printf("%s\n", ui.Harmless(d.Format()))         // a file name may contain any characters
	}
	if len(found) > 0 {
		a.Printf("%s, %s\n", ui.Count(errors, "error"), ui.Count(warnings, "warning"))
	}
}

// diagnosticView is a diagnostic in the form that --json prints.
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
