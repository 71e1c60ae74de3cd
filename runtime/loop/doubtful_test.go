package loop

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/runtime/loop/record"
)

func TestDoubtful(t *testing.T) {
	size := func(name string) int64 {
		if name == "core.dump" {
			return 120 << 20
		}
		return 1
	}
	for name, want := range map[string]string{
		"main.go": "", "a/.env.example": "", "docs/keys.md": "", "target/x.go": "", "vendors/x": "", "monkey.key.go": "",
		"core.dump":               "core.dump (120 MB)",
		"a/.env":                  "a/.env (a secret by its name)",
		".env.production":         ".env.production (a secret by its name)",
		"deploy/id_ed25519":       "deploy/id_ed25519 (a secret by its name)",
		"tls/server.pem":          "tls/server.pem (a secret by its name)",
		"web/node_modules/a/b.js": "web/node_modules/ (1 file by others)",
	} {
		assert.Equal(t, want, doubtful([]string{name}, size), name)
	}
	assert.Equal(t, ".env (a secret by its name), node_modules/ (2 files by others)", doubtful([]string{".env", "node_modules/a", "node_modules/b"}, size))
}

// Files that may not belong in a repository are reported when they are committed, and recorded.
func TestDoubtfulFilesOfACommitAreReported(t *testing.T) {
	t.Parallel()
	r := newRig(t, func(d *doing) {
		d.writes(".env", "KEY=1")
		d.writes("core.dump", "")
		if err := os.Truncate(filepath.Join(d.dir, "core.dump"), bigFile); err != nil {
			panic(err)
		}
	})
	r.sh("git init -q; git config user.name a; git config user.email a@b; git commit -q --allow-empty -m begin")
	r.flags["commit"], r.flags["max-turns"] = "true", "1"
	r.run()
	const what = ".env (a secret by its name), core.dump (10 MB)"
	assert.Contains(t, r.notes(), "turn 1: the commit contains files that seldom belong in one: "+what+"; to leave them out of the next, add them to .gitignore")
	for _, l := range r.lines() {
		if l.Type == record.Committed {
			assert.Equal(t, what, l.Why)
			return
		}
	}
	require.Fail(t, "nothing was committed")
}

// A change or removal of the task's file in a turn is reported and recorded.
func TestChangedPrompt(t *testing.T) {
	t.Parallel()
	for content, want := range map[string]string{"MINE\n": "changed while turn 1 ran", " \n": "emptied while turn 1 ran", "": "removed while turn 1 ran"} {
		r := newRig(t, func(d *doing) {
			d.work()
			d.writes(".ralph/PROMPT.md", content)
			if content == "" {
				_ = os.Remove(filepath.Join(d.dir, ".ralph/PROMPT.md"))
			}
		}, works)
		r.flags["max-turns"] = "2"
		stop := r.run()
		assert.Contains(t, r.notes()[0], ".ralph/PROMPT.md was "+want, want)
		lines := r.lines()
		assert.Equal(t, want, lines[len(lines)-1].State.Prompt)
		if content != "MINE\n" {
			assert.Equal(t, ReasonPromptMissing, stop.Reason)
			assert.Contains(t, stop.Message, "PROMPT.md was "+want+".")
		}
	}
	r := newRig(t, works, func(d *doing) {
		d.work()
		d.writes(".ralph/PROMPT.md", "NEXT\n")
		d.out.Prompt = "NEXT\n"
	})
	r.flags["max-turns"] = "2"
	r.run()
	assert.Empty(t, r.notes())
}
