package adaptercmd

import (
	"io/fs"
	"strings"

	"github.com/spf13/cobra"

	"example.org/ripple/adapters"
	"example.org/ripple/cmd/ripple/internal/ui"
	"example.org/ripple/schema"
)

func newAdapterExplain(a *app) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "explain [KEY]...",
		Short: "Explain a key of an adapter file",
		Long: `Explain keys of an adapter file: their meaning, values, defaults, and how an adapter
uses them. A key is given with its sections, as in process.tty.echo, or by its end, as
in tty.echo. Without a key, all sections are listed. SCHEMA.md contains the same text as
one page.`,
		Example: "  ripple adapter explain multiline_delivery\n  ripple adapter explain tests.expect",
		RunE: func(_ *cobra.Command, args []string) error {
			keys, err := lookup(args)
			if err != nil {
				return err
			}
			if asJSON {
				return a.PrintJSON(explainedKeys(keys))
			}
			if len(args) == 0 {
				a.printKeys(keys)
				return nil
			}
			for i, k := range explainedKeys(keys) {
				if i > 0 {
					a.Printf("\n")
				}
				a.printExplained(k, keys[i].Keys)
			}
			return nil
		},
		ValidArgsFunction: completeKeys,
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print a JSON array")
	return cmd
}

// lookup finds the keys that the words name; without words, the sections.
func lookup(words []string) ([]schema.Key, error) {
	if len(words) == 0 {
		return schema.Keys(), nil
	}
	var keys []schema.Key
	for _, word := range words {
		found, near := schema.Lookup(word)
		if found == nil {
			return nil, ui.UsageError(ui.DidYouMean(near, "to list the sections: ripple adapter explain"), "unknown key %q of an adapter file", word)
		}
		keys = append(keys, found...)
	}
	return keys, nil
}

func completeKeys(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	var paths []string
	var walk func([]schema.Key)
	walk = func(keys []schema.Key) {
		for _, k := range keys {
			paths = append(paths, k.Path)
			walk(k.Keys)
		}
	}
	walk(schema.Keys())
	return paths, cobra.ShellCompDirectiveNoFileComp
}

// explained is a key in the form that --json prints.
type explained struct {
	Key         string   `json:"key"`
	Meaning     string   `json:"meaning"` // Markdown, as in SCHEMA.md
	Type        string   `json:"type"`
	Default     string   `json:"default,omitempty"` // JSON
	Required    bool     `json:"required"`
	Keys        []string `json:"keys,omitempty"` // of a section
	Example     string   `json:"example,omitempty"`
	ExampleFrom string   `json:"example_from,omitempty"` // the adapter that contains it
}

func explainedKeys(keys []schema.Key) []explained {
	list := make([]explained, 0, len(keys))
	for _, k := range keys {
		e := explained{Key: k.Path, Meaning: k.Meaning, Type: typeWords(k.Type), Default: k.Default, Required: k.Required, Example: k.Example}
		for _, below := range k.Keys {
			e.Keys = append(e.Keys, below.Path)
		}
		if e.Example == "" {
			e.Example, e.ExampleFrom = exampleOf(k)
		}
		list = append(list, e)
	}
	return list
}

// longestExample is the maximum length of a useful example, in lines.
const longestExample = 12

// exampleOf returns the shortest use of a key in the embedded adapters, preferably one that is not
// the default, or that of the nearest enclosing section.
func exampleOf(k schema.Key) (text, from string) {
	names, _ := fs.Glob(adapters.FS, "*.yaml") // the pattern is valid
	worth := func(e string) int {
		if k.Default != "" && strings.HasSuffix(e, ": "+strings.Trim(k.Default, `"`)+"\n") {
			return len(e) + len(e)<<20
		}
		return len(e)
	}
	for path := k.Path; text == "" && path != ""; path = path[:max(0, strings.LastIndexByte(path, '.'))] {
		for _, name := range names {
			file, err := fs.ReadFile(adapters.FS, name)
			if err != nil {
				continue // embedded, so it exists
			}
			e := schema.Example(file, strings.TrimSuffix(path, "[]"))
			if e != "" && strings.Count(e, "\n") <= longestExample && (text == "" || worth(e) < worth(text)) {
				text, from = e, name
			}
		}
	}
	return text, from
}

// typeWords converts a cell of the manual to text.
func typeWords(cell string) string {
	if strings.HasPrefix(cell, "`") {
		return "one of " + strings.ReplaceAll(strings.Trim(cell, "`"), "` `", ", ")
	}
	return strings.ReplaceAll(strings.ReplaceAll(cell, "` `", ", "), "`", "")
}

func (a *app) printExplained(k explained, below []schema.Key) {
	a.Printf("%s\n", k.Key)
	facts := k.Type
	switch {
	case k.Required:
		facts += "; required"
	case k.Default != "":
		facts += "; default " + k.Default
	}
	a.Printf("  %s\n", facts)
	a.Printf("%s\n", ui.Indent(a.Wrapped(k.Meaning, "  ")))
	if len(below) > 0 {
		a.Printf("\n")
		a.printKeys(below)
	}
	if k.Example != "" {
		a.Printf("\n%s", ui.Indent(ui.Indent(k.Example)))
		if k.ExampleFrom != "" {
			a.Printf("  # %s", k.ExampleFrom)
		}
		a.Printf("\n")
	}
}

// printKeys lists keys with the first sentence of their descriptions.
func (a *app) printKeys(keys []schema.Key) {
	for _, k := range keys {
		sentence, _, _ := strings.Cut(k.Meaning, ". ")
		a.Printf("  %-24s %s\n", k.Path, strings.TrimSuffix(sentence, "."))
	}
}
