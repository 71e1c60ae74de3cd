package console

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"

	"example.org/ripple/internal/projectfile"
	"example.org/ripple/runtime/console/place"
	"example.org/ripple/runtime/internal/lineedit"
)

// maxHistory is the number of bytes of a history that are read; a file of twice that size is
// shortened to it.
const maxHistory = 256 << 10

// lineHistory is the history of lines entered at consoles of one adapter, kept in a file in the
// state directory: one entry per line, mode 0600.
type lineHistory struct{ file string }

// historyOf returns the history of an adapter; its file is empty if it cannot be kept.
func historyOf(getenv func(string) string, adapter string) lineHistory {
	if getenv == nil || place.CheckName(adapter) != nil {
		return lineHistory{}
	}
	state, err := place.State(getenv)
	if err != nil {
		return lineHistory{}
	}
	return lineHistory{filepath.Join(filepath.Dir(state), "history", adapter)}
}

// open reads the history. New lines are appended to the file as they are entered.
func (h lineHistory) open() lineedit.History {
	if h.file == "" {
		return lineedit.History{}
	}
	data, _ := os.ReadFile(h.file) // an unreadable history is empty
	if len(data) > 2*maxHistory {
		data = lastBytes(data)
		_ = projectfile.Replace(h.file, data, 0o600) // on an error the long file stays
	}
	data = lastBytes(data)
	var lines []string
	if text := strings.ToValidUTF8(strings.TrimSuffix(string(data), "\n"), ""); text != "" {
		lines = strings.Split(text, "\n")
	}
	return lineedit.History{Lines: lines, Keep: h.add}
}

// lastBytes returns the end of a history, in whole lines.
func lastBytes(data []byte) []byte {
	if len(data) <= maxHistory {
		return data
	}
	data = data[len(data)-maxHistory:]
	return data[bytes.IndexByte(data, '\n')+1:]
}

// add appends a line in one write, because other processes append, too. A line that cannot be
// written is kept in memory only.
func (h lineHistory) add(line string) {
	if os.MkdirAll(filepath.Dir(h.file), 0o700) != nil {
		return
	}
	f, err := os.OpenFile(h.file, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return
	}
	defer func() { _ = f.Close() }()
	if f.Chmod(0o600) == nil { // the file may have existed
		_, _ = f.WriteString(line + "\n")
	}
}
