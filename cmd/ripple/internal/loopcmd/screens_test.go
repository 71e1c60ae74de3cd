package loopcmd

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/runtime/event"
)

var update = flag.Bool("update", false, "rewrite the screens")

// golden compares a screen with a golden file, in which escape sequences are written in readable
// form. -update rewrites it.
func golden(t *testing.T, name, screen string) {
	t.Helper()
	path := filepath.Join(home, "testdata", "screens", name)
	screen = strings.ReplaceAll(screen, "\x1b", "␛")
	if *update {
		require.NoError(t, os.WriteFile(path, []byte(screen), 0o644))
		return
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err, "-update writes it")
	assert.Equal(t, string(want), screen, name)
}

var home, _ = os.Getwd() // before a test changes the directory

// events reads events as recorded by a loop, one per line.
func events(t *testing.T, text string) (list []event.Event) {
	t.Helper()
	for line := range strings.Lines(strings.TrimSpace(text)) {
		var e event.Event
		require.NoError(t, json.Unmarshal([]byte(line), &e), line)
		list = append(list, e)
	}
	return list
}
