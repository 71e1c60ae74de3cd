package registry

import (
	"bytes"
	"io"
	"io/fs"
	"strings"
	"sync"
)

// How much of a file is read for its header. A test ensures that it is enough for those that
// come with ripple.
const (
	maxHead         = 1 << 20
	maxEmbeddedHead = 512
)

// header has what the lines of a file show about its names, which is some hundred times faster than
// parsing it.
type header struct {
	plain bool   // false: written in a way that only the parser understands
	text  string // where the name and all aliases stand; may hold more
	name  string // a guess for files that do not load
}

// mentions is false only if the name is neither the file's name nor an alias.
func (h header) mentions(name string) bool {
	return !h.plain || strings.Contains(h.text, name)
}

// readHeader collects the top-level keys name and aliases with their values. It
// is plain only for a block mapping with bare keys from column 1, and when those
// values use neither escapes nor YAML's own references.
func readHeader(data []byte) header {
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	h := header{plain: !hasOddBreaks(data)}
	var text strings.Builder
	inside, named, begun := false, false, false
	for line := range bytes.Lines(data) {
		line = bytes.TrimRight(line, "\r\n")
		if len(line) == 0 || string(line) == "---" {
			continue
		}
		if line[0] != '#' {
			h.plain = h.plain && (begun || line[0] != ' ') // the keys are indented: column 1 has none
			begun = true
		}
		if strings.IndexByte(" \t#-", line[0]) < 0 {
			key, value, ok := topLevelKey(line)
			if !ok {
				h.plain = false
				continue
			}
			inside = string(key) == "name" || string(key) == "aliases"
			if string(key) == "name" {
				named = true
				h.name = scalar(string(value))
			}
		} else if bytes.HasPrefix(line, []byte("---")) {
			h.plain = false // content on the line of a document mark
		}
		if inside {
			text.Write(line)
			text.WriteByte('\n')
		}
	}
	h.text = text.String()
	if !named || strings.ContainsAny(h.text, "\\*&!") {
		h.plain = false
	}
	return h
}

// topLevelKey splits a line that begins with a bare key.
func topLevelKey(line []byte) (key, value []byte, ok bool) {
	key, value, ok = bytes.Cut(line, []byte(":"))
	key = bytes.TrimRight(key, " \t")
	if !ok || len(key) == 0 || !isLetter(key[0]) || len(value) > 0 && value[0] != ' ' && value[0] != '\t' {
		return nil, nil, false
	}
	for _, c := range key {
		if !isLetter(c) && (c < '0' || c > '9') && c != '.' && c != '-' {
			return nil, nil, false
		}
	}
	return key, value, true
}

func isLetter(c byte) bool { return c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' || c == '_' }

// hasOddBreaks reports line ends of YAML that are not ours: CR alone, NEL, LS, PS.
func hasOddBreaks(data []byte) bool {
	for _, odd := range []string{"\u0085", "\u2028", "\u2029"} {
		if bytes.Contains(data, []byte(odd)) {
			return true
		}
	}
	return bytes.Count(data, []byte("\r")) != bytes.Count(data, []byte("\r\n"))
}

// scalar is a one-line value without comment and quotes.
func scalar(s string) string {
	s, _, _ = strings.Cut(s, " #")
	return strings.Trim(strings.TrimSpace(s), `"'`)
}

// headerOf reads the header of a file when it is needed. A file that cannot be read has an empty one: loading it reports
// the error.
func headerOf(fsys fs.FS, name string, limit int64) func() header {
	return sync.OnceValue(func() header {
		var head bytes.Buffer
		cut, err := readHead(fsys, name, limit, &head)
		if err != nil {
			return header{}
		}
		h := readHeader(head.Bytes())
		h.plain = h.plain && (!cut || limit == maxEmbeddedHead) // otherwise aliases may follow
		return h
	})
}

// readHead reads the start of a file into buf. cut: the file may be longer.
func readHead(fsys fs.FS, name string, limit int64, buf *bytes.Buffer) (cut bool, err error) {
	f, err := fsys.Open(name)
	if err != nil {
		return false, err
	}
	defer f.Close() // only read from: nothing to lose
	buf.Reset()
	n, err := buf.ReadFrom(io.LimitReader(f, limit))
	if n == limit { // the last line may be cut off
		buf.Truncate(bytes.LastIndexByte(buf.Bytes(), '\n') + 1)
	}
	return n == limit, err
}
