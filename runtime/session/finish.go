package session

import (
	"strconv"
	"strings"
	"time"

	"example.org/ripple/runtime/internal/prompt"
	"example.org/ripple/schema"
)

// reports makes results from the commands' output and the program's reports. It works under the
// driver's lock.
type reports struct {
	prog   *program
	status *status
	life   *life
	faults *faults
}

// readMode reads mode and level from the prompt and from the output since the command was sent,
// never from older text. An unfinished line before the prompt belongs to the prompt only if the
// prompt is recognized by it, as in (?<=\?)\n$.
func (o *reports) readMode(recent, shown string) {
	if o.prog.modes == nil {
		return
	}
	shown = prompt.Visible([]byte(shown))
	_, alone, err := o.prog.prompts.patterns.AtEnd([]byte(shown), 0)
	if err != nil {
		o.life.fail(err)
	}
	if alone || o.status.byMarker {
		recent = recent[:1+strings.LastIndexByte(recent, '\n')]
	}
	st, err := o.prog.modes.Detect(o.status.mode, recent+shown)
	if err != nil {
		o.life.fail(err)
		return
	}
	o.status.mode, o.status.level = st.Name, st.Level
}

// finish makes the result of a command that has ended.
func (o *reports) finish(c *command) {
	before := o.status.mode
	if c.facts.end.by != ByExit {
		o.readMode(c.kept.recent(), c.facts.end.shown)
	}
	r := o.partial(c)
	r.Fault = o.faults.take()
	r.CompletedBy, r.PromptElsewhere = c.facts.end.by, c.facts.end.elsewhere
	r.ExitCode = o.exitCode(c, c.facts.end.by)
	r.Failed = o.failed(c, r, before)
	o.capture(c.facts.end, &r)
	var err error
	if r.SpillPath, err = c.kept.close(); err != nil && c.err == nil {
		c.err = err
	}
	switch {
	case c.facts.end.by == ByExit:
		exit := *o.life.exit
		exit.Withdrawal = c.facts.withdrawal
		if exit.Unread = !c.facts.began && (o.status.announced || c.facts.elsewhere); exit.Unread {
			r.ExitCode, r.Failed = nil, true
		}
		c.err = &exit
	case c.facts.incomplete && c.err == nil:
		r.ExitCode = nil // the prompt reports the status of the withdrawal
		c.err = &IncompleteError{Reason: "the program asked for another line; the input was withdrawn"}
	}
	if o.life.failure != nil {
		c.err = o.life.failure
	}
	c.result = r
}

// partial returns the result so far.
func (o *reports) partial(c *command) Result {
	r := Result{
		Cwd: o.status.cwd, CwdReported: c.facts.cwdReported, Mode: o.status.mode, Level: o.status.level,
		Restarted: c.facts.restarted, Duration: time.Since(c.started), Bytes: c.kept.total, OutOfBand: c.outOfBand,
	}
	r.Output, r.Truncated = c.kept.text()
	return r
}

func (o *reports) exitCode(c *command, by CompletedBy) *int {
	if by == ByExit {
		return &o.life.exit.Code
	}
	if o.prog.output.exitCodes == schema.ExitCodeFalse {
		return nil
	}
	return c.facts.code
}

// failed implements the schema's expect_error: a reliable exit code that is not zero, an automatic
// mode entered, or a match of the error pattern.
func (o *reports) failed(c *command, r Result, modeBefore string) bool {
	reliable := o.prog.output.exitCodes == schema.ExitCodeTrue
	switch {
	case reliable && r.ExitCode != nil && *r.ExitCode != 0:
		return true
	case o.status.mode != modeBefore && o.prog.modes.AutoEnter(o.status.mode):
		return true
	case o.prog.output.errors != nil:
		m, err := o.prog.output.errors.MatchString(c.kept.recent())
		if err != nil {
			o.life.fail(err)
		}
		return m
	}
	return false
}

// capture reads the named groups of the primary prompt. A group's role makes it the level or the
// mode if no declared mode has set it.
func (o *reports) capture(e ending, r *Result) {
	if o.prog.prompts.primary.Empty() || e.by == ByExit {
		return
	}
	m, ok, err := o.prog.prompts.primary.AtEnd([]byte(e.shown), 0)
	if err != nil {
		o.life.fail(err)
	}
	if !ok {
		return // the prompt belongs to a mode
	}
	r.Captures = map[string]any{}
	for _, g := range o.prog.prompts.groups {
		if g.Group >= len(m.Groups) {
			continue
		}
		text := m.Groups[g.Group]
		n, err := strconv.Atoi(text)
		r.Captures[g.Name] = text
		if err == nil && g.Type == "int" {
			r.Captures[g.Name] = n
		}
		switch {
		case g.Role == "nesting_level" && err == nil && r.Level == nil:
			r.Level = &n
		case g.Role == "mode_indicator" && r.Mode == "":
			r.Mode = text
		}
	}
}
