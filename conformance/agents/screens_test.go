package agents

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// onScreen runs the same scripted turns over stdio and on the agent's own screen, and compares the
// answer, the end and the exit code.
func onScreen(t *testing.T, r rig) {
	if !r.setup.Screen {
		t.Skip("its adapter describes no screen")
	}
	for _, behavior := range []string{"text", "tool"} {
		t.Run(behavior, func(t *testing.T) {
			over := r.turn(t, behavior, "say hello")
			worked(t, over)
			on := r.turn(t, behavior, "--screen", "say hello")
			seen(t, on)
			if r.differs(t).Unseen {
				assert.Contains(t, said(on), said(over))
			} else {
				assert.Equal(t, said(over), said(on))
			}
			assert.True(t, told(on.asked, "say hello"))
		})
	}
	t.Run("a session is continued", func(t *testing.T) {
		if d, has := r.setup.Differs["no session"]; has {
			t.Skip(d.Because)
		}
		first := r.turn(t, "text", "--screen", "my first words")
		seen(t, first)
		second := r.turn(t, "text", "--screen", "--resume", first.outcome.SessionID, "and my second")
		seen(t, second)
		assert.Equal(t, first.outcome.SessionID, second.outcome.SessionID)
		assert.True(t, told(second.asked, "my first words"), "the model gets the earlier messages")
	})
	t.Run("a server error", func(t *testing.T) {
		s := r.turn(t, "503", "--screen", "--idle-timeout", "20s", "say hello")
		if r.differs(t).Unseen {
			seen := strings.Contains(s.stderr+s.outcome.Text, "stand-in refuses")
			assert.True(t, seen)
			return
		}
		assert.NotZero(t, s.exit)
		assert.NotNil(t, s.outcome.Failure)
	})
	t.Run("an interrupt while the model is silent", func(t *testing.T) { interrupt(t, r, "--screen") })
	t.Run("64 KB", func(t *testing.T) {
		prompt := "begin " + strings.Repeat("0123456789abcde\n", 64*64) + "end"
		file := filepath.Join(t.TempDir(), "prompt")
		assert.NoError(t, os.WriteFile(file, []byte(prompt), 0o600))
		s := r.turn(t, "text", "--screen", "--prompt-file", file)
		seen(t, s)
		assert.Equal(t, !r.differs(t).Unseen, told(s.asked, prompt), "the model gets all of it")
	})
}

// seen checks the properties of every successful turn on a screen.
func seen(t *testing.T, s turn) {
	t.Helper()
	assert.Equal(t, exitOK, s.exit)
	assert.Nil(t, s.outcome.Failure)
	assert.NotEmpty(t, s.outcome.SessionID, "required to continue a session")
	assert.Empty(t, s.outcome.Problems)
	assert.Contains(t, s.outcome.Text, "STANDIN-OK")
}

// passing matches text that differs between turns: how much the program itself sent to the model,
// the random number that it adds to a tool's output (hexadecimal digits, which may all be decimal),
// and a character composed of several, which a program may draw narrower.
var passing = regexp.MustCompile(`Chunk ID: [0-9a-f]+|\d+|👩\S*`)

// said returns an answer with unwrapped lines.
func said(s turn) string {
	oneLine := strings.Join(strings.Fields(s.outcome.Text), " ") // a name may be wrapped
	return passing.ReplaceAllString(oneLine, "N")
}
