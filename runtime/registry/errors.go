package registry

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"example.org/ripple/schema"
)

// NotFoundError is returned for a name that no adapter has.
type NotFoundError struct {
	Name          string
	Suggestions   []string // similar names and aliases, the most similar first
	Known         []string // the names of all adapters, sorted
	LimitExceeded string   // why the project's adapters were not read; "" if they were
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
		text += fmt.Sprintf("; %d adapters are known", len(e.Known))
	}
	if e.LimitExceeded != "" {
		text += "; " + e.LimitExceeded
	}
	return text
}

// UntrustedError is returned for a name that only an adapter of the project has, and the user
// has not approved that adapter.
type UntrustedError struct {
	Name  string
	Entry *Entry
}

func (e *UntrustedError) Error() string {
	return fmt.Sprintf("%s is this project's adapter, %s, which has not been approved", e.Name, e.Entry.Path)
}

// BrokenError is returned for an adapter file that does not load.
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

// NameError is returned for an argument that is neither a valid name nor a path.
type NameError struct{ Name, Reason string }

func (e *NameError) Error() string {
	return fmt.Sprintf("%q cannot be the name of an adapter: %s", e.Name, e.Reason)
}

// checkName returns an error for text that cannot be the name of an adapter, or is unsafe in a
// message or a path.
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

// notFound returns the error for a missing name, with similar names.
func (r *Registry) notFound(name string) error {
	e := &NotFoundError{Name: name, LimitExceeded: r.LimitExceeded()}
	var all []string
	held := map[string]bool{}
	r.each(func(_ *layer, f *file) {
		if f.origin != OriginEmbedded && !f.usable() {
			return
		}
		names := f.names()
		all = append(all, names...)
		if f.origin == OriginEmbedded || f.entry.Adapter != nil {
			if !held[names[0]] {
				e.Known = append(e.Known, names[0])
			}
		}
		held[names[0]] = true
	})
	slices.Sort(e.Known)
	slices.Sort(all)
	e.Suggestions = schema.Nearest(name, slices.Compact(all))
	return e
}
