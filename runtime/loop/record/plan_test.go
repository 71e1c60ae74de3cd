package record

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.com/ripple/runtime/loop/layout"
)

func TestParsePlan(t *testing.T) {
	tests := []struct {
		name, text string
		want       Plan
		complete   bool
	}{
		{"no box", "# Plan\n\nNothing yet.\n", Plan{}, false},
		{"all ticked", "- [x] one\n* [X] two\n1. [x] three\n", Plan{0, 3}, true},
		{"one open", "- [x] one\n- [ ] two\n", Plan{1, 1}, false},
		{"nested", "- [x] one\n  - [ ] part of it\n", Plan{1, 1}, false},
		{"CRLF", "- [x] one\r\n- [x] two\r\n", Plan{0, 2}, true},
		{"a box without text", "- [ ]\n", Plan{1, 0}, false},
		{"a link is not a box", "- [x](https://example.org)\n[x] not an item\n- [y] neither\n", Plan{}, false},
		{"an example in fenced code", "- [x] one\n```\n- [ ] example\n```\n", Plan{0, 1}, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			assert.Equal(t, tt.want, ParseTasks(tt.text).Count())
			assert.Equal(t, tt.complete, tt.want.Complete())
		})
	}
}

func TestReadTasks(t *testing.T) {
	dir := t.TempDir()
	l, err := ReadTasks(dir, dir)
	require.NoError(t, err, "a missing plan is not an error")
	assert.Equal(t, Plan{}, l.Count())
	require.NoError(t, os.Mkdir(filepath.Join(dir, layout.Dir), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(dir, layout.Dir, layout.PlanFile), []byte("- [ ] a\n"), 0o600))
	l, err = ReadTasks(dir, dir)
	require.NoError(t, err)
	assert.Equal(t, Plan{Open: 1}, l.Count())
	assert.Equal(t, "a", l.Next())
}
