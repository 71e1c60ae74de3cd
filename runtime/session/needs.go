package session

import (
	"fmt"

	"ripple/runtime/internal/prompt"
)

// missing is what the program talks to and has not found, by what it has printed so
// far: ready.needs. Empty: it has said nothing of the kind.
func (d *driver) missing() string {
	needs := d.prog.needs
	if needs == nil {
		return ""
	}
	matches, err := needs.missing.MatchString(prompt.Visible(d.stream.startup))
	if err != nil {
		d.fail(fmt.Errorf("ready.needs.missing: %w", err))
	}
	if matches {
		return needs.what
	}
	return ""
}
