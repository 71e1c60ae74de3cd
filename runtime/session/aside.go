package session

import (
	"bytes"
	"strings"

	"ripple/runtime/internal/prompt"
	"ripple/schema"
)

// asideRules is what the adapter wants of what comes between commands.
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

// asides is what a program prints between commands: background jobs, notices.
// It is text in whole lines.
type asides struct {
	asideRules
	patterns *prompt.Patterns // of prompts that may be drawn again
	keep     int              // how many lines such a prompt may span
	passed   bool             // the caller is given it as it comes; else it is kept for the next command
	window   int
	dir      string // for what does not fit the window

	line   []byte // not complete yet
	within bool   // what was taken last ended within a line
	kept   *spool // nil: nothing since it was taken
}

func newAsides(p *program, o Options, dir string) asides {
	a := asides{asideRules: p.asides, keep: 1, window: max(o.Window, 0), dir: dir}
	a.passed = o.OutOfBand != nil && !a.merged
	if a.redraws {
		a.patterns, a.keep = p.prompts.patterns, max(p.prompts.lines, 1)
	}
	return a
}

// maxAsideLine bounds an unfinished line, in bytes.
const maxAsideLine = 64 << 10

// feed takes text of no command; complete lines are final. It returns what is to
// be passed on.
func (a *asides) feed(b []byte) []byte {
	a.line = append(a.line, b...)
	end := lastLines(a.line, a.keep)
	if len(a.line)-end > maxAsideLine {
		end = len(a.line)
	}
	text := a.final(a.line[:end])
	a.line = a.line[:copy(a.line, a.line[end:])]
	return text
}

func (a *asides) final(raw []byte) (passed []byte) {
	text := bytes.ReplaceAll([]byte(prompt.Visible(raw)), []byte("\r\n"), []byte("\n"))
	if len(text) == 0 || a.passed {
		return text
	}
	if a.kept == nil {
		a.kept = newSpool(a.window, a.dir)
	}
	a.kept.write(text)
	return nil
}

// take takes what came since the last time, its unfinished line included, without
// a prompt that the program drew again behind it: one of usual characters.
func (a *asides) take(usual int) (kept string, passed []byte) {
	if !a.taken {
		return "", nil
	}
	raw := a.line
	if !a.patterns.Empty() {
		if m, ok, err := a.patterns.AtEnd(raw, usual); ok && err == nil {
			raw = raw[:m.Start]
		}
	}
	a.within = strings.TrimSpace(prompt.Visible(raw)) != ""
	passed = a.final(raw)
	a.line = a.line[:0]
	if a.kept == nil {
		return "", passed
	}
	// The file goes away with the session; the text says how much is only there.
	if _, err := a.kept.close(); err != nil && a.kept.err == nil {
		a.kept.err = err
	}
	kept, _ = a.kept.text()
	a.kept = nil
	return kept, passed
}
