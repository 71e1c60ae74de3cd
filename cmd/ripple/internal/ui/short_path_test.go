package ui

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"

	"example.org/ripple/runtime/event"
)

func TestShortPath(t *testing.T) {
	roots := []string{"/home/u/link", `/srv/ark`}
	for path, want := range map[string]string{
		"/srv/ark/a/b.go":                          "a/b.go",
		"/home/u/link/b.go":                        "b.go",
		"/srv/ark/.ralph/agent/work-worktree/a.go": "…/a.go",
		"/srv/ark/.ralph/PROMPT.md":                ".ralph/PROMPT.md",
		`\srv\ark\a\b.go`:                          "a/b.go",
		"/srv/arkade/b.go":                         "/srv/arkade/b.go",
		"/srv/ark":                                 "/srv/ark",
		"a/b.go":                                   "a/b.go",
		"/srv/ark/x-worktree/a.go":                 "x-worktree/a.go",
		"":                                         "",
	} {
		assert.Equal(t, want, shortPath(path, roots), path)
	}
	assert.Equal(t, `D:\x`, shortPath(`D:\x`, []string{`C:\x`}))
	assert.Equal(t, "a.go", shortPath(`C:\x\a.go`, []string{`C:\x`}))
}

func TestToolsAreShownWithShortPaths(t *testing.T) {
	tool := func(input string) event.Event {
		return event.Event{Type: event.ToolUse, Input: json.RawMessage(input)}
	}
	roots := []string{"/srv/ark"}
	assert.Equal(t, "…/a.go", toolSummary(tool(`{"file_path": "/srv/ark/.ralph/b-worktree/a.go"}`), roots))
	assert.Equal(t, "cat /srv/ark/a.go", toolSummary(tool(`{"command": "cat /srv/ark/a.go"}`), roots), "commands stay as they were run")
}
