package console

import (
	"context"
	"slices"

	"example.org/ripple/runtime/console/place"
)

// Enclosing returns the name of the console whose program, or a descendant of it, has this
// environment; empty if none.
func Enclosing(getenv func(string) string) string { return getenv(place.Environment) }

// CheckNesting refuses to attach a console in a terminal on which it is itself shown, directly or
// through other consoles: its output would be shown again as output, endlessly.
//
// Errors: *Fault: FaultBadRequest.
func CheckNesting(ctx context.Context, getenv func(string) string, name string) error {
	inside := Enclosing(getenv)
	for shown, next := []string{}, []string{inside}; len(next) > 0; next = next[1:] {
		at := next[0]
		switch {
		case at == "" || slices.Contains(shown, at):
		case at == name && at == inside:
			return newFault(FaultBadRequest, "%s: this terminal is the console's own: it would show itself", name)
		case at == name:
			return newFault(FaultBadRequest, "%s: this terminal is that of the console %s, which %s shows: it would show itself", name, inside, name)
		default:
			shown = append(shown, at)
			if c, err := Open(getenv, at); err == nil {
				s, _ := look(ctx, c) // without a status it is shown nowhere
				next = append(next, s.ShownIn...)
			}
		}
	}
	return nil
}
