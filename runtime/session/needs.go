package session

import (
	"fmt"

	"ripple/runtime/internal/prompt"
	"ripple/schema"
)

// missing is what the program talks to and has not found, by what it has printed so
// far: ready.needs. Empty: it has said nothing of the kind.
func (d *driver) missing() string {
	needs := d.adapter.Ready.Needs
	if needs == nil {
		return ""
	}
	re, err := schema.CompilePattern(needs.Missing)
	if err == nil {
		var matches bool
		if matches, err = re.MatchString(prompt.Visible(d.startup)); matches {
			return needs.What
		}
	}
	if err != nil {
		d.fail(fmt.Errorf("ready.needs.missing: %w", err))
	}
	return ""
}
