//go:build linux

package tui

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/dlclark/regexp2"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/internal/testkit"
	"example.org/ripple/internal/vt"
	"example.org/ripple/runtime/internal/fault"
	"example.org/ripple/runtime/terminal"
)

// A panic of the code that interprets an agent's screen fails what waits for the agent, with words.
// The agent can still be looked at and ended.
func TestAPanicOfTheRules(t *testing.T) {
	// Each damages a rule under the lock under which the rule is read.
	for name, damage := range map[string]func(*TUI){
		"while it takes the picture": func(t *TUI) {
			t.term.WithScreen(func(*vt.Screen) { t.rules.bar = new(regexp2.Regexp) })
		},
		"while it looks": func(t *TUI) {
			t.mu.Lock()
			defer t.mu.Unlock()
			t.rules.states[0].pattern = new(regexp2.Regexp)
		},
		"while it reads a text": func(t *TUI) { // only the caller of wait reads it
			t.rules.text.below = new(regexp2.Regexp)
		},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), testkit.Patience(time.Minute))
			defer cancel()
			damaged := filepath.Join(t.TempDir(), "damaged")
			tui := toy(t, `printf '> '; read -r x; printf busy; until [ -e `+damaged+` ]; do sleep 0.01; done; printf '\033[1A\r\033[J> %s\n\nthe answer\n\n> ' "$x"; read -r z`)
			tui.faults.reports.Dir = t.TempDir()
			wait, err := tui.Submit(ctx, "what is it?")
			require.NoError(t, err)
			damage(tui)
			require.NoError(t, os.WriteFile(damaged, nil, 0o600))
			_, err = wait(ctx)
			require.ErrorContains(t, err, "internal error (panic) while ")
			assert.ErrorContains(t, err, ": the agent's screen cannot be interpreted any longer; please report it with ")
			_, again := tui.WaitState(ctx, func(State) bool { return false })
			assert.Equal(t, err, again)
			_, again = tui.Submit(ctx, "and again?")
			assert.Error(t, again)
			assert.Empty(t, tui.Notices(), "it is none of the terminal's")
			require.NoError(t, tui.Close(ctx))
		})
	}
}

// Notices are bounded, and a repeated one is kept once.
func TestNoticesAreBounded(t *testing.T) {
	f := faults{reports: fault.Reports{Dir: t.TempDir()}}
	for range 10 {
		f.painted(terminal.Fault{Doing: "reading the screen", Panic: "broken"})
	}
	require.Len(t, f.notices, 6, "five with a report each, and one without")
	for n := range 2 * maxNotices {
		f.painted(terminal.Fault{Doing: fmt.Sprint("painting row ", n), Panic: "broken"})
	}
	assert.Len(t, f.notices, maxNotices)
}
