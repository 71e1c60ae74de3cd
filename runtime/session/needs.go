package session

import (
	"fmt"

	"ripple/runtime/internal/prompt"
)

// missing is what the program talks to and has not found, by what it has printed so
// far: ready.needs. Empty: it has said nothing of the kind.
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
