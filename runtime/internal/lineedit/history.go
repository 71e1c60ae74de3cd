package lineedit

import (
	"strings"

	"example.org/ripple/runtime/internal/keys"
)

// mostLines is how many lines a history has in memory.
const mostLines = 5000

// History is the lines that were entered before. Its zero value is one without lines.
type History struct {
	Lines []string          // the oldest first
	Keep  func(line string) // called for each line that is added; nil: lines are kept in memory alone

	// Further reports whether a line, or one after the first of pasted text, continues the command before it; nil: none does.
	Further func(pasted bool) bool

	hidden bool   // the command's first line begins with a blank
	back   int    // how many lines before the newest one the shown one is, from 1; 0: it is the unfinished one
	draft  string // the unfinished line, while another one is shown
}

// Add adds a line that was entered; pasted is set for one after the first of pasted text. The lines of a command that begins with
// a blank are not kept, nor is a line that is the same as the one before.
func (h *History) Add(line string, pasted bool) {
	h.rest()
	if h.Further == nil || !h.Further(pasted) {
		h.hidden = strings.HasPrefix(line, " ") || strings.HasPrefix(line, "\t")
	}
	if h.hidden || strings.TrimSpace(line) == "" {
		return
	}
	if n := len(h.Lines); n > 0 && h.Lines[n-1] == line {
		return
	}
	h.Lines = append(h.Lines, line)
	if len(h.Lines) > mostLines {
		h.Lines = append([]string(nil), h.Lines[len(h.Lines)-mostLines:]...)
	}
	if h.Keep != nil {
		h.Keep(line)
	}
}

// rest ends the walk through the history.
func (h *History) rest() { h.back, h.draft = 0, "" }

// step goes n lines back, or forward if n is negative; now is the current content of the line.
func (h *History) step(n int, now string) (line string, ok bool) {
	to := h.back + n
	if to < 0 || to > len(h.Lines) {
		return "", false
	}
	if h.back == 0 {
		h.draft = now
	}
	if h.back = to; to == 0 {
		return h.draft, true
	}
	return h.Lines[len(h.Lines)-to], true
}

func doUp(e *Editor) Result   { return e.walk(1) }
func doDown(e *Editor) Result { return e.walk(-1) }

func (e *Editor) walk(n int) Result {
	line, ok := e.history.step(n, e.line.text())
	if !ok {
		return Result{Do: Bell}
	}
	e.line.set(line)
	return Result{}
}

// search looks for a line of the history, as Ctrl-R does in readline.
type search struct {
	query string
	at    int // the line that was found; as many as there are: none yet
	found bool
}

func doLook(e *Editor) Result {
	e.search = &search{at: len(e.history.Lines)}
	return Result{}
}

// view shows what is looked for, and the line that has it.
func (s *search) view(found string) View {
	head := "(search) "
	if !s.found && s.query != "" {
		head = "(not found) "
	}
	chars := append(split(head+s.query), split(": "+found)...)
	return View{Chars: chars, At: len(split(head + s.query))}
}

// find goes to the newest line before a place that has the query.
func (e *Editor) find(before int) Result {
	s := e.search
	for i := min(before, len(e.history.Lines)) - 1; i >= 0; i-- {
		if strings.Contains(e.history.Lines[i], s.query) {
			s.at, s.found = i, true
			e.line.set(e.history.Lines[i])
			return Result{}
		}
	}
	s.found = s.found && strings.Contains(e.line.text(), s.query)
	return Result{Do: Bell}
}

// searching takes a key for the search; any other one ends it, with the line that was found.
func (e *Editor) searching(k *keys.Key) (r Result, took bool) {
	s := e.search
	switch {
	case k.Ctrl && k.Code == 'r':
		return e.find(s.at), true
	case k.Ctrl && (k.Code == 'g' || k.Code == 'c'):
		e.Drop()
		return Result{}, true
	case k.Code == 0x7f, k.Ctrl && k.Code == 'h':
		if chars := split(s.query); len(chars) > 0 {
			s.query = strings.Join(chars[:len(chars)-1], "")
		}
		return e.find(len(e.history.Lines)), true
	case !k.Ctrl && k.Code >= ' ' && k.Raw[0] != esc:
		s.query += printable(string(k.Raw))
		return e.find(s.at + 1), true
	}
	e.search = nil
	return Result{}, len(k.Raw) == 1 && k.Raw[0] == esc
}

// lastWord is the last word of a line of the history that a key has inserted.
type lastWord struct {
	back int // how many lines before the newest one that line is, from 1; 0: none was inserted
	from int // where the word begins
}

// doLastWord inserts the last word of the line before; once more, that of an older line in its place.
func doLastWord(e *Editor) Result {
	lines := e.history.Lines
	for i := len(lines) - 1 - e.last.back; i >= 0; i-- {
		word := wordAtEnd(lines[i])
		if word == "" {
			continue
		}
		if e.last.back > 0 {
			e.line.remove(e.last.from, e.line.at)
		}
		e.last = lastWord{len(lines) - i, e.line.at}
		return e.insert(word)
	}
	return Result{Do: Bell}
}

// wordAtEnd returns the last word of a line; blanks in quotes, or after a backslash, do not end one.
func wordAtEnd(line string) string {
	line = strings.TrimRight(line, " \t")
	begins, quote := 0, byte(0)
	for i := 0; i < len(line); i++ {
		switch c := line[i]; {
		case c == '\\' && quote != '\'':
			i++
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"', c == '\'':
			quote = c
		case c == ' ', c == '\t':
			begins = i + 1
		}
	}
	return line[begins:]
}
