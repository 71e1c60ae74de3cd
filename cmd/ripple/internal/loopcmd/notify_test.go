package loopcmd

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// Each terminal receives the sequence that it supports.
func TestNotification(t *testing.T) {
	tests := []struct {
		name, text string
		env        map[string]string
		want       string
	}{
		{"most terminals", "q1: Which; one?", map[string]string{"TERM": "xterm-kitty"}, "\x1b]9;ripple: q1: Which, one?\a"},
		{"foot", "done", map[string]string{"TERM": "foot-extra"}, "\x1b]777;notify;ripple;done\a"},
		{"VTE", "done", map[string]string{"TERM": "xterm-256color", "VTE_VERSION": "7200"}, "\x1b]777;notify;ripple;done\a"},
		{"within tmux", "done", map[string]string{"TERM": "tmux-256color", "TMUX": "/tmp/tmux"}, "\x1bPtmux;\x1b\x1b]9;ripple: done\a\x1b\\"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			assert.Equal(t, tt.want, notification(tt.text, func(name string) string { return tt.env[name] }))
		})
	}
}
