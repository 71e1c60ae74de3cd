package ui

import (
	"testing"

	"github.com/charmbracelet/x/ansi"
	"github.com/stretchr/testify/assert"

	"example.org/ripple/runtime/event"
)

func TestRefused(t *testing.T) {
	for _, tt := range []struct{ name, detail, want string }{
		{"Bash", "rm -rf / is not allowed\nby a rule", "refused: Bash rm -rf / is not allowed"},
		{"", "no user can be asked", "refused: no user can be asked"},
		{"Bash", "", "refused: Bash"},
		{"", "", "refused:"},
	} {
		assert.Equal(t, tt.want, refused(event.Event{Type: event.PermissionDenied, Name: tt.name, Detail: tt.detail}))
	}
}

// The status line contains the parts that fit, most important first.
func TestFitLine(t *testing.T) {
	waiting := []string{"waiting 59m58s for the limit of 2 calls an hour", "turn 3/100", "4s", "97 calls left", "$0.20"}
	for _, tt := range []struct {
		parts   []string
		columns int
		want    string
	}{
		{waiting, 99, "waiting 59m58s for the limit of 2 calls an hour · turn 3/100 · 4s · 97 calls left · $0.20"},
		{waiting, 79, "waiting 59m58s for the limit of 2 calls an hour · turn 3/100 · 4s · $0.20"},
		{waiting, 39, "waiting 59m58s for the limit of 2 call…"},
		{waiting, 19, "waiting 59m58s for…"},
		{[]string{"turn 3/100", "2m0s", "97 calls left", "circuit CLOSED"}, 19, "turn 3/100 · 2m0s"},
		{[]string{"turn 3/100", "2m0s"}, 5, "turn…"},
		{[]string{"for 日本語", "4s"}, 9, "for 日本…"},
		{nil, 9, ""},
	} {
		got := FitLine(tt.parts, tt.columns)
		assert.Equal(t, tt.want, got)
		assert.LessOrEqual(t, ansi.StringWidth(got), tt.columns)
	}
}
