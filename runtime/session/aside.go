package session

import (
	"bytes"

	"ripple/runtime/internal/echo"
	"ripple/runtime/internal/prompt"
	"ripple/schema"
)

// aside is what a program prints between commands: background jobs, notices.
// It is text in whole lines, under printer.mu.
type aside struct {
	line []byte   // not complete yet
	kept *capture // nil: nothing since it was taken
}

// asideRules is what the adapter wants of it.
type asideRules struct {
	taken   bool // it is kept
	merged  bool // and is output of the next command
	redraws bool // a redrawn prompt may be among it
	quiesce bool // a command waits until it is over
}

func newAsideRules(a *schema.AsyncInterleave) asideRules {
	if a == nil {
		return asideRules{}
	}
	taken := a.Strategy != "none" && a.Strategy != "" && a.CaptureAs != "discard"
	return asideRules{
		taken: taken, merged: taken && a.CaptureAs == "merge", redraws: a.Strategy == "redraw_detect", quiesce: a.Strategy == "quiesce",
	}
}

// between passes on what belongs to no command.
func (d *driver) between(b []byte) {
	switch {
	case len(b) == 0 || !d.prog.asides.taken || d.leaving:
	case d.unproven.open:
		d.unproven.beside = append(d.unproven.beside, b...)
	default:
		d.enqueue(job{kind: jobAside}, b)
	}
}

// putAside takes text of no command; complete lines are final.
func (d *driver) putAside(b []byte) {
	a := &d.printer.aside
	a.line = append(a.line, b...)
	keep := 1
	if d.prog.asides.redraws {
		keep = max(d.prog.prompts.lines, 1) // the prompt may be among them
	}
	end := lastLines(a.line, keep)
	if len(a.line)-end > maxAsideLine {
		end = len(a.line)
	}
	d.asideText(a.line[:end])
	a.line = a.line[:copy(a.line, a.line[end:])]
}

// maxAsideLine bounds an unfinished line, in bytes.
const maxAsideLine = 64 << 10

func (d *driver) asideText(raw []byte) {
	text := bytes.ReplaceAll([]byte(prompt.Visible(raw)), []byte("\r\n"), []byte("\n"))
	if len(text) == 0 {
		return
	}
	if d.options.OutOfBand != nil && !d.prog.asides.merged {
		d.printer.emitAside = append(d.printer.emitAside, text...)
		return
	}
	a := &d.printer.aside
	if a.kept == nil {
		a.kept = newCapture(max(d.options.Window, 0), d.spillDir())
	}
	a.kept.write(text)
}

// takeAside takes what came since the last time, its unfinished line included,
// without a prompt that the program drew again behind it. Both locks are held.
func (d *driver) takeAside() (text string) {
	if !d.prog.asides.taken {
		return ""
	}
	a := &d.printer.aside
	raw := a.line
	if d.prog.asides.redraws && !d.prog.prompts.patterns.Empty() {
		if m, ok, err := d.prog.prompts.patterns.AtEnd(raw, d.promptLength); ok && err == nil {
			raw = raw[:m.Start]
		}
	}
	d.asideText(raw)
	a.line = a.line[:0]
	if a.kept == nil {
		return ""
	}
	// The file goes away with the session; the text says how much is only there.
	if _, err := a.kept.close(); err != nil && a.kept.err == nil {
		a.kept.err = err
	}
	text, _ = a.kept.text()
	a.kept = nil
	return text
}

// before gives a command what came before its output begins: it is not the
// command's, unless the adapter wants it there.
func (d *driver) before(c *command) {
	d.mu.Lock()
	defer d.mu.Unlock()
	text := d.takeAside()
	if d.prog.asides.merged {
		c.pass([]byte(text))
	} else {
		c.outOfBand += text
	}
}

// splitEcho takes the echo out of what came before C: the rest is not of the
// command, which had not begun.
func (d *driver) splitEcho(c *command, pre []byte) {
	if c.echo.Strategy == echo.Silent {
		d.between(pre)
		return
	}
	if d.prog.asides.taken {
		d.enqueue(job{kind: jobEcho, c: c, config: c.echo}, pre)
	}
}

// splitPrompt takes the prompt out of what came where it was shown. It is known
// from before; one that changes is what comes after as many lines as are more
// than it has.
func (d *driver) splitPrompt() {
	text := d.promptText
	if d.shown == nil || !d.prog.asides.taken || bytes.Equal(text, d.shown) {
		d.shown = append(d.shown[:0], text...)
		return
	}
	// A prompt that has grown within its line, by a directory or a level, is the prompt.
	if lines, rest, ok := echo.Cut(d.shown, text); ok && len(lines) > 0 {
		d.between(lines)
		d.shown = append(d.shown[:0], rest...)
		d.promptText = append(text[:0], rest...)
		return
	}
	d.splitPromptLines(bytes.Count(text, []byte("\n")) - bytes.Count(d.shown, []byte("\n")))
	d.shown = append(d.shown[:0], d.promptText...)
}

// splitPromptLines takes the first n lines away from the prompt.
func (d *driver) splitPromptLines(n int) {
	text, end := d.promptText, 0
	for ; n > 0; n-- {
		end += bytes.IndexByte(text[end:], '\n') + 1
	}
	if len(bytes.TrimSpace([]byte(prompt.Visible(text[:end])))) > 0 {
		d.between(text[:end])
	}
	d.promptText = text[:copy(text, text[end:])]
}
