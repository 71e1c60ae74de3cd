package session

import (
	"bytes"
	"strings"

	"example.org/ripple/runtime/internal/prompt"
	"example.org/ripple/schema"
)

// unsolicitedRules says how the adapter handles output between commands.
type unsolicitedRules struct {
	enabled bool // it is kept
	merged  bool // it becomes part of the next command's output
	redraws bool // it may contain redrawn prompts
	quiesce bool // a command waits until it has stopped
}

func newUnsolicitedRules(a *schema.AsyncInterleave) unsolicitedRules {
	if a == nil {
		return unsolicitedRules{}
	}
	enabled := a.Strategy != "none" && a.Strategy != "" && a.CaptureAs != "discard"
	return unsolicitedRules{
		enabled: enabled, merged: enabled && a.CaptureAs == "merge", redraws: a.Strategy == "redraw_detect", quiesce: a.Strategy == "quiesce",
	}
}

// unsolicited collects a program's output between commands (background jobs, notices) as text in
// whole lines.
type unsolicited struct {
	unsolicitedRules
	patterns *prompt.Patterns // prompts that may be redrawn
	keep     int              // how many lines such a prompt may span
	direct   bool             // text goes to the caller as it arrives instead of being kept for the next command
	window   int
	dir      string // where text goes that exceeds the window

	line    []byte // incomplete so far
	midLine bool   // the text taken last ended in the middle of a line
	kept    *spool // nil: nothing arrived since the last take
}

func newUnsolicited(p *program, o Options, dir string) unsolicited {
	a := unsolicited{unsolicitedRules: p.unsolicited, keep: 1, window: max(o.Window, 0), dir: dir}
	a.direct = o.OutOfBand != nil && !a.merged
	if a.redraws {
		a.patterns, a.keep = p.prompts.patterns, max(p.prompts.lines, 1)
	}
	return a
}

// maxUnsolicitedLine bounds an unfinished line, in bytes.
const maxUnsolicitedLine = 64 << 10

// feed takes text that belongs to no command; complete lines are final. It returns the text to pass
// on to the caller.
func (a *unsolicited) feed(b []byte) []byte {
	a.line = append(a.line, b...)
	end := lastLines(a.line, a.keep)
	if len(a.line)-end > maxUnsolicitedLine {
		end = len(a.line)
	}
	text := a.final(a.line[:end])
	a.line = a.line[:copy(a.line, a.line[end:])]
	return text
}

func (a *unsolicited) final(raw []byte) (passed []byte) {
	text := bytes.ReplaceAll([]byte(prompt.Visible(raw)), []byte("\r\n"), []byte("\n"))
	if len(text) == 0 || a.direct {
		return text
	}
	if a.kept == nil {
		a.kept = newSpool(a.window, a.dir)
	}
	a.kept.write(text)
	return nil
}

// take returns the text since the last call, including its unfinished line but without a redrawn
// prompt at its end. A prompt usually has usual characters.
func (a *unsolicited) take(usual int) (kept string, passed []byte) {
	if !a.enabled {
		return "", nil
	}
	raw := a.line
	if !a.patterns.Empty() {
		if m, ok, err := a.patterns.AtEnd(raw, usual); ok && err == nil {
			raw = raw[:m.Start]
		}
	}
	a.midLine = strings.TrimSpace(prompt.Visible(raw)) != ""
	passed = a.final(raw)
	a.line = a.line[:0]
	if a.kept == nil {
		return "", passed
	}
	// The file is removed with the session; the text says how much is only in the file.
	if _, err := a.kept.close(); err != nil && a.kept.err == nil {
		a.kept.err = err
	}
	kept, _ = a.kept.text()
	a.kept = nil
	return kept, passed
}
