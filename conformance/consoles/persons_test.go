//go:build linux

package consoles

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/creack/pty"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/internal/testkit"
)

// attachedUser is a user at a terminal that is attached to a console.
type attachedUser struct {
	*place
	tty *os.File
	cmd *exec.Cmd
	mu  sync.Mutex
	saw []byte
}

func (p *place) sits(name string) *attachedUser {
	p.Helper()
	cmd := p.command("console", "attach", name)
	cmd.Env = append(slices.Clone(cmd.Env), "TERM=xterm-256color")
	tty, err := pty.StartWithSize(cmd, &pty.Winsize{Cols: 100, Rows: 30})
	require.NoError(p, err)
	one := &attachedUser{place: p, tty: tty, cmd: cmd}
	seen := make(chan struct{})
	go func() {
		defer close(seen)
		_, _ = io.Copy(one, tty) // the end of the terminal
	}()
	p.Cleanup(func() {
		_ = cmd.Process.Kill() // it may have ended
		_ = cmd.Wait()
		_ = tty.Close()
		<-seen
	})
	return one
}

// Write receives the output to the terminal.
func (p *attachedUser) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.saw = append(p.saw, b...)
	return len(b), nil
}

// sees waits until a text has been shown.
func (p *attachedUser) sees(text string) {
	p.Helper()
	saw := func() string {
		p.mu.Lock()
		defer p.mu.Unlock()
		return string(p.saw)
	}
	p.eventually(func() bool { return strings.Contains(saw(), text) }, func() string { return fmt.Sprintf("%q is not in %q", text, saw()) })
}

// types sends keys one by one.
func (p *attachedUser) types(keys string) error {
	for i := range len(keys) {
		if _, err := p.tty.Write([]byte{keys[i]}); err != nil {
			return err
		}
	}
	return nil
}

// Two users type at one console, and a client runs commands there: each line comes from one user,
// each command has its own output, and nothing is lost.
func TestTwoUsersAndAClient(t *testing.T) {
	t.Parallel()
	each := testkit.Times(t, 6, 15)
	p := newPlace(t)
	p.start("main")
	persons := []*attachedUser{p.sits("main"), p.sits("main")}
	for _, one := range persons {
		one.sees("/work")
	}
	errs := make([]error, len(persons)+1)
	var all sync.WaitGroup
	for who, one := range persons {
		all.Go(func() {
			for i := 0; i < each && errs[who] == nil; i++ {
				errs[who] = one.types(fmt.Sprintf("echo person%d-%d\r", who, i))
			}
		})
	}
	all.Go(func() { errs[len(persons)] = p.client(each) })
	all.Wait()
	for _, err := range errs {
		require.NoError(t, err)
	}
	var want []string
	for i := range each {
		want = append(want, fmt.Sprintf("client-%d\n", i), fmt.Sprintf("person0-%d\n", i), fmt.Sprintf("person1-%d\n", i))
	}
	p.eventually(func() bool { s := p.status("main"); return s.State == "idle" && s.Command.ID >= len(want) }, func() string { return fmt.Sprintf("%+v", p.status("main")) })
	var got []string
	for i := range p.status("main").Command.ID {
		got = append(got, p.ok("console", "read", "main", "--command", fmt.Sprint(i+1)))
	}
	slices.Sort(want)
	slices.Sort(got)
	assert.Equal(t, want, got)

	require.NoError(t, persons[0].types("half a line"))
	p.until("main", "typing")
	require.NoError(t, persons[1].types("echo held\r"))
	persons[1].sees("[keys held: another person types]")
	require.NoError(t, persons[0].types("\x1c\x04")) // detaches
	p.printed("main", "held\n")
}

// A user changes the directory: the change is reported to others, and a command for the other
// directory is not typed.
func TestAUserChangesTheDirectory(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.start("main")
	s := p.server()
	work := p.status("main").Cwd
	one := p.sits("main")
	one.sees("/work")
	require.NoError(t, one.types("cd /usr\r"))
	p.eventually(func() bool { s := p.status("main"); return s.State == "idle" && s.Cwd == "/usr" }, func() string { return fmt.Sprintf("%+v", p.status("main")) })

	r := p.exec("main", "rm x", "--expect-cwd", work)
	assert.NotZero(t, r.code)
	assert.Empty(t, r.out)
	assert.Contains(t, r.err, "main: the program is in /usr, not in "+work+"\n  nothing was typed")
	assert.Contains(t, s.call("console_exec", args{"console": "main", "code": "rm x", "expect_cwd": work}), "the program is in /usr, not in "+work)
	assert.Equal(t, result{"/usr\n", "", 0}, p.exec("main", "pwd", "--expect-cwd", "/usr"))
	assert.Contains(t, s.call("console_exec", args{"console": "main", "code": "true"}), " cwd=/usr ")

	require.NoError(t, one.types("cd /; sleep 1000\r"))
	p.until("main", "running")
	require.NoError(t, one.types("\x03"))
	p.eventually(func() bool { s := p.status("main"); return s.State == "idle" && s.Cwd == "/" }, func() string { return fmt.Sprintf("%+v", p.status("main")) })
	assert.Contains(t, p.exec("main", "pwd", "--expect-cwd", "/usr").err, "the program is in /, not in /usr")
}

// client runs commands while nobody types and no other command runs.
func (p *place) client(n int) error {
	for i := 0; i < n; {
		want := fmt.Sprintf("client-%d", i)
		r, err := p.try("", "console", "exec", "main", "echo "+want)
		switch {
		case err != nil:
			return err
		case r == result{want + "\n", "", 0}:
			i++
		case !strings.Contains(r.err, "is still running") && !strings.Contains(r.err, "a user is typing"):
			return fmt.Errorf("%s was answered with %+v", want, r)
		}
	}
	return nil
}
