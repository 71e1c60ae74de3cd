package registry

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"example.org/ripple/schema"
)

// NotFoundError is a name that no adapter has.
type NotFoundError struct {
	Name        string
	Suggestions []string // names and aliases that are near, nearest first
	Known       []string // the names of all adapters, sorted
	Excess      string   // why no adapter of the project was read; "": they were
}

// maxListed is how many known names fit into a message.
const maxListed = 20

func (e *NotFoundError) Error() string {
	text := fmt.Sprintf("no adapter is named %q", e.Name)
	switch {
	case len(e.Suggestions) > 0:
		text += "; did you mean " + strings.Join(e.Suggestions, " or ") + "?"
	case len(e.Known) == 0:
		text += "; none are known: give the path of a .yaml file"
	case len(e.Known) <= maxListed:
		text += "; known are " + strings.Join(e.Known, ", ")
	default:
		text += fmt.Sprintf("; %d others are known", len(e.Known))
	}
	if e.Excess != "" {
		text += "; " + e.Excess
	}
	return text
}

// UntrustedError is a name that only an adapter of the project has, to which nobody has
// agreed.
type UntrustedError struct {
	Name  string
	Entry *Entry
}

func (e *UntrustedError) Error() string {
	return fmt.Sprintf("%s is this project's adapter, %s, and nobody has agreed to it", e.Name, e.Entry.Path)
}

// BrokenError is a file that is meant and does not load.
type BrokenError struct {
	Name        string
	Path        string
	Diagnostics []schema.Diagnostic // at least one error
}

func (e *BrokenError) Error() string {
	lines := []string{fmt.Sprintf("adapter %q does not load:", e.Name)}
	for _, d := range e.Diagnostics {
		lines = append(lines, "  "+d.String())
	}
	return strings.Join(lines, "\n")
}

// NameError is an argument that can be neither a name nor a path.
type NameError struct{ Name, Reason string }

func (e *NameError) Error() string {
	return fmt.Sprintf("%q cannot be the name of an adapter: %s", e.Name, e.Reason)
}

// checkName refuses what no adapter can be called and what would be a surprise in
// a message or a path.
func checkName(name string) error {
	switch {
	case name == "":
		return &NameError{name, "it is empty"}
	case strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsPrint(r) || r == '\\' || r == unicode.ReplacementChar }):
		return &NameError{name, "it contains a control character or a backslash"}
	case strings.HasPrefix(name, "."), strings.Contains(name, ".."):
		return &NameError{name, "it starts with a dot or contains \"..\"; a path needs a separator or the suffix .yaml"}
	}
	return nil
}

// notFound explains with everything that is known.
func (r *Registry) notFound(name string) error {
	e := &NotFoundError{Name: name, Excess: r.Excess()}
	for _, entry := range r.List() {
		e.Known = append(e.Known, entry.Name)
	}
	var all []string
	r.each(func(_ *layer, f *file) {
		if f.usable() {
			all = append(append(all, f.name()), f.aliases()...)
		}
	})
	slices.Sort(all)
	e.Suggestions = schema.Nearest(name, slices.Compact(all))
	return e
}
