//go:build linux

package consoles

import (
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// Keys that a user types while a command runs that was typed there, too, are edited at the next prompt, and no part of a line
// is lost or runs alone: neither what was typed early nor what follows.
func TestAUserTypesAhead(t *testing.T) {
	t.Parallel()
	for adapter, code := range map[string]struct{ prompt, busy, ahead, rest string }{
		"bash":   {"work", "sleep 1.2; echo still''busy; cat fifo; echo do''ne", "echo one &&", " touch one.txt"},
		"zsh":    {"#", "sleep 1.2; echo still''busy; cat fifo; echo do''ne", "echo one &&", " touch one.txt"},
		"python": {">>>", "import time; time.sleep(1.2); print('still' 'busy'); open('fifo').read(); print('do' 'ne')", "print('on", "e'); open('one.txt', 'w').close()"},
	} {
		t.Run(adapter, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t)
			p.ok("console", "start", adapter, "--name", "main", "--cwd", p.path("work"))
			require.NoError(t, unix.Mkfifo(p.path("work/fifo"), 0o600))
			u := p.person(100, 30, "exec RIPPLE console attach main")
			u.sees(code.prompt)
			u.types(code.busy, "Enter")
			u.sees("stillbusy")
			f, err := os.OpenFile(p.path("work/fifo"), os.O_WRONLY, 0) // the program waits now for its end
			require.NoError(t, err)
			u.types(code.ahead)
			p.eventually(func() bool { return p.status("main").Held > 0 }, u.screen)
			require.NoError(t, f.Close())
			u.sees("done")
			u.types(code.rest, "Enter")
			p.eventually(func() bool { _, err := os.Stat(p.path("work/one.txt")); return err == nil }, u.screen)
			p.until("main", "idle")
			assert.Contains(t, p.ok("console", "history", "main"), code.ahead+code.rest)
		})
	}
}
