package launch

import (
	"fmt"
	"strings"

	"example.org/ripple/schema"
)

// MissingError is returned for a program that is not installed.
type MissingError struct {
	Adapter  string
	Tried    []string // each candidate, and why it was not used
	Install  schema.Install
	Explicit bool // the caller named the program, so installing another one does not help
}

func missing(a *schema.Adapter, tried []string) *MissingError {
	e := &MissingError{Adapter: a.Name, Tried: tried}
	if a.Process.Install != nil {
		e.Install = *a.Process.Install
	}
	return e
}

// Error lists what was tried and then, one per line, the remedies.
func (e *MissingError) Error() string {
	if e.Explicit {
		return fmt.Sprintf("%s: its program cannot be %s\n  give another one, or leave it out: the adapter then chooses", e.Adapter, strings.Join(e.Tried, ", "))
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s: its program is not installed; tried %s", e.Adapter, strings.Join(e.Tried, ", "))
	for _, line := range e.Remedies() {
		b.WriteString("\n  " + line)
	}
	return b.String()
}

// Remedies returns the ways to install the program according to process.install, one line
// each; if it declares none, how to tell ripple where the program is.
func (e *MissingError) Remedies() []string {
	var lines []string
	for _, o := range offers(e.Install) {
		for _, command := range o.commands {
			lines = append(lines, o.manager+": "+command)
		}
	}
	if hint := strings.TrimSpace(e.Install.Hint); hint != "" {
		lines = append(lines, hint)
	}
	if e.Install.URL != "" {
		lines = append(lines, "see "+e.Install.URL)
	}
	if len(lines) == 0 {
		lines = append(lines, "install it, put it in PATH, or name its path")
	}
	return lines
}
