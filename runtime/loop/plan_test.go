package loop

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
		want       plan
		complete   bool
	}{
		{"no box", "# Plan\n\nNothing yet.\n", plan{}, false},
		{"all ticked", "- [x] one\n* [X] two\n1. [x] three\n", plan{0, 3}, true},
		{"one open", "- [x] one\n- [ ] two\n", plan{1, 1}, false},
		{"nested", "- [x] one\n  - [ ] part of it\n", plan{1, 1}, false},
		{"CRLF", "- [x] one\r\n- [x] two\r\n", plan{0, 2}, true},
		{"a box without words", "- [ ]\n", plan{1, 0}, false},
		{"a link is no box", "- [x](https://example.org)\n[x] not an item\n- [y] neither\n", plan{}, false},
		{"an example in fenced code", "- [x] one\n```\n- [ ] example\n```\n", plan{0, 1}, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			assert.Equal(t, tt.want, parsePlan(tt.text))
			assert.Equal(t, tt.complete, tt.want.complete())
		})
	}
}

func TestReadPlan(t *testing.T) {
	path := filepath.Join(t.TempDir(), "@fix_plan.md")
	p, err := readPlan(path)
	require.NoError(t, err, "no plan is no error")
	assert.Equal(t, plan{}, p)
	require.NoError(t, os.WriteFile(path, []byte("- [ ] a\n"), 0o600))
	p, err = readPlan(path)
	require.NoError(t, err)
	assert.Equal(t, plan{open: 1}, p)
}
