package console

import (
	"bytes"
	"slices"
	"sync"
	"unicode"
	"unicode/utf8"

	"example.org/ripple/internal/vt"
	faults "example.org/ripple/runtime/internal/fault"
	"example.org/ripple/runtime/internal/keys"
	"example.org/ripple/runtime/internal/lineedit"
)

// LineEditor edits lines in the terminal of a user who is attached to a console
// (AttachRequest.EditsLines): while the program waits at its prompt, keys edit a line that is shown
// after it, and the program gets the line when it is entered. At all other times keys are passed
// on. Its methods may be called from several goroutines.
type LineEditor struct {
	on     *Attachment
	write  func([]byte)
	getenv func(string) string

	mu     sync.Mutex
	split  keys.Splitter
	edit   *lineedit.Editor
	prompt Prompt
	sent   int64      // number of bytes sent to the host, typed or entered
	back   []keys.Key // keys to edit as soon as the line can be edited
	claim  []byte     // the beginning of back that the host was sent for the line and has not returned
	told   bool       // the host has granted this user the line
	paint  painting
	fault  editorFault
}

// LineEditorOptions describes the user's terminal.
type LineEditorOptions struct {
	Cols, Rows int
	Write      func([]byte) // writes to the terminal; called from one goroutine at a time

	// Getenv locates the history of entered lines, as for [Open]; nil disables the history.
	Getenv func(string) string

	// FaultDir is where the report of a panic of the editor is written. Empty: the system's directory
	// for temporary files.
	FaultDir string
}

// NewLineEditor returns an editor for the lines typed at an attachment.
func NewLineEditor(on *Attachment, o LineEditorOptions) *LineEditor {
	e := &LineEditor{
		on: on, write: o.Write, getenv: o.Getenv,
		paint: painting{screen: vt.New(vt.Options{Cols: o.Cols, Rows: o.Rows})},
		fault: editorFault{reports: faults.Reports{Dir: o.FaultDir}, cols: o.Cols, rows: o.Rows},
	}
	e.edit = lineedit.New(lineedit.History{}, e.completion())
	return e
}

// Type handles typed keys, which must be whole. The error is that of the attachment.
func (e *LineEditor) Type(b []byte) (err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.fault.notice != "" {
		return e.on.Enter(b)
	}
	e.try("editing a line", nil, func() {
		err = e.typed(split(&e.split, b))
		e.show()
	})
	return err
}

// split returns the keys in b, which are whole.
func split(s *keys.Splitter, b []byte) (all []keys.Key) {
	add := func(k *keys.Key) {
		all = append(all, *k)
		all[len(all)-1].Raw = bytes.Clone(k.Raw)
	}
	s.Feed(b, add)
	s.Flush(add)
	return all
}

// Resize sets the size of the user's terminal, in character cells.
func (e *LineEditor) Resize(cols, rows int) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.fault.cols, e.fault.rows = cols, rows
	e.try("resizing the screen", nil, func() { e.paint.screen.Resize(cols, rows) }) // the console repaints the contents
	return e.on.Resize(cols, rows)
}

// Show writes output of the console and redraws the unfinished line after it.
func (e *LineEditor) Show(b []byte) {
	e.mu.Lock()
	defer e.mu.Unlock()
	shown := e.try("showing output around a line", b, func() {
		e.paint.erase()
		e.paint.add(b)
		e.show()
	})
	if !shown {
		e.write(b)
	}
}

// SetPrompt handles a change of the prompt reported by the host.
func (e *LineEditor) SetPrompt(p *Prompt) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if !e.try("editing a line", nil, func() { e.prompted(p) }) && len(p.Keys) > 0 {
		_ = e.on.Enter(p.Keys) // the reader of the attachment sees the error
	}
}

func (e *LineEditor) prompted(p *Prompt) {
	if p.Dropped != e.prompt.Dropped { // another user pressed Ctrl-C
		e.edit.Drop()
		e.told, e.back, e.claim = false, nil, nil
	}
	if p.Adapter != e.prompt.Adapter { // the first prompt
		history := historyOf(e.getenv, p.Adapter).open()
		history.Further = e.furtherLine
		e.edit = lineedit.New(history, e.completion())
	}
	e.prompt = *p
	e.prompt.Keys = nil
	if len(p.Keys) > 0 {
		e.told = true
		returned := p.Keys
		if rest, is := bytes.CutPrefix(returned, e.claim); is { // back has them
			returned, e.claim = rest, nil
		}
		e.back = append(e.back, split(new(keys.Splitter), returned)...)
	}
	if e.active() || !p.Editable && !e.told && !pastes(e.back) {
		e.claimLost()
		back := e.back
		e.back = nil
		_ = e.typed(back) // the reader of the attachment sees the error
	}
	e.show()
}

// claimLost removes the claim from the keys to edit, because the program has received it.
func (e *LineEditor) claimLost() {
	if len(e.claim) == 0 {
		return
	}
	for i := range e.back {
		if k := &e.back[i]; !pasteEnd(k) {
			_, after, _ := bytes.Cut(k.Raw, e.claim)
			if k.Raw = after; len(after) == 0 {
				e.back = slices.Delete(e.back, i, i+1)
			}
			break
		}
	}
	e.claim = nil
}

// active reports whether a line may be edited. Keys typed earlier that are still in transit come
// first.
func (e *LineEditor) active() bool {
	return e.prompt.Editable && e.prompt.Seen == e.sent
}

// edits reports whether keys edit a line. The first key of a line goes to the host, which returns
// it once no other user can start a line.
func (e *LineEditor) edits() bool { return e.active() && e.told }

// waits reports whether a key is to be edited later: it follows the first key of the line, or is
// a part of text that was pasted at a prompt.
func (e *LineEditor) waits(k *keys.Key) bool {
	if k.Kind == keys.Pasted && (e.told || pastes(e.back)) {
		return !e.active()
	}
	return len(e.claim) > 0 && e.prompt.Editable
}

// typed edits the line, or passes keys on.
func (e *LineEditor) typed(all []keys.Key) (err error) {
	var raw []byte
	for i := range all {
		switch k := &all[i]; {
		case e.edits():
			e.key(k)
		case e.waits(k):
			e.back = append(e.back, *k)
		case e.active():
			e.back = append(e.back, *k)
			if e.claim = claim(k); len(e.claim) > 0 {
				e.sent += int64(len(e.claim))
				err = e.on.Type(e.claim)
			}
		case pasteEnd(k) && !e.paint.screen.Modes().BracketedPaste: // the program has not enabled bracketed paste
		default:
			if k.Kind == keys.Typed && k.Ctrl && k.Code == 'c' {
				e.back, e.claim = nil, nil
			}
			raw = append(raw, k.Raw...)
		}
	}
	if e.edits() && e.edit.Empty() {
		e.told = false
		err = e.on.EndDraft()
	}
	if len(raw) > 0 {
		e.sent += int64(len(raw))
		err = e.on.Type(raw)
	}
	return err
}

// claim returns the part of a line's first key that asks the host for the line. Of pasted text it is the first
// character that is text; none for the beginning and the end of pasted text.
func claim(k *keys.Key) []byte {
	if k.Kind != keys.Pasted {
		return k.Raw
	}
	if pasteEnd(k) {
		return nil
	}
	text := bytes.TrimLeftFunc(k.Raw, func(r rune) bool { return unicode.IsControl(r) && r != '\t' && r != '\r' && r != '\n' })
	_, n := utf8.DecodeRune(text)
	return text[:n]
}

// pasteEnd reports whether a key is the beginning or the end of pasted text.
func pasteEnd(k *keys.Key) bool {
	return k.Kind == keys.Pasted && (string(k.Raw) == "\x1b[200~" || string(k.Raw) == "\x1b[201~")
}

// pastes reports whether pasted text is among keys.
func pastes(all []keys.Key) bool {
	return slices.ContainsFunc(all, func(k keys.Key) bool { return k.Kind == keys.Pasted })
}

// key applies a key to the line.
func (e *LineEditor) key(k *keys.Key) {
	switch r := e.edit.Key(k); r.Do {
	case lineedit.Enter:
		e.enter(r.Text + "\r")
	case lineedit.Paste, lineedit.Pass:
		e.enter(r.Text)
	case lineedit.Clear:
		e.paint.clear()
	case lineedit.Bell:
		e.paint.bell()
	}
}

// enter sends a line to the program, which echoes it where it is shown now.
func (e *LineEditor) enter(line string) {
	e.paint.keepOnScreen()
	e.sent += int64(len(line))
	_ = e.on.Enter([]byte(line)) // the reader of the attachment sees the error
	e.told = false
}

// show redraws the line and writes the changes to the terminal.
func (e *LineEditor) show() {
	if e.active() {
		e.paint.show(e.edit.View())
	} else {
		e.paint.hide()
	}
	if b := e.paint.flush(); len(b) > 0 {
		e.write(b)
	}
}
