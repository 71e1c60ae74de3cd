//go:build linux

package consoles

import (
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/internal/testkit"
)

const (
	keyHome        = "\x1b[H"
	keyLeft        = "\x1b[D"
	keyBackspace   = "\x7f"
	keyEnd         = "\x05" // Ctrl-E
	keySearch      = "\x12" // Ctrl-R
	keyTab         = "\t"
	keyEnter       = "\r"
	completeWord   = "./%s-file.txt"
	uncompleteWord = "./%s-f"
)

// busy has the reasons why a call is refused that may be repeated.
var busy = []string{"is still running", "a user is typing", "calls waiting for their turn"}

// printing is how a program prints words.
type printing struct{ adapter, before, between, after string }

// entry returns the keys for a user's line number i, edited in one of four ways, and the text
// that the line prints.
func (l printing) entry(user string, i int) (keys, prints string) {
	text := func(i int) string { return fmt.Sprintf("%s-%03d", user, i) }
	switch line := l.before + text(i) + l.after; i % 4 {
	case 1: // the first letter was forgotten
		return line[1:] + keyHome + line[:1] + keyEnd + keyEnter, text(i)
	case 2: // the number in the previous line is changed
		return keySearch + text(i-1) + keyEnd + strings.Repeat(keyLeft, len(l.after)) + strings.Repeat(keyBackspace, 3) + fmt.Sprintf("%03d", i) + keyEnter, text(i)
	case 3: // a file's name is completed
		return l.before + text(i) + l.between + fmt.Sprintf(uncompleteWord, user) + keyTab + l.after + keyEnter, text(i) + " " + fmt.Sprintf(completeWord, user)
	default:
		return line + keyEnter, text(i)
	}
}

// Two attached users edit their lines while a script and an AI client run commands: every
// command has its own output and every line is what its user made of it.
func TestUsersEditBesideClients(t *testing.T) {
	t.Parallel()
	for _, tt := range testkit.FirstOfEach(t, [][]printing{ // line editors of shells, and one of an interpreter
		{{"bash", "echo ", " ", ""}, {"zsh", "echo ", " ", ""}, {"fish", "echo ", " ", ""}},
		{{"python", `print("`, `", "`, `")`}},
	}) {
		t.Run(tt.adapter, func(t *testing.T) {
			if _, err := exec.LookPath(strings.Replace(tt.adapter, "python", "python3", 1)); err != nil {
				t.Skip(err)
			}
			lines, calls := testkit.Times(t, 4, 200), testkit.Times(t, 4, 500)
			tt.editBesideClients(t, lines, calls)
		})
	}
}

func (l printing) editBesideClients(t *testing.T, lines, calls int) {
	p := newPlace(t)
	p.start("main", l.adapter)
	server := p.server()
	var want []string
	var all sync.WaitGroup
	errs := make(chan error, 4)
	for _, user := range []string{"ann", "bob"} {
		require.NoError(t, os.WriteFile(p.path("work/"+fmt.Sprintf(completeWord, user)), nil, 0o600))
		attached := p.sits("main")
		attached.sees("\x1b[?2004h") // the prompt is shown and the editor is on
		for i := range lines {
			_, prints := l.entry(user, i)
			want = append(want, prints)
		}
		all.Go(func() {
			for i := range lines {
				keys, _ := l.entry(user, i)
				if err := attached.types(keys); err != nil {
					errs <- err
					return
				}
			}
		})
	}
	for i := range calls {
		want = append(want, fmt.Sprintf("script-%d", i), fmt.Sprintf("model-%d", i))
	}
	repeat := func(client string, call func(code string) (string, error)) {
		for i := 0; i < calls; {
			prints := fmt.Sprintf("%s-%d", client, i)
			text, err := call(l.before + prints + l.after)
			switch {
			case err != nil:
				errs <- err
				return
			case strings.Contains(text, prints+"\n"):
				i++
			case !slices.ContainsFunc(busy, func(reason string) bool { return strings.Contains(text, reason) }):
				errs <- fmt.Errorf("%s was answered with %q", prints, text)
				return
			}
		}
	}
	all.Go(func() {
		repeat("script", func(code string) (string, error) {
			r, err := p.try("", "console", "exec", "main", "--", code)
			if r.code == 0 {
				return r.out, err
			}
			return r.err, err
		})
	})
	all.Go(func() {
		repeat("model", func(code string) (string, error) {
			return server.try("console_exec", args{"console": "main", "code": code})
		})
	})
	all.Wait()
	close(errs)
	for err := range errs {
		require.NoError(t, err)
	}
	p.eventually(func() bool { s := p.status("main"); return s.State == "idle" && s.Command.ID >= len(want) },
		func() string { return fmt.Sprintf("%d commands are expected: %+v", len(want), p.status("main")) })
	var got []string
	for i := range p.status("main").Command.ID {
		r := p.run("", "console", "read", "main", "--command", fmt.Sprint(i+1))
		if r.code == 0 {
			got = append(got, strings.TrimRight(r.out, " \n"))
		} else { // a call that a user's command preceded was refused, and its number is not used again
			require.Contains(t, r.err, fmt.Sprintf("main has no command %d,", i+1))
		}
	}
	slices.Sort(want)
	slices.Sort(got)
	assert.Equal(t, want, got)
}
