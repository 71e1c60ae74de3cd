package testkit

import (
	"regexp"
	"strings"
	"testing"
	"unicode"

	"github.com/charmbracelet/x/ansi"
)

// WithoutColors returns a screen without its colors.
func WithoutColors(screen string) string {
	return regexp.MustCompile(`\x1b\[[0-9;]*m`).ReplaceAllString(screen, "")
}

// ScreenFits checks that a screen is at most as wide as a terminal of width columns, and that colors are
// its only control sequences.
func ScreenFits(t testing.TB, screen string, width int) {
	t.Helper()
	for line := range strings.SplitSeq(screen, "\n") {
		if w := ansi.StringWidth(line); w > width {
			t.Errorf("a line has %d columns, the terminal %d: %q", w, width, line)
		}
	}
	for _, r := range WithoutColors(screen) {
		if unicode.IsControl(r) && r != '\n' {
			t.Errorf("the screen has the control character %q", r)
		}
	}
}
