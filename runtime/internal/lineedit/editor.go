package lineedit

import (
	"bytes"
	"fmt"
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
	paste      pasteText
	message    string   // why the last key had no effect
	tabbed     bool     // the last key was a Tab, and there are several candidates
	last       lastWord // that the last key has inserted
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
	Clear            // the prompt is to be moved to the top of the screen
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

	Message string // for the user, in place of List; empty: none
}

// Empty reports whether there is no unfinished line.
func (e *Editor) Empty() bool { return len(e.line.chars) == 0 && e.search == nil && !e.paste.begun }

// Drop forgets the unfinished line.
func (e *Editor) Drop() {
	e.line.set("")
	e.search, e.list, e.paste = nil, nil, pasteText{}
	e.history.rest()
}

// View returns what to show after the program's prompt.
func (e *Editor) View() View {
	if e.search != nil {
		return e.search.view(e.line.text())
	}
	return View{e.line.chars, e.line.at, e.list, e.message}
}

// Key takes a key.
func (e *Editor) Key(k *keys.Key) Result {
	switch k.Kind {
	case keys.Pasted, keys.Typed:
	default:
		return Result{}
	}
	e.list, e.message = nil, ""
	if !k.Ctrl || k.Code != tab {
		e.tabbed = false
	}
	if raw := string(k.Raw); raw != "\x1b." && raw != "\x1b_" {
		e.last = lastWord{}
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
	if len(text) > longest {
		return e.refuse(fmt.Sprintf("a line may have %d bytes, this one has %d: it was not entered", longest, len(text)))
	}
	e.history.Add(text, false)
	e.Drop()
	return Result{Enter, text}
}

// The ends of pasted text (bracketed paste, xterm's ctlseqs).
var pasteBegins, pasteEnds = []byte("\x1b[200~"), []byte("\x1b[201~")

// longestPaste is how much pasted text is collected, in bytes.
const longestPaste = 1 << 20

// pasteText is pasted text that has not ended.
type pasteText struct {
	text  []byte // nil if it is too long
	size  int
	begun bool
}

// refuse rings the bell and shows why.
func (e *Editor) refuse(message string) Result {
	e.message = message
	return Result{Do: Bell}
}

// pasted takes a part of pasted text. Of text with several lines all that have ended are
// entered, and the rest is the next line to edit. Text that is too long, or has a line that is, is
// dropped as a whole.
func (e *Editor) pasted(part []byte) Result {
	p := &e.paste
	switch {
	case bytes.Equal(part, pasteBegins):
		e.search, *p = nil, pasteText{begun: true}
		return Result{}
	case !bytes.Equal(part, pasteEnds):
		if p.size += len(part); p.size <= longestPaste {
			p.text = append(p.text, part...)
		} else {
			p.text = nil
		}
		return Result{}
	}
	text, size := strings.NewReplacer("\r\n", "\r", "\n", "\r").Replace(string(p.text)), p.size
	*p = pasteText{}
	if size > longestPaste {
		return e.refuse(fmt.Sprintf("nothing was pasted: at most %d bytes of text can be pasted, this has %d", longestPaste, size))
	}
	lines := strings.Split(strings.Join(e.line.chars[:e.line.at], "")+text, "\r")
	after := strings.Join(e.line.chars[e.line.at:], "")
	for i := range lines {
		lines[i] = printable(strings.ToValidUTF8(lines[i], ""))
		n := len(lines[i])
		if i == len(lines)-1 {
			n += len(after)
		}
		if n > longest {
			return e.refuse(fmt.Sprintf("nothing was pasted: a line may have %d bytes, line %d would have %d", longest, i+1, n))
		}
	}
	last := len(lines) - 1
	if last == 0 {
		return e.insert(printable(strings.ToValidUTF8(text, "")))
	}
	e.Drop()
	for i, line := range lines[:last] {
		e.history.Add(line, i > 0)
	}
	e.insert(lines[last])
	rest := e.line.at
	e.line.insert(after)
	e.line.at, e.line.past = min(rest, len(e.line.chars)), nil
	return Result{Paste, strings.Join(lines[:last], "\r") + "\r"}
}
