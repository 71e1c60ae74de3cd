//go:build linux

package session_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/internal/testkit"
	"example.org/ripple/runtime/session"
)

// A line that fills rows of the terminal is a command like any other, although another program prints
// while the user types it.
func TestALineOfSeveralRows(t *testing.T) {
	const cols, waits = 60, "until test -e %s; do sleep 0.01; done; echo from behind"
	widths := []int{cols - 1, cols, cols + 1, 2 * cols}
	each := testkit.Times(t, 1, len(widths))
	for i, tt := range []struct{ adapter, prompt, before, job, line, end, output string }{
		{"bash", "$ ", "PS1='$ '", "(" + waits + ") &", "echo ", "", "%s\n"},
		{"python", ">>> ", "import subprocess", "p = subprocess.Popen(['sh', '-c', '" + waits + "'])", "print('", "')", "%s\n"},
	} {
		for k := range each {
			for e, entered := range []bool{true, false} {
				width := widths[(2*i+e+k)%len(widths)] // one for each program and way are all
				t.Run(fmt.Sprintf("%s, %d columns, entered=%t", tt.adapter, width, entered), func(t *testing.T) {
					t.Parallel()
					others := make(chan string, 10)
					p := atTerminal(t, tt.adapter, session.Options{Cols: cols, Rows: 24, OutOfBand: func(b []byte) { others <- string(b) }})
					eval(t, p.Session, tt.before)
					file := t.TempDir() + "/go"
					eval(t, p.Session, fmt.Sprintf(tt.job, file))
					word := strings.Repeat("x", width-len(tt.prompt+tt.line+tt.end))
					line := tt.line + word + tt.end
					half := len(line) / 2
					p.takes(1)
					if entered {
						require.NoError(t, p.TypeDraft(1, []byte(line[:half])))
						assert.Equal(t, line[:half], p.takes(1))
					} else {
						p.types(line[:half])
					}
					require.NoError(t, writeFile(file))
					select {
					case text := <-others:
						require.Equal(t, "from behind\n", text)
					case <-deadline(t).Done():
						require.Fail(t, "no output of the other program")
					}
					if entered {
						require.NoError(t, p.Enter(1, []byte(line+"\r")))
					} else {
						p.types(line[half:] + "\r")
					}
					did := p.ran(1)
					assert.Equal(t, line, did.code)
					assert.Equal(t, fmt.Sprintf(tt.output, word), did.output)
					p.is(ready)
				})
			}
		}
	}
}
