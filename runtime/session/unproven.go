package session

import (
	"strings"

	"ripple/runtime/internal/prompt"
	"ripple/runtime/pty"
)

// unproven is what came with a prompt that the kernel has not confirmed yet. Where
// markers carry no number a program can be made to print its prompt like any other
// text, and only what follows tells: when it waits, all of this is a prompt and what
// stood beside it; when another prompt comes, it was output.
type unproven struct {
	open   bool   // a prompt is in question
	began  bool   // its A came
	text   []byte // all of it
	beside []byte // what of it is none of the prompt's
	behind int    // where in the text the prompt ends
}

// printable says that a command may print the prompt with its markers.
func (d *driver) printable() bool {
	markers := d.prog.prompts.markers
	return markers != nil && markers.Printable
}

// question begins another prompt of the running command, which takes back the one before.
func (d *driver) question(began bool) {
	if d.cmd == nil || !d.printable() {
		return
	}
	if d.unproven.began {
		d.takeBack()
	}
	d.unproven.open, d.unproven.began = true, began
}

// takeBack makes output of a prompt that was none. One that only an interrupt came
// behind was one.
func (d *driver) takeBack() {
	u := d.unproven
	d.unproven = unproven{}
	switch {
	case !u.open:
	case d.state.Interrupted() && u.printed() == "":
		d.between(u.beside)
	default:
		d.region = regionOutput
		d.hold(u.text)
	}
}

// doubt keeps text whose meaning the prompt in question decides. What is too long to
// be kept is output: it is lost in no case.
func (d *driver) doubt(b []byte) {
	u := &d.unproven
	if u.text = append(u.text, b...); len(u.text) > keptStartup {
		d.hold(u.text)
		u.text, u.beside, u.behind = u.text[:0], u.beside[:0], 0
	}
}

// printed is the text so far where something stands behind the prompt.
func (u *unproven) printed() string {
	if !u.began || strings.TrimSpace(prompt.Visible(u.text[u.behind:])) == "" {
		return ""
	}
	return strings.ReplaceAll(prompt.Visible(u.text), "\r\n", "\n")
}

// believe is the answer that the program waits behind the prompt in question.
func (d *driver) believe() {
	beside := d.unproven.beside
	d.unproven = unproven{}
	d.between(beside)
}

// listens says that the program looks for input as it does behind a prompt: now and
// then, or while what it has started works on.
func (d *driver) listens(r pty.Readiness) bool {
	return r.Timed || r.Listens && r.Place.PID == d.tty.PID()
}

// asks says that a program which waits does so behind a question, which came after
// a prompt that it had printed: behind the prompt itself it waits in another place.
func (d *driver) asks(r pty.Readiness) bool {
	u := d.unproven
	if !u.began || prompt.Visible(u.text[u.behind:]) == "" {
		d.place = r.Place
		return false
	}
	return r.Place != d.place
}
