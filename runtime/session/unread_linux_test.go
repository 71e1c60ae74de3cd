package session_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/runtime/session"
)

// Input that a command has not read does not become part of the next line, where the terminal edits lines: programs
// that read keys themselves, such as fish and lua, have read it when the end of the command is seen.
func TestUnreadInputIsNotInTheNextLine(t *testing.T) {
	const shell, shellSays = `read x; until [ -e FILE ]; do :; done; echo "$x"`, `echo ok`
	for name, tt := range map[string]struct{ code, next string }{
		"bash": {shell, shellSays}, "zsh": {shell, shellSays}, "dash": {shell, shellSays}, "mksh": {shell, shellSays},
		"yash":   {shell, shellSays},
		"python": {"import os; x = input(); _ = [0 for _ in iter(lambda: os.path.exists('FILE'), True)]; print(x)", "print('ok')"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "go-on")
			s := open(t, name, session.Options{})
			type outcome struct {
				session.Result
				err error
			}
			done := make(chan outcome, 1)
			go func() {
				r, err := s.Eval(deadline(t), strings.ReplaceAll(tt.code, "FILE", file))
				done <- outcome{r, err}
			}()
			_, err := s.WaitState(deadline(t), func(st session.State) bool { return st.NeedsInput })
			require.NoError(t, err)
			require.NoError(t, s.Send(t.Context(), []byte("read\n")))
			require.NoError(t, s.Send(t.Context(), []byte("unread")))
			require.NoError(t, os.WriteFile(file, nil, 0o600))
			r := <-done
			require.NoError(t, r.err)
			assert.Contains(t, r.Output, "read\n")
			for range 2 {
				assert.Equal(t, "ok\n", eval(t, s, tt.next).Output)
			}
		})
	}
}
