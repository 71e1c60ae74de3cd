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
)

// sitter is a person at a terminal that is attached to a console.
type sitter struct {
	*place
	tty *os.File
	cmd *exec.Cmd
	mu  sync.Mutex
	saw []byte
}

func (p *place) sits(name string) *sitter {
	p.Helper()
	cmd := p.command("console", "attach", name)
	cmd.Env = append(slices.Clone(cmd.Env), "TERM=xterm-256color")
	tty, err := pty.StartWithSize(cmd, &pty.Winsize{Cols: 100, Rows: 30})
	require.NoError(p, err)
	one := &sitter{place: p, tty: tty, cmd: cmd}
	seen := make(chan struct{})
	go func() {
		defer close(seen)
		_, _ = io.Copy(one, tty) // its end
	}()
	p.Cleanup(func() {
		_ = cmd.Process.Kill() // it may have ended
		_ = cmd.Wait()
		_ = tty.Close()
		<-seen
	})
	return one
}

// Write is what the terminal shows.
func (p *sitter) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.saw = append(p.saw, b...)
	return len(b), nil
}

// sees waits until something was shown.
func (p *sitter) sees(text string) {
	p.Helper()
	saw := func() string {
		p.mu.Lock()
		defer p.mu.Unlock()
		return string(p.saw)
	}
	p.eventually(func() bool { return strings.Contains(saw(), text) }, func() string { return fmt.Sprintf("%q is not in %q", text, saw()) })
}

// types sends keys one by one.
func (p *sitter) types(keys string) error {
	for i := range len(keys) {
		if _, err := p.tty.Write([]byte{keys[i]}); err != nil {
			return err
		}
	}
	return nil
}

// Two persons type at one console, and a client runs commands there: each line is one
// person's, each command has its own output, and nothing is lost.
func TestTwoPersonsAndAClient(t *testing.T) {
	const each = 15
	p := newPlace(t)
	p.start("main")
	persons := []*sitter{p.sits("main"), p.sits("main")}
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
	persons[1].sees("10 keys held: another person types")
	require.NoError(t, persons[0].types("\x1c\x04")) // he detaches
	p.printed("main", "held\n")
}

// A person changes the directory: everybody is told where the program is then, and a
// command that was meant for the other directory is not typed.
func TestAPersonChangesTheDirectory(t *testing.T) {
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

// client runs commands when nobody types and nothing runs.
func (p *place) client(n int) error {
	for i := 0; i < n; {
		want := fmt.Sprintf("client-%d", i)
		r, err := p.try("", "console", "exec", "main", "echo "+want)
		switch {
		case err != nil:
			return err
		case r == result{want + "\n", "", 0}:
			i++
		case !strings.Contains(r.err, "is still running") && !strings.Contains(r.err, "a person is typing"):
			return fmt.Errorf("%s was answered with %+v", want, r)
		}
	}
	return nil
}
