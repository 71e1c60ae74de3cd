package session

import (
	"fmt"

	"example.org/ripple/runtime/internal/prompt"
)

// missing returns the service that the program needs and has not found, according to its output so
// far (ready.needs). Empty: its output does not say so.
func (o *reports) missing(startup []byte) string {
	needs := o.prog.needs
	if needs == nil {
		return ""
	}
	matches, err := needs.missing.MatchString(prompt.Visible(startup))
	if err != nil {
		o.life.fail(fmt.Errorf("ready.needs.missing: %w", err))
	}
	if matches {
		return needs.what
	}
	return ""
}
