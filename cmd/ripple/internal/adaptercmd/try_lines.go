package adaptercmd

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"example.org/ripple/cmd/ripple/internal/annotate"
	"example.org/ripple/cmd/ripple/internal/ui"
	"example.org/ripple/runtime/registry"
	"example.org/ripple/runtime/session"
)

// lineTrial runs each line of standard input and prints the interpretation of each part of the
// output.
type lineTrial struct {
	*app
	entry      *registry.Entry
	flags      tryFlags
	session    *session.Session
	transcript annotate.Transcript
	recording  *recording // nil: everything is shown, and nothing recorded
}

func tryLines(a *app, ctx context.Context, e *registry.Entry, f tryFlags, rec *recording) (err error) {
	t := &lineTrial{app: a, entry: e, flags: f, recording: rec}
	if err := t.open(ctx); err != nil {
		return err
	}
	defer func() {
		closing, cancel := context.WithCancel(context.WithoutCancel(ctx))
		defer cancel()
		if t.session.State().Phase == session.PhaseRunning {
			cancel() // it did not react to an interrupt
		}
		if end := t.session.Close(closing); err == nil && end != nil {
			err = ui.FailWith(ui.ExitFailed, end, "")
		}
	}()
	lines := bufio.NewScanner(a.In)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() && ctx.Err() == nil && a.OutError() == nil {
		if err := t.try(ctx, lines.Text()); err != nil {
			return err
		}
	}
	if err := lines.Err(); err != nil {
		return ui.FailWith(ui.ExitFailed, fmt.Errorf("reading standard input: %w", err), "")
	}
	if ctx.Err() != nil {
		return ui.ExitWith(ui.ExitInterrupted)
	}
	return nil
}

func (t *lineTrial) open(ctx context.Context) (err error) {
	ctx, cancel := context.WithTimeout(ctx, t.flags.timeout)
	defer cancel()
	o := t.flags.session
	o.Observer, o.OwnsOrphans = &t.transcript, true
	t.session, err = session.Open(ctx, t.entry.Adapter, o)
	t.print()
	if err != nil {
		return notStarted(err)
	}
	return nil
}

// try runs a line. It returns an error if no other line can be run.
func (t *lineTrial) try(ctx context.Context, line string) error {
	limited, cancel := context.WithTimeout(ctx, t.flags.timeout)
	defer cancel()
	t.say("command", line)
	r, err := t.session.Eval(limited, line)
	t.print()
	t.say("result", resultWords(r, err))
	if t.recording != nil {
		t.Note("%s", t.recording.add(line, r, err, false))
	}
	switch {
	case ctx.Err() != nil, err == nil, errors.Is(err, session.ErrIncompleteInput):
		return nil
	case errors.Is(err, session.ErrTimeout):
		return t.interrupt(ctx, err)
	case errors.Is(err, session.ErrExited):
		return nil // the rest of the output reports it, too
	}
	return ui.FailWith(ui.ExitFailed, err, "")
}

// interrupt interrupts a command that no prompt has ended.
func (t *lineTrial) interrupt(ctx context.Context, late error) error {
	t.say("tried", prompts(t.entry.Adapter))
	ctx, cancel := context.WithTimeout(ctx, t.flags.timeout)
	defer cancel()
	if _, err := t.session.Interrupt(ctx); err != nil {
		return ui.FailWith(ui.ExitTimeout, late, "an interrupt did not bring back a prompt either: "+err.Error())
	}
	t.print()
	return nil
}

func (t *lineTrial) say(label, text string) {
	if t.recording == nil {
		t.Printf("%-15s%s\n", label, ui.Harmless(text))
	}
}

// print prints the parts that have arrived since the last call.
func (t *lineTrial) print() {
	for _, p := range t.transcript.Rest() {
		if p.As == session.ClassMarker || p.As == session.ClassEnd {
			t.say(string(p.As), p.Text)
			continue
		}
		for _, line := range quoted(p.Raw) {
			t.say(string(p.As), line)
		}
	}
}

// mostLines and longestLine limit how much of one part is shown.
const mostLines, longestLine = 40, 400

// quoted returns a text line by line, in Go syntax.
func quoted(raw []byte) (lines []string) {
	all := bytes.SplitAfter(raw, []byte("\n"))
	if len(all[len(all)-1]) == 0 {
		all = all[:len(all)-1]
	}
	for i, line := range all {
		if len(all) > mostLines && i == mostLines/2 {
			lines = append(lines, fmt.Sprintf("… %s …", ui.Count(len(all)-mostLines, "more line")))
		}
		if len(all) > mostLines && i >= mostLines/2 && i < len(all)-mostLines/2 {
			continue
		}
		rest := ""
		if len(line) > longestLine {
			line, rest = line[:longestLine], fmt.Sprintf(" and %s", ui.Count(len(line)-longestLine, "more byte"))
		}
		lines = append(lines, strconv.Quote(string(line))+rest)
	}
	return lines
}

// resultWords describes the result of a command in one line.
func resultWords(r session.Result, err error) string {
	parts := []string{ui.Count(len(r.Output), "byte") + " of output"}
	if err != nil {
		parts = []string{err.Error()}
	}
	if r.ExitCode != nil {
		parts = append(parts, fmt.Sprintf("exit code %d", *r.ExitCode))
	}
	if r.Failed {
		parts = append(parts, "an error")
	}
	if r.Mode != "" {
		parts = append(parts, "mode "+r.Mode)
	}
	if r.Level != nil {
		parts = append(parts, fmt.Sprintf("level %d", *r.Level))
	}
	if r.CwdReported {
		parts = append(parts, "in "+r.Cwd)
	}
	if r.OutOfBand != "" {
		parts = append(parts, ui.Count(len(r.OutOfBand), "byte")+" out of band before it")
	}
	return strings.Join(parts, ", ")
}
