package probe

import (
	"context"
	"fmt"
	"strings"

	"example.org/ripple/internal/vt"
)

const (
	dumb  = "dumb"
	color = "xterm-256color"
)

// ways are tried in this order: the plainest terminal on which the program works is preferred,
// because the least can go wrong on it.
var ways = []way{
	{dumb, false, false, "\n"},
	{dumb, false, true, "\n"},
	{dumb, true, true, "\n"},
	{dumb, false, false, "\r"},
	{color, true, true, "\n"},
	{color, true, true, "\r"},
}

// findTerminal is experiment 2 and the beginning of 3: the program's prompt, on the plainest terminal on
// which it answers.
func findTerminal(ctx context.Context, l *lab) error {
	deaf := false
	for _, w := range ways {
		if deaf && (w.term == dumb || w.ending == "\r") {
			continue // it accepted every line, but evaluates on no terminal
		}
		l.way = w
		l.log.experiment(2, fmt.Sprintf("an empty line, three times (%s)", w))
		l.prompts.lines, l.trailing, l.silent, l.more = nil, "", false, ""
		first, err := l.start(ctx)
		if err != nil {
			return err
		}
		if !first.idle() {
			continue
		}
		l.o.progress("its prompt")
		spelling, a, err := evaluates(ctx, l, first)
		if err != nil {
			return err
		}
		if spelling != "" {
			l.tongue.spelling, l.tongue.result = spelling, a
			return nil
		}
		deaf = deaf || l.lost == 0 && len(l.prompts.lines) > 0
	}
	// Nothing evaluates: the first terminal is used.
	l.way = ways[0]
	l.prompts.lines, l.trailing, l.silent = nil, "", false
	first, err := l.start(ctx)
	if err != nil {
		return err
	}
	return sendEmptyLines(ctx, l, first)
}

// lookAtStart is experiment 1: the program on a common terminal, and on a dumb one.
func lookAtStart(ctx context.Context, l *lab) error {
	l.o.progress("how the program starts")
	var replies []reply
	for _, w := range []way{{color, true, true, "\n"}, {dumb, true, true, "\n"}} {
		l.way = w
		l.log.experiment(1, "start: "+w.String())
		r, err := l.start(ctx)
		if err != nil {
			return err
		}
		editor, full := observe(l, r), fullScreen(l)
		if editor && w.term == dumb {
			if r, err = withoutEditor(ctx, l, r); err != nil {
				return err
			}
		}
		replies = append(replies, r)
		if r.how == quiet {
			l.latest = max(l.latest, 8*r.took, l.o.patience().start/20)
		}
		if full && w.term == color {
			return &StartError{Reason: l.o.Command[0] + "is a full-screen program (it switches to the alternate screen): only line-oriented programs can be learned", Output: r.text()}
		}
	}
	if !replies[0].idle() && !replies[1].idle() {
		return neverWaits(l, replies[1])
	}
	return nil
}

// observe records what a start shows about the program's terminal, and reports whether the program
// has its own line editor there.
func observe(l *lab, r reply) (editor bool) {
	modes, err := l.talk.term.Modes()
	if err == nil && r.idle() {
		l.log.say("at its first wait the terminal is canonical: %v, echo: %v", modes.Canonical(), modes.Echoes())
		if editor = !modes.Canonical(); editor {
			l.log.say("so the program has a line editor of its own")
		}
	}
	for _, asked := range queries(r.raw) {
		l.log.say("the program asks the terminal %s", asked)
	}
	l.talk.term.WithScreen(func(screen *vt.Screen) {
		if screen.Modes().BracketedPaste {
			l.log.say("the program supports bracketed paste")
		}
	})
	return editor
}

// queries returns descriptions of the queries that a program sends to its terminal (ECMA-48 DA and
// DSR).
func queries(raw []byte) (asked []string) {
	var parser vt.Parser
	parser.Feed(raw, func(t *vt.Token) {
		if what := query(t); what != "" {
			asked = append(asked, what)
		}
	})
	return asked
}

// query describes the query in a sequence; empty if it is not one.
func query(t *vt.Token) string {
	switch {
	case t.Kind != vt.CSI || t.Prefix != 0:
	case t.Final == 'n':
		return "for the cursor position or its status"
	case t.Final == 'c':
		return "for its type"
	}
	return ""
}

// fullScreen reports whether the program has switched to the alternate screen.
func fullScreen(l *lab) (full bool) {
	l.talk.term.WithScreen(func(screen *vt.Screen) { full = screen.Alternate() })
	return full
}

// sendEmptyLines is experiment 2 after the first wait: the program's answers to empty lines.
func sendEmptyLines(ctx context.Context, l *lab, first reply) error {
	var lines []string
	var last reply
	for range 3 {
		if last = l.sendLine(ctx, ""); !last.idle() {
			break
		}
		lines = append(lines, last.last())
	}
	judgePrompt(l, first, last, lines)
	if l.atPrompt = last.idle() && l.isPrompt(last) && len(lines) == 3; l.atPrompt {
		return ctx.Err()
	}
	_, err := l.start(ctx)
	return err
}

// judgePrompt determines the prompt from the line of the first wait and those after empty lines.
func judgePrompt(l *lab, first, last reply, lines []string) {
	p0 := first.last()
	same := len(lines) == 3
	for _, line := range lines {
		same = same && line != "" && skeleton(line) == skeleton(lines[0])
	}
	switch {
	case same && (skeleton(p0) == skeleton(lines[0]) || p0 == ""):
		l.prompts.lines = nil
		for _, line := range append([]string{p0}, lines...) {
			if line != "" {
				l.prompts.add(line)
			}
		}
		l.log.say("the prompt is %q, after each empty line too", lines)
	case p0 != "":
		l.prompts.lines = []string{p0}
		if len(lines) > 0 && lines[0] != "" && skeleton(lines[0]) != skeleton(p0) {
			l.more = lines[0]
			l.log.say("the prompt is %q; after an empty line the program shows %q, which asks for more", p0, l.more)
		} else {
			l.log.say("the prompt is %q; the program prints nothing after an empty line", p0)
		}
		l.draft.set("input.empty_line", "none", sure, 2, "an empty line does not bring the prompt back")
	case last.idle() && strings.TrimSpace(last.text()) != "":
		text := last.text()
		body := strings.TrimRight(text, "\n")
		l.trailing = body[strings.LastIndexByte(body, '\n')+1:] + text[len(body):]
		l.log.say("the program has no prompt; each answer ends with %q", l.trailing)
	default:
		l.silent = true
		l.log.say("the program has no prompt, and prints nothing after an empty line")
	}
}
