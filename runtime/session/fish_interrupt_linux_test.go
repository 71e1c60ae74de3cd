package session_test

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/internal/testkit"
	"example.org/ripple/runtime/session"
)

// SIGINT cancels what fish runs between a command and its prompt, and the event handlers that follow:
// also those that announce the prompt.
func TestInterruptBetweenCommandAndPromptOfFish(t *testing.T) {
	t.Parallel()
	const hit = "set -q armed; and begin; set -e armed; kill -INT $fish_pid; end"
	on := func(event string) string { return "function hit --on-event " + event + "; " + hit + "; end" }
	cases := map[string]struct {
		first string // config.fish: its handlers run before those of the integration
		last  string // defines handlers that run after these
	}{
		"before the start is reported":   {first: on("fish_preexec")},
		"after the start is reported":    {last: on("fish_preexec")},
		"before the end is reported":     {first: on("fish_postexec")},
		"after the end is reported":      {last: on("fish_postexec")},
		"before the prompt is announced": {first: on("fish_prompt")},
		"after the prompt is announced":  {last: on("fish_prompt")},
		"in the prompt":                  {first: "function fish_prompt; " + hit + "; echo '> '; end"},
		"before the end is reported, and in the prompt": {
			first: on("fish_postexec") + "; function fish_prompt; set -q armed; or set -q calm; or kill -INT $fish_pid; echo '> '; end",
		},
	}
	for _, name := range testkit.FewerOf(t, 2, slices.Sorted(maps.Keys(cases))) {
		row := cases[name]
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			config := t.TempDir()
			require.NoError(t, os.Mkdir(filepath.Join(config, "fish"), 0o700))
			require.NoError(t, os.WriteFile(filepath.Join(config, "fish", "config.fish"), []byte("set -g calm; "+row.first+"\n"), 0o600))
			s := open(t, "fish", session.Options{Env: []string{"XDG_CONFIG_HOME=" + config}})
			eval(t, s, row.last+"; set -e calm")
			for range 3 {
				r := eval(t, s, "set -g armed; sh -c 'echo a; exit 5'")
				assert.Equal(t, "a\n", r.Output)
				assert.Empty(t, r.OutOfBand)
				assert.Equal(t, new(5), r.ExitCode)
			}
		})
	}
}
