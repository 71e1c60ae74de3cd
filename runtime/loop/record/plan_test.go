package record

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
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
		{"a box without words", "- [ ]\n", Plan{1, 0}, false},
		{"a link is no box", "- [x](https://example.org)\n[x] not an item\n- [y] neither\n", Plan{}, false},
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
	path := filepath.Join(t.TempDir(), "@fix_plan.md")
	l, err := ReadTasks(path)
	require.NoError(t, err, "no plan is no error")
	assert.Equal(t, Plan{}, l.Count())
	require.NoError(t, os.WriteFile(path, []byte("- [ ] a\n"), 0o600))
	l, err = ReadTasks(path)
	require.NoError(t, err)
	assert.Equal(t, Plan{Open: 1}, l.Count())
	assert.Equal(t, "a", l.Next())
}
