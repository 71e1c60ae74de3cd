//go:build linux

package console_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/internal/testkit"
	"example.org/ripple/runtime/console"
)

// A line that a background job prints while an attached user has typed half a line is shown to the
// user, and is in the history beside the user's command: once each.
func TestAJobPrintsWhileAUserTypes(t *testing.T) {
	for _, tt := range []struct{ adapter, job, line, output string }{
		{"bash", "cat %s & disown", "echo mine", "mine\n"},
		{"zsh", "cat %s & disown", "echo mine", "mine\n"},
		{"python", "import subprocess; p = subprocess.Popen(['cat', '%s'])", "print('mine')", "mine\n"},
	} {
		t.Run(tt.adapter, func(t *testing.T) {
			place(t)
			name := filepath.Join(t.TempDir(), "pipe")
			require.NoError(t, syscall.Mkfifo(name, 0o600))
			c := start(t, console.Spec{Name: tt.adapter, Adapter: tt.adapter})
			exec(t, c, fmt.Sprintf(tt.job, name))
			pipe, err := os.OpenFile(name, os.O_WRONLY, 0)
			require.NoError(t, err)
			defer pipe.Close()
			exec(t, c, "1")

			a, err := c.Attach(t.Context(), console.AttachRequest{Cols: 80, Rows: 24})
			require.NoError(t, err)
			defer a.Close()
			var mu sync.Mutex
			var shown strings.Builder
			go func() {
				for {
					h, err := a.Next()
					if err != nil {
						return
					}
					mu.Lock()
					shown.Write(h.Output)
					mu.Unlock()
				}
			}()
			shows := func(text string) {
				t.Helper()
				require.Eventually(t, func() bool {
					mu.Lock()
					defer mu.Unlock()
					return strings.Contains(shown.String(), text)
				}, testkit.Patience(30*time.Second), time.Millisecond, "%q", text)
			}
			half := len(tt.line) / 2
			require.NoError(t, a.Type([]byte(tt.line[:half])))
			shows(tt.line[:half])
			for i, piece := range []string{"the jo", "b's line\n"} {
				_, err = pipe.WriteString(piece)
				require.NoError(t, err)
				shows([]string{"the jo", "the job's line\r\n"}[i])
			}
			require.NoError(t, a.Type([]byte(tt.line[half:]+"\r")))
			awaitStatus(t, c, func(s console.Status) bool { return s.Command != nil && s.Command.ID == 3 && s.State == console.Idle })

			all, err := c.History()
			require.NoError(t, err)
			require.Len(t, all, 3)
			assert.Equal(t, tt.line, all[2].Code)
			assert.Equal(t, "the job's line\n", all[2].OutOfBand)
			assert.Equal(t, int64(len(tt.output)), all[2].Bytes)
			mu.Lock()
			defer mu.Unlock()
			assert.Equal(t, 1, strings.Count(shown.String(), "the job's line"), "%q", shown.String())
		})
	}
}
