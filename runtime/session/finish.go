package session

import (
	"strconv"
	"strings"
	"time"

	"ripple/runtime/internal/prompt"
	"ripple/schema"
)

// readMode reads mode and level from the prompt and from the output since the
// command was sent, never from anything older. An unfinished line before the prompt
// belongs to it only where the prompt is known by it, as in (?<=\?)\n$.
func (d *driver) readMode(recent, shown string) {
	if d.prog.modes == nil {
		return
	}
	shown = prompt.Visible([]byte(shown))
	_, alone, err := d.prog.prompts.patterns.AtEnd([]byte(shown), 0)
	if err != nil {
		d.fail(err)
	}
	if alone || d.byMarker {
		recent = recent[:1+strings.LastIndexByte(recent, '\n')]
	}
	st, err := d.prog.modes.Detect(d.mode, recent+shown)
	if err != nil {
		d.fail(err)
		return
	}
	d.mode, d.level = st.Name, st.Level
}

// finish makes the result of a command that has ended.
func (d *driver) finish(c *command) {
	before := d.mode
	if c.told.end.by != ByExit {
		d.readMode(c.kept.recent(), c.told.end.shown)
	}
	r := d.partial(c)
	r.CompletedBy, r.PromptElsewhere = c.told.end.by, c.told.end.elsewhere
	r.ExitCode = d.exitCode(c, c.told.end.by)
	r.ErrorSeen = d.failed(c, r, before)
	d.capture(c.told.end, &r)
	var err error
	if r.SpillPath, err = c.kept.close(); err != nil && c.err == nil {
		c.err = err
	}
	switch {
	case c.told.end.by == ByExit:
		exit := *d.exit
		exit.Withdrawal = c.told.withdrawal
		if exit.Untaken = !c.told.began && (d.announced || c.told.elsewhere); exit.Untaken {
			r.ExitCode, r.ErrorSeen = nil, true
		}
		c.err = &exit
	case c.told.incomplete && c.err == nil:
		r.ExitCode = nil // what the prompt tells is of the withdrawal
		c.err = &IncompleteError{Reason: "the program asked for another line; the input was withdrawn"}
	}
	if d.failure != nil {
		c.err = d.failure
	}
	c.result = r
}

// partial is the result as far as it is known now.
func (d *driver) partial(c *command) Result {
	r := Result{
		Cwd: d.cwd, CwdReported: c.told.cwdReported, Mode: d.mode, Level: d.level,
		Restarted: c.told.restarted, Duration: time.Since(c.started), Bytes: c.kept.total, OutOfBand: c.outOfBand,
	}
	r.Output, r.Truncated = c.kept.text()
	return r
}

func (d *driver) exitCode(c *command, by CompletedBy) *int {
	if by == ByExit {
		return &d.exit.Code
	}
	if d.prog.output.exitCodes == schema.ExitCodeFalse {
		return nil
	}
	return c.told.code
}

// failed is the schema's expect_error: a reliable exit code that is not zero,
// an automatic mode entered, or the error pattern.
func (d *driver) failed(c *command, r Result, modeBefore string) bool {
	reliable := d.prog.output.exitCodes == schema.ExitCodeTrue
	switch {
	case reliable && r.ExitCode != nil && *r.ExitCode != 0:
		return true
	case d.mode != modeBefore && d.prog.modes.AutoEnter(d.mode):
		return true
	case d.prog.output.errors != nil:
		m, err := d.prog.output.errors.MatchString(c.kept.recent())
		if err != nil {
			d.fail(err)
		}
		return m
	}
	return false
}

// capture reads the groups of the primary prompt that the adapter gave a name. A
// group's role makes it the level or the mode where no declared mode told one.
func (d *driver) capture(e ending, r *Result) {
	if d.prog.prompts.primary.Empty() || e.by == ByExit {
		return
	}
	m, ok, err := d.prog.prompts.primary.AtEnd([]byte(e.shown), 0)
	if err != nil {
		d.fail(err)
	}
	if !ok {
		return // the prompt of some mode
	}
	r.Captures = map[string]any{}
	for _, g := range d.prog.prompts.groups {
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
