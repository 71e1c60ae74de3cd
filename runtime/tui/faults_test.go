package tui

import (
	"context"
	"testing"
	"time"

	"github.com/dlclark/regexp2"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.com/ripple/internal/testkit"
)

// A panic of the code that interprets an agent's screen fails what waits for the agent, with words.
// The agent can still be looked at and ended.
func TestAPanicOfTheRules(t *testing.T) {
	defer func(was time.Duration) { unseen = was }(unseen)
	unseen = 100 * time.Millisecond
	for name, damage := range map[string]func(*TUI){
		"while it looks":        func(t *TUI) { t.rules.states[0].pattern = new(regexp2.Regexp) },
		"while it reads a text": func(t *TUI) { t.rules.text.below = new(regexp2.Regexp) },
	} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), testkit.Patience(time.Minute))
			defer cancel()
			tui := toy(t, `printf '> '; read -r x; printf '\033[1A\r\033[J> %s\n\nthe answer\n\n> ' "$x"; read -r z`)
			tui.faults.reports.Dir = t.TempDir()
			wait, err := tui.Submit(ctx, "what is it?")
			require.NoError(t, err)
			tui.mu.Lock()
			damage(tui)
			tui.mu.Unlock()
			_, err = wait(ctx)
			require.ErrorContains(t, err, "internal error (panic) while ")
			assert.ErrorContains(t, err, ": the agent's screen cannot be interpreted any longer; please report it with ")
			_, again := tui.WaitState(ctx, func(State) bool { return false })
			assert.Equal(t, err, again)
			_, again = tui.Submit(ctx, "and again?")
			assert.Error(t, again)
			require.NoError(t, tui.Close(ctx))
		})
	}
}
