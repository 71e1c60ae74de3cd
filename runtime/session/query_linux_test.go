//go:build linux

package session_test

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/internal/testkit"
	"example.org/ripple/runtime/session"
)

// A query that a command prints and whose reply it does not read has no effect on the next command, in terminals that pass on
// single keys from the start.
func TestReplyThatNobodyReads(t *testing.T) {
	for name, tt := range map[string]struct{ code, next, output string }{
		"sqlite3": {".shell cat FILE", "select 6*7;", "42\n"},
		"lua":     {"os.execute('cat FILE')", "print(6*7)", "42\n"},
		"gdb":     {"shell cat FILE", "output 6*7", "42"},
		"perldb":  {"system('cat FILE')", "p 6*7", "42\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := open(t, name, session.Options{Observer: trace(t)})
			for _, text := range []string{"\x1b[c\x1b[6n\x1b[5n", "\x1b[c" + strings.Repeat("text\n", 600), strings.Repeat("\x1b[6n", 4000)} {
				file := filepath.Join(t.TempDir(), "queries")
				require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
				for range 3 {
					eval(t, s, strings.ReplaceAll(tt.code, "FILE", file))
					assert.Equal(t, tt.output, eval(t, s, tt.next).Output)
				}
			}
		})
	}
}

// A query that a background job sends while the program is at its prompt has no effect on the next command.
func TestReplyToAJobAtThePrompt(t *testing.T) {
	for name, tt := range map[string]struct{ code, next string }{
		"sqlite3": {".shell sh JOB &", "select 6*7;"},
		"lua":     {"os.execute('sh JOB &')", "print(6*7)"},
		"gdb":     {"shell sh JOB &", "output 6*7"},
		"node":    {"void require('child_process').spawn('sh', ['JOB'], {stdio: 'inherit'})", "6*7"},
		"fish":    {"sh JOB &", "echo 42"},
		"bash":    {"sh JOB &", "echo 42"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			asked, to := make(chan struct{}, 9), trace(t)
			s := open(t, name, session.Options{Observer: session.ObserverFunc(func(e session.Event) {
				if to.Observe(e); e.Kind == session.EventRead && strings.Contains(string(e.Data), "\x1b[c") {
					asked <- struct{}{}
				}
			})})
			for range 3 {
				dir := t.TempDir()
				job := filepath.Join(dir, "job")
				require.NoError(t, os.WriteFile(job, []byte("until [ -e "+dir+"/go ]; do sleep 0.01; done\nprintf '\\033[6n\\033[c'\n"), 0o600))
				eval(t, s, strings.ReplaceAll(tt.code, "JOB", job))
				require.NoError(t, os.WriteFile(filepath.Join(dir, "go"), nil, 0o600))
				select {
				case <-asked:
				case <-time.After(testkit.Patience(10 * time.Second)):
					t.Fatal("the job did not ask")
				}
				assert.Contains(t, eval(t, s, tt.next).Output, "42", "the output of the job may be a part of it")
			}
		})
	}
}

// A command that reads the reply gets it, whether it sets the terminal's modes or not.
func TestReplyThatACommandReads(t *testing.T) {
	for _, modes := range []string{"tty.setraw(0)", "pass"} {
		s := open(t, "lua", session.Options{Observer: trace(t)})
		script := filepath.Join(t.TempDir(), "asks")
		require.NoError(t, os.WriteFile(script, []byte("import os, tty\n"+modes+"\nos.write(1, b'\\x1b[5n')\nprint(os.read(0, 4))\n"), 0o600))
		for range 3 {
			assert.Contains(t, eval(t, s, "os.execute('python3 "+script+"')").Output, `b'\x1b[0n'`)
		}
	}
}

// Output after queries whose replies nobody reads is delivered while the command still runs.
func TestUnreadQueriesDelayNoOutput(t *testing.T) {
	for name, code := range map[string]string{"sqlite3": ".shell sh FILE", "lua": "os.execute('sh FILE')", "gdb": "shell sh FILE"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			head := make(chan struct{})
			seen, once := "", sync.Once{}
			s := open(t, name, session.Options{Output: func(b []byte) {
				if seen += string(b); strings.Contains(seen, "head\n") {
					once.Do(func() { close(head) })
				}
			}})
			dir := t.TempDir()
			require.NoError(t, os.WriteFile(filepath.Join(dir, "queries"), []byte(strings.Repeat("\x1b[6n", 1000)+"\nhead\n"), 0o600))
			require.NoError(t, os.WriteFile(filepath.Join(dir, "FILE"), []byte("cd "+dir+"\ncat queries\nuntil [ -e seen ]; do sleep 0.01; done\n"), 0o600))
			wait, err := s.Submit(deadline(t), strings.ReplaceAll(code, "FILE", filepath.Join(dir, "FILE")))
			require.NoError(t, err)
			select {
			case <-head:
			case <-time.After(testkit.Patience(10 * time.Second)):
				t.Error("no output")
			}
			require.NoError(t, os.WriteFile(filepath.Join(dir, "seen"), nil, 0o600))
			_, err = wait(deadline(t))
			require.NoError(t, err)
			next := map[string]string{"sqlite3": "select 6*7;", "lua": "print(6*7)", "gdb": "echo 42\\n"}[name]
			assert.Equal(t, "42\n", eval(t, s, next).Output)
		})
	}
}
