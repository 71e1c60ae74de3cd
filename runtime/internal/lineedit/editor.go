package lineedit

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"example.org/ripple/runtime/internal/keys"
)

// Editor edits one line after another. It is not safe for concurrent use.
type Editor struct {
	line       line
	history    History
	completion Completion
	search     *search // nil: no search
	killed     string
	paste      []byte   // so far
	tabbed     bool     // the last key was a Tab, and there are several candidates
	list       []string // the candidates
}

// New returns a line editor with a history, in which Tab completes words.
func New(h History, c Completion) *Editor { return &Editor{history: h, completion: c} }

// Do is what a key asks of the caller.
type Do uint8

const (
	Edited Do = iota // nothing: the line may have changed
	Enter            // the line was entered: Text, without its end
	Paste            // several lines were: Text, each with a \r
	Pass             // the key is the program's
	Bell             // there is nothing for the key to do
)

// Result is the effect of a key.
type Result struct {
	Do   Do
	Text string
}

// View is what is to be shown.
type View struct {
	Chars []string
	At    int      // the cursor is before this one
	List  []string // is to be shown below
}

// Empty reports whether there is no unfinished line.
func (e *Editor) Empty() bool { return len(e.line.chars) == 0 && e.search == nil && len(e.paste) == 0 }

// Drop forgets the unfinished line.
func (e *Editor) Drop() {
	e.line.set("")
	e.search, e.paste, e.list = nil, nil, nil
	e.history.rest()
}

// View returns what to show after the program's prompt.
func (e *Editor) View() View {
	if e.search != nil {
		return e.search.view(e.line.text())
	}
	return View{e.line.chars, e.line.at, e.list}
}

// Key takes a key.
func (e *Editor) Key(k *keys.Key) Result {
	switch k.Kind {
	case keys.Pasted, keys.Typed:
	default:
		return Result{}
	}
	e.list = nil
	if !k.Ctrl || k.Code != tab {
		e.tabbed = false
	}
	if k.Kind == keys.Pasted {
		return e.pasted(k.Raw)
	}
	if e.search != nil {
		if r, took := e.searching(k); took {
			return r
		}
	}
	switch {
	case k.Enter():
		return e.enter()
	case k.Ctrl:
		if do := controls[k.Code]; do != nil {
			return do(e)
		}
	case k.Raw[0] == esc && len(k.Raw) > 1:
		if do := sequences[string(k.Raw)]; do != nil {
			return do(e)
		}
	case k.Code == 0x7f:
		return doBackspace(e)
	case k.Code >= ' ':
		return e.insert(string(k.Raw))
	}
	return Result{Do: Bell}
}

const (
	esc = 0x1b
	tab = 'i' // with Ctrl
)

func (e *Editor) insert(text string) Result {
	if !utf8.ValidString(text) || !e.line.insert(printable(text)) {
		return Result{Do: Bell}
	}
	return Result{}
}

func (e *Editor) enter() Result {
	text := e.line.text()
	e.history.Add(text)
	e.Drop()
	return Result{Enter, text}
}

// The ends of pasted text (bracketed paste, xterm's ctlseqs).
var pasteBegins, pasteEnds = []byte("\x1b[200~"), []byte("\x1b[201~")

// longestPaste is how much pasted text is collected, in bytes.
const longestPaste = 1 << 20

// pasted takes a part of pasted text. Of text with several lines all that have ended are
// entered, and the rest is the next line to edit.
func (e *Editor) pasted(part []byte) Result {
	switch {
	case bytes.Equal(part, pasteBegins):
		e.paste, e.search = nil, nil
		return Result{}
	case !bytes.Equal(part, pasteEnds):
		if len(e.paste)+len(part) > longestPaste {
			return Result{Do: Bell}
		}
		e.paste = append(e.paste, part...)
		return Result{}
	}
	text := strings.NewReplacer("\r\n", "\r", "\n", "\r").Replace(string(e.paste))
	e.paste = nil
	last := strings.LastIndexByte(text, '\r')
	if last < 0 {
		return e.insert(printable(strings.ToValidUTF8(text, "")))
	}
	lines := strings.Split(strings.Join(e.line.chars[:e.line.at], "")+text[:last], "\r")
	after := strings.Join(e.line.chars[e.line.at:], "")
	e.Drop()
	for i := range lines {
		lines[i] = printable(strings.ToValidUTF8(lines[i], ""))
		e.history.Add(lines[i])
	}
	e.insert(printable(strings.ToValidUTF8(text[last+1:], "")))
	rest := e.line.at
	e.line.insert(after)
	e.line.at = min(rest, len(e.line.chars))
	return Result{Paste, strings.Join(lines, "\r") + "\r"}
}
