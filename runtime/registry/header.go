package registry

import (
	"bytes"
	"io"
	"os"
	"strings"

	"example.com/ripple/internal/lazyregexp"
)

// maxHead is how much of a file on disk is looked at for its header.
const maxHead = 1 << 20

// header is what a look at the lines of a file tells about its names, some
// hundred times faster than parsing it.
type header struct {
	plain bool   // false: written in a way that only the parser understands
	text  string // where the name and all aliases stand; may hold more
	name  string // a guess for files that do not load
}

// mentions is false only if the name is neither the file's name nor an alias.
func (h header) mentions(name string) bool {
	return !h.plain || strings.Contains(h.text, name)
}

var topLevelKey = lazyregexp.New(`^([A-Za-z_][A-Za-z0-9_.-]*)[ \t]*:(?:[ \t]|$)`)

// readHeader collects the top-level keys name and aliases with their values. It
// is plain only for a block mapping with bare keys from column 1, and when those
// values use neither escapes nor YAML's own references.
func readHeader(data []byte) header {
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	h := header{plain: !hasOddBreaks(data)}
	var text strings.Builder
	inside, named := false, false
	for line := range bytes.Lines(data) {
		line = bytes.TrimRight(line, "\r\n")
		if len(line) == 0 || string(line) == "---" {
			continue
		}
		if strings.IndexByte(" \t#-", line[0]) < 0 {
			key := topLevelKey().FindSubmatch(line)
			if key == nil {
				h.plain = false
				continue
			}
			inside = string(key[1]) == "name" || string(key[1]) == "aliases"
			if string(key[1]) == "name" {
				named = true
				h.name = scalar(string(line[len(key[0]):]))
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

// readHead reads the start of a file.
func readHead(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close() // only read from: nothing to lose
	return io.ReadAll(io.LimitReader(f, maxHead))
}
