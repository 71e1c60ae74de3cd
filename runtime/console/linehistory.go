package console

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

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
	data, _ := h.read() // an unreadable history is empty
	var lines []string
	if text := strings.ToValidUTF8(strings.TrimSuffix(string(data), "\n"), ""); text != "" {
		lines = slices.DeleteFunc(strings.Split(text, "\n"), controls)
	}
	return lineedit.History{Lines: lines, Keep: h.add}
}

// controls reports whether a line has characters on which a terminal acts. A project may bring the file, and a line is also typed.
func controls(line string) bool {
	return strings.ContainsFunc(line, func(r rune) bool { return r != '\t' && unicode.IsControl(r) })
}

// read returns the end of the file. A file of more than twice maxHistory bytes is shortened to it.
func (h lineHistory) read() ([]byte, error) {
	f, err := h.dir().Open(filepath.Base(h.file))
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // opened for reading only
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	size := info.Size()
	data, err := io.ReadAll(io.NewSectionReader(f, max(0, size-maxHistory-1), min(size, maxHistory+1)))
	if data = lastBytes(data); err == nil && size > 2*maxHistory {
		_ = h.dir().Replace(filepath.Base(h.file), data) // on an error the long file stays
	}
	return data, err
}

// dir returns the directory of the history. A project may bring it, with links in it that lead elsewhere; one of the user may be in the
// path to the directory of ripple's state.
func (h lineHistory) dir() projectfile.Dir {
	dir := filepath.Dir(h.file)
	return projectfile.In(filepath.Dir(dir), filepath.Base(dir))
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
	if os.MkdirAll(filepath.Dir(filepath.Dir(h.file)), 0o700) != nil || h.dir().Mkdir("", 0o700) != nil {
		return
	}
	f, err := h.dir().OpenFile(filepath.Base(h.file), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return
	}
	defer func() { _ = f.Close() }()
	if f.Chmod(0o600) == nil { // the file may have existed
		_, _ = f.WriteString(line + "\n")
	}
}
