package tui

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"ripple/schema"
)

// An interface that takes a prompt away and does nothing is ready, as it was before: no
// answer was seen.
func TestATurnOfWhichNothingIsSeen(t *testing.T) {
	defer func(was time.Duration) { unseen = was }(unseen)
	unseen = 100 * time.Millisecond
	for name, tt := range map[string]struct {
		does    string // with a prompt
		text    string
		unmoved bool
	}{
		"it does nothing":    {`:`, "", true},
		"it answers at once": {`echo hello`, "hello", false},
		"it is seen at work": {`printf 'working'; read -r y; printf '\033[1A\r\033[K'`, "", false},
	} {
		t.Run(name, func(t *testing.T) {
			program := `printf '> '; while read -r x; do printf '\033[1A\r\033[K'; ` + tt.does + `; printf '> '; done`
			a := &schema.Adapter{
				Name:    "toy",
				Process: schema.Process{Executable: "sh", CommandTemplate: `"{shell_path}"`, InheritEnvironment: true, TTY: schema.TTY{Cols: 80, Rows: 24}},
				Agent: &schema.Agent{Screen: &schema.AgentScreen{
					Args: []string{"-c", program}, QuietMS: 50,
					States: []schema.ScreenState{{State: "ready", Rows: []int{-1, -1}, Pattern: `^>`}, {State: "working", Rows: []int{-1, -1}, Pattern: `^working`}},
					Leave:  []string{"\x04"},
					Prompt: schema.ScreenPrompt{Submit: []string{"\r"}, PauseMS: 70},
					Text:   schema.ScreenText{Below: "^>", Prompt: "^> "},
				}},
			}
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			tui, err := Start(a, Options{})
			require.NoError(t, err)
			defer tui.Close(ctx)
			_, err = tui.WaitState(ctx, func(s State) bool { return s.State == schema.ScreenReady && s.Counts })
			require.NoError(t, err)
			begun := time.Now()
			wait, err := tui.Submit(ctx, "what is it?")
			require.NoError(t, err)
			assert.GreaterOrEqual(t, time.Since(begun), 70*time.Millisecond, "the pause before it is sent")
			if name == "it is seen at work" {
				_, err = tui.WaitState(ctx, func(s State) bool { return s.State == schema.ScreenWorking })
				require.NoError(t, err)
				require.NoError(t, tui.Type([]byte("\r")))
			}
			turn, err := wait(ctx)
			require.NoError(t, err)
			assert.Equal(t, tt.text, turn.Text)
			assert.Equal(t, tt.unmoved, turn.Unmoved)
		})
	}
}
