//go:build unix

package session_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/internal/testkit"
	"example.org/ripple/runtime/session"
)

// newJob starts a job and returns its output once run was called and the job has ended.
func newJob(t *testing.T, s *session.Session, code string) (run func()) {
	t.Helper()
	dir := t.TempDir()
	start, said := filepath.Join(dir, "start"), filepath.Join(dir, "said")
	require.NoError(t, syscall.Mkfifo(start, 0o600))
	require.NoError(t, syscall.Mkfifo(said, 0o600))
	eval(t, s, fmt.Sprintf("(read -r go <%s; %s; : >%s) & disown", start, code, said))
	return func() {
		require.NoError(t, os.WriteFile(start, []byte("go\n"), 0o600))
		_, err := os.ReadFile(said)
		require.NoError(t, err)
	}
}

const betweenLines = 60000

func between() string {
	var b strings.Builder
	for i := range betweenLines {
		fmt.Fprintln(&b, i+1)
	}
	return b.String()
}

// All text that arrives between two commands is reported with the next one.
func TestMuchBetweenTwoCommands(t *testing.T) {
	s := open(t, "bash", session.Options{})
	for range 3 {
		newJob(t, s, fmt.Sprint("seq ", betweenLines))()
		r := eval(t, s, "echo next; (exit 3)")
		assert.True(t, between() == r.OutOfBand, "%d bytes, %q…", len(r.OutOfBand), r.OutOfBand[:min(len(r.OutOfBand), 100)])
		assert.Equal(t, "next\n", r.Output)
		assert.Equal(t, 3, code(r))
		assert.Empty(t, eval(t, s, "echo more").OutOfBand)
	}
}

// Text that exceeds the window is in a file, and the result says so.
func TestMoreThanTheWindowBetweenTwoCommands(t *testing.T) {
	var read atomic.Int64
	last := make(chan struct{})
	s := open(t, "bash", session.Options{Window: 1000, Observer: session.ObserverFunc(func(e session.Event) {
		if e.Kind != session.EventRead {
			return
		}
		read.Add(int64(len(e.Data)))
		if strings.HasSuffix(string(e.Data), "60000\r\n") {
			close(last)
		}
	})})
	newJob(t, s, fmt.Sprint("seq ", betweenLines))()
	<-last
	// An observer has it before the session. The rest would arrive with the command's echo,
	// which has another window.
	require.Eventually(t, func() bool { return s.Prompt(1).BytesRead == read.Load() }, testkit.Patience(time.Minute), time.Millisecond)
	r := eval(t, s, "echo next")
	assert.Equal(t, "next\n", r.Output)
	assert.Less(t, len(r.OutOfBand), 2500)
	assert.Regexp(t, `\A1\n2\n(?s:.*)\n\[… \d+ bytes left out here; whole in (?s:.*)\n60000\n\z`, r.OutOfBand)
	_, after, _ := strings.Cut(r.OutOfBand, "whole in ")
	file, _, _ := strings.Cut(after, " …]")
	whole, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.True(t, between() == string(whole), "%d bytes", len(whole))
}

// A caller of OutOfBand gets all of it as it arrives, and once.
func TestMuchBetweenTwoCommandsAsItComes(t *testing.T) {
	var got strings.Builder
	s := open(t, "bash", session.Options{Window: 1000, OutOfBand: func(b []byte) { got.Write(b) }})
	newJob(t, s, fmt.Sprint("seq ", betweenLines))()
	assert.Empty(t, eval(t, s, "echo next").OutOfBand)
	assert.True(t, between() == got.String(), "%d bytes", got.Len())
	assert.Empty(t, s.TrailingOutput())
}

// Text after the last command is reported at the end.
func TestLate(t *testing.T) {
	for _, tt := range []struct {
		name, code, want string
		window           int
	}{
		{"nothing", ":", `\A\z`, 0},
		{"a line", "echo late", `\Alate\n\z`, 0},
		{"a line without its end", "printf late", `\Alate\z`, 0},
		{"much", fmt.Sprint("seq ", betweenLines), "", 0},
		{"more than the window", fmt.Sprint("seq ", betweenLines), `\A1\n2\n(?s:.*)\n\[… \d+ bytes left out here; .*\n(?s:.*)\n60000\n\z`, 1000},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := open(t, "bash", session.Options{Window: tt.window})
			run := newJob(t, s, tt.code)
			assert.Empty(t, s.TrailingOutput())
			run()
			require.NoError(t, s.Close(deadline(t)))
			if tt.want == "" { // not a pattern, because a long one is slow
				assert.True(t, between() == s.TrailingOutput(), "%d bytes", len(s.TrailingOutput()))
				return
			}
			assert.Regexp(t, tt.want, s.TrailingOutput())
		})
	}
}
