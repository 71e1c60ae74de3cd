package session_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/runtime/session"
)

// bash needs one of PROMPT_COMMAND and PS1 to announce its prompt. If the startup file makes both read-only, the start
// fails and says so.
func TestReadOnlyPromptsOfBash(t *testing.T) {
	t.Parallel()
	const refused = "PS1 and PROMPT_COMMAND are read-only"
	for startup, refusal := range map[string]string{
		`readonly PROMPT_COMMAND`:                                         "",
		`set -eu; readonly PROMPT_COMMAND`:                                "",
		`readonly PROMPT_COMMAND=""`:                                      "",
		`readonly PS1`:                                                    "",
		`PROMPT_COMMAND="history -a"; readonly PROMPT_COMMAND`:            "",
		`readonly PS1 PROMPT_COMMAND`:                                     refused,
		`PROMPT_COMMAND="history -a"; readonly PS1 PROMPT_COMMAND`:        refused,
		`PS1='x$ ' PS0= PROMPT_COMMAND=; readonly PS1 PS0 PROMPT_COMMAND`: refused,
		`unset PS1; readonly PS1 PROMPT_COMMAND`:                          refused,
	} {
		t.Run(startup, func(t *testing.T) {
			t.Parallel()
			home := t.TempDir()
			require.NoError(t, os.WriteFile(filepath.Join(home, ".bashrc"), []byte(startup+"\n"), 0o600))
			o := session.Options{Env: []string{"HOME=" + home}}
			if refusal != "" {
				s, err := session.Open(deadline(t), adapter(t, "bash"), o)
				if err == nil {
					assert.NoError(t, s.Close(deadline(t)))
				}
				exit := new(session.ExitError)
				require.ErrorAs(t, err, &exit)
				assert.Contains(t, exit.Output, refusal)
				return
			}
			s := open(t, "bash", o)
			for range 2 {
				r := eval(t, s, "echo a; true")
				assert.Equal(t, "a\n", r.Output)
				assert.Equal(t, new(0), r.ExitCode)
			}
		})
	}
}
