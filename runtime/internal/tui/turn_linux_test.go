package tui

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/internal/testkit"
	"example.org/ripple/schema"
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
			ctx, cancel := context.WithTimeout(t.Context(), testkit.Patience(time.Minute))
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

// toy is an interface of a few lines of shell, ready at its prompt.
func toy(t *testing.T, program string) *TUI {
	t.Helper()
	a := &schema.Adapter{
		Name:    "toy",
		Process: schema.Process{Executable: "sh", CommandTemplate: `"{shell_path}"`, InheritEnvironment: true, TTY: schema.TTY{Cols: 80, Rows: 24}},
		Agent: &schema.Agent{Screen: &schema.AgentScreen{
			Args: []string{"-c", program}, QuietMS: 50,
			States: []schema.ScreenState{
				{State: "ready", Rows: []int{-1, -1}, Pattern: `^>`},
				{State: "menu", Rows: []int{-1, -1}, Pattern: `^menu`, Answers: map[string][]string{"cancel": {"\r"}}},
			},
			Leave:  []string{"\x04"},
			Prompt: schema.ScreenPrompt{Submit: []string{"\r"}},
			Text:   schema.ScreenText{Below: `^>(?! what)`, Prompt: "^> "}, Session: `^resume (?<id>\S+)$`,
		}},
	}
	tui, err := Start(a, Options{})
	require.NoError(t, err)
	t.Cleanup(func() { _ = tui.Close(context.Background()) }) // it has been ended already, or is now
	_, err = tui.WaitState(t.Context(), func(s State) bool { return s.State == schema.ScreenReady && s.Counts })
	require.NoError(t, err)
	return tui
}

// takesTurn runs a turn and returns a channel that receives it when it is over.
func takesTurn(ctx context.Context, t *testing.T, tui *TUI) <-chan Turn {
	t.Helper()
	wait, err := tui.Submit(ctx, "what is it?")
	require.NoError(t, err)
	over := make(chan Turn, 1)
	go func() {
		turn, err := wait(ctx)
		assert.NoError(t, err)
		over <- turn
	}()
	return over
}

// The interface may draw its start screen after it has accepted a prompt: that is not an
// answer.
func TestLateDrawingIsNotAnAnswer(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), testkit.Patience(time.Minute))
	defer cancel()
	tui := toy(t, `printf '> '; read -r x; printf '\033[1A\r\033[Klogo of the toy\n> '; stty -echo; read -r y; stty echo
		printf '\033[1A\r\033[J> %s\n\nthe answer\n\n> ' "$x"; read -r z`)
	over := takesTurn(ctx, t, tui)
	_, err := tui.WaitState(ctx, func(s State) bool {
		return s.State == schema.ScreenReady && s.Counts && strings.Contains(strings.Join(tui.Picture().Rows, "\n"), "logo")
	})
	require.NoError(t, err)
	select {
	case turn := <-over:
		require.FailNow(t, "it was over before there was an answer", "%+v", turn)
	case <-time.After(4 * still): // that it is not, however long one waits
	}
	require.NoError(t, tui.Type([]byte("\r")))
	assert.Equal(t, "the answer", (<-over).Text)
}

// A menu that opens over what was typed does not get the key that sends it.
func TestAMenuOpensOverAPrompt(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), testkit.Patience(time.Minute))
	defer cancel()
	tui := toy(t, `key() { dd bs=1 count=1 2>/dev/null | od -An -c | tr -d ' '; }
		stty -echo -icanon; printf '> '; key >/dev/null; printf '\r\033[Kmenu '; while [ "$(key)" != '\n' ]; do :; done
		stty echo icanon; printf '\r\033[K> '; read -r x`)
	_, err := tui.Submit(ctx, "what is it?")
	var late *NotReadyError
	require.ErrorAs(t, err, &late)
	assert.Equal(t, schema.ScreenMenu, late.State.State)
	require.NoError(t, tui.Answer(ctx, "cancel"))
	_, err = tui.WaitState(ctx, func(s State) bool { return s.State == schema.ScreenReady && s.Counts })
	require.NoError(t, err)
}

// An agent that has not reported its session yet is given the time to do so.
func TestASessionIsReportedAtTheEnd(t *testing.T) {
	defer func(was time.Duration) { leaveLimit = was }(leaveLimit)
	leaveLimit = 10 * time.Millisecond
	tui := toy(t, `printf '> '; read -r x; sleep 0.1; printf '\nresume abc\n'`)
	require.NoError(t, tui.Close(t.Context()))
	assert.Equal(t, "abc", tui.Session())
}

// Keys that are read at once may be one key to an agent: it accepts a prompt again, and is
// asked again to leave.
func TestAnAgentThatTakesTwoKeysForOne(t *testing.T) {
	tui := toy(t, `stty -echo -icanon -isig; key() { dd bs=1 count=$1 2>/dev/null; }
		printf '> '; key 2 >/dev/null; printf '\r\033[Kagain?\n> '; key 1 >/dev/null; stty sane; printf '\nresume abc\n'`)
	require.NoError(t, tui.Close(t.Context()))
	assert.Equal(t, "abc", tui.Session())
	code, signal := tui.ExitStatus()
	assert.Zero(t, code)
	assert.Empty(t, signal, "it has gone by itself")
}

// An agent that is to have a processor may be about to draw the rest: its turn is not over.
func TestAnAnswerIsDrawnInParts(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), testkit.Patience(time.Minute))
	defer cancel()
	goOn := filepath.Join(t.TempDir(), "go")
	tui := toy(t, `printf '> '; read -r x; printf '\033[1A\r\033[J> %s\n\nthe answer\n\n> ' "$x"; while ! [ -e `+goOn+` ]; do :; done
		printf '\033[1A\r\033[Jgoes on\n\n> '; read -r y`)
	over := takesTurn(ctx, t, tui)
	_, err := tui.WaitState(ctx, func(s State) bool {
		return s.State == schema.ScreenReady && strings.Contains(strings.Join(tui.Picture().Rows, "\n"), "the answer")
	})
	require.NoError(t, err)
	select {
	case turn := <-over:
		require.FailNow(t, "it was over before all was drawn", "%+v", turn)
	case <-time.After(4 * tui.watch.quiet): // that it is not, however long one waits
	}
	require.NoError(t, os.WriteFile(goOn, nil, 0o600))
	assert.Equal(t, "the answer\ngoes on", (<-over).Text)
}

// An answered question is not asked again while the answer may not have been read.
func TestAnAnswerIsReadLate(t *testing.T) {
	defer func(was time.Duration) { unseen = was }(unseen)
	ctx, cancel := context.WithTimeout(t.Context(), testkit.Patience(time.Minute))
	defer cancel()
	asks := func(s State) bool { return s.State == schema.ScreenMenu && s.Counts }
	for heeded, limit := range map[bool]time.Duration{true: time.Hour, false: 100 * time.Millisecond} {
		unseen = limit
		tui := toy(t, `stty -echo; printf '> '; read -r x; printf '\r\033[Kmenu '; read -r y; read -r z; printf '\r\033[K> '; read -r x`)
		require.NoError(t, tui.Type([]byte("\r")))
		s, err := tui.WaitState(ctx, asks)
		require.NoError(t, err)
		assert.False(t, s.Answered)
		require.NoError(t, tui.Answer(ctx, "cancel"))
		s, err = tui.WaitState(ctx, func(s State) bool { return asks(s) && (heeded || !s.Answered) })
		require.NoError(t, err)
		assert.Equal(t, heeded, s.Answered)
		require.NoError(t, tui.Type([]byte("\r")))
		s, err = tui.WaitState(ctx, func(s State) bool { return s.State == schema.ScreenReady && s.Counts })
		require.NoError(t, err)
		assert.False(t, s.Answered)
	}
}
