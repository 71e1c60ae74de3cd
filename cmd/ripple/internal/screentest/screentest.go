// Package screentest checks the contents of a terminal screen, for tests.
package screentest

import (
	"strings"
	"testing"
	"unicode"

	"github.com/charmbracelet/x/ansi"
	"github.com/stretchr/testify/assert"

	"example.com/ripple/internal/lazyregexp"
)

var sgr = lazyregexp.New(`\x1b\[[0-9;]*m`)

// Plain is a screen without its colours.
func Plain(screen string) string { return sgr().ReplaceAllString(screen, "") }

// Fits says that a screen is no wider than a terminal of width columns, and that
// nothing in it but colours speaks to the terminal.
func Fits(t *testing.T, screen string, width int) {
	t.Helper()
	for line := range strings.SplitSeq(screen, "\n") {
		assert.LessOrEqual(t, ansi.StringWidth(line), width, line)
	}
	for _, r := range Plain(screen) {
		if unicode.IsControl(r) && r != '\n' {
			t.Errorf("the screen has the control character %q", r)
		}
	}
}
