package launch

import (
	"fmt"
	"strings"

	"example.org/ripple/schema"
)

// MissingError is a program that is not on this machine.
type MissingError struct {
	Adapter  string
	Tried    []string // each candidate and why it is not the one
	Install  schema.Install
	Explicit bool // the caller named the program: installing another does not help
}

func missing(a *schema.Adapter, tried []string) *MissingError {
	e := &MissingError{Adapter: a.Name, Tried: tried}
	if a.Process.Install != nil {
		e.Install = *a.Process.Install
	}
	return e
}

// Error says what was tried and, a line each, what to do.
func (e *MissingError) Error() string {
	if e.Explicit {
		return fmt.Sprintf("%s: its program cannot be %s\n  name another one, or none: then the adapter chooses", e.Adapter, strings.Join(e.Tried, ", "))
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s: its program is not installed; tried %s", e.Adapter, strings.Join(e.Tried, ", "))
	for _, line := range e.Remedies() {
		b.WriteString("\n  " + line)
	}
	return b.String()
}

// Remedies are the ways to install the program, one line each, from
// process.install; when there are none, how to point ripple at it.
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
