package adaptercmd

import (
	"cmp"
	_ "embed"
	"regexp"
	"slices"
	"strings"

	"example.org/ripple/cmd/ripple/internal/ui"
	"example.org/ripple/schema"
)

// programTemplate is the template of an adapter for a new program with a prompt.
//
//go:embed program.yaml.tmpl
var programTemplate string

// programDraft holds the values for the program template.
type programDraft struct {
	Name, Command, Family string
	Args                  []string
	Prompt                string // as the program shows it, including the last blank
	File                  string // path of the new adapter
}

// Named returns the file name for the comments in the file.
func (n programDraft) Named() string { return fileNamed(n.Name, n.File) }

// choose checks the flags' values and derives further values from them.
func (n *programDraft) choose() error {
	families := []string{string(schema.FamilyREPL), string(schema.FamilyShell), string(schema.FamilyDebugger)}
	switch {
	case n.Family == string(schema.FamilyAgent):
		return ui.UsageError("ripple adapter new --agent "+n.Name, "a coding agent has its own command")
	case !slices.Contains(families, n.Family):
		return ui.UsageError(ui.DidYouMean(schema.Nearest(n.Family, families), "a shell runs other programs, a repl evaluates a language, a debugger steps through a program"),
			"--family must be shell, repl or debugger, not %q", n.Family)
	case n.Prompt == "":
		return ui.UsageError("give the prompt exactly as the program shows it, including its last blank", "--prompt must not be empty")
	}
	n.Command, n.File = cmp.Or(n.Command, n.Name), cmp.Or(n.File, defaultFile(n.Name))
	return nil
}

// render fills the template. A value that is invalid in an adapter is a usage error.
func (n programDraft) render() ([]byte, error) {
	return renderDraft(programTemplate, map[string]string{
		"name": n.Name, "named": n.Named(), "family": n.Family, "description": ui.MustQuoteJSON(n.Name + ", recognized by its prompt"),
		"name.json": ui.MustQuoteJSON(n.Name), "command.json": ui.MustQuoteJSON(n.Command),
		"args": strings.Join(n.Args, " "), "args.json": ui.MustQuoteJSON(append([]string{}, n.Args...)),
		"primary": ui.MustQuoteJSON("^" + regexp.QuoteMeta(n.Prompt) + "$"),
	}, n.File)
}

// renderDraft fills a template of an adapter and validates the result.
func renderDraft(template string, values map[string]string, file string) ([]byte, error) {
	text, err := ui.Fill(template, values)
	if err != nil {
		return nil, ui.FailWith(ui.ExitFailed, err, "")
	}
	for _, d := range schema.Lint(file, []byte(text), schema.Options{}) {
		if d.Severity == schema.SeverityError {
			return nil, ui.UsageError("nothing was written", "%s", d.Message)
		}
	}
	return []byte(text), nil
}
