package session

import (
	"os"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"ripple/runtime/internal/prompt"
	"ripple/runtime/session/internal/machine"
	"ripple/schema"
)

// submit sends a payload; the program is at its prompt.
func (d *driver) submit(p payload) *command {
	if d.policy.Learns && !d.visible { // it may not have come to waiting when it started
		d.look()
	}
	c := &command{
		pending: p.lines, file: p.file, started: time.Now(),
		kept: newCapture(d.options.Window, d.spillDir()), done: make(chan struct{}),
	}
	c.rend, c.endings = d.newRenderer(c), d.lineEndings()
	c.elsewhere = !d.announced && d.onTTY && !d.tty.Holds(0)
	d.cmd, d.used = c, true
	c.restarted, d.restarted = d.restarted, false
	following := len(p.lines) - 1
	if p.whole {
		c.pending, following = []string{strings.Join(p.lines, d.lineEnding())}, 0
	}
	d.step(machine.Input{Kind: machine.InSubmit, Lines: following, Confirm: p.whole && !p.marks && len(p.lines) > 1})
	d.send(d.prog.input.clear)
	d.nextLine()
	d.settleEffects()
	return c
}

// nextLine sends the next line of the block.
func (d *driver) nextLine() {
	c := d.cmd
	line := c.pending[0]
	d.believe()
	c.pending = c.pending[1:]
	d.newOutput(c, line+d.lineEnding())
	if d.policy.Printed {
		d.turn = 0
		if d.elsewhere() { // nothing else tells that the line was taken
			d.turn = d.tty.Turn()
		}
	}
	d.send(line + d.lineEnding())
	c.sentAt, c.sentTo, d.sentTurn = time.Now(), d.received, d.turn
}

// giveUp makes the program abandon a command that it wants more of: by the
// declared escape, else by an interrupt, else by the end of input.
func (d *driver) giveUp() {
	d.cmd.incomplete = true // from here on nothing is output: what comes is about our withdrawal
	d.enqueue(job{kind: jobMute, c: d.cmd}, nil)
	w := d.prog.withdrawal
	d.cmd.withdrawal = &w
	if w.Setting == settingInterrupt {
		d.interrupt(w.Key)
		return
	}
	d.send(w.Key)
}

// becomeReady is the first prompt.
func (d *driver) becomeReady(e machine.Effect) {
	d.injected, d.onTTY = nil, d.tty.Holds(0)
	d.needs = d.missing()
	d.usual = !d.elsewhere()
	d.policy.Printed = d.policy.Printed && d.usual
	d.readMode("", d.atPrompt(e))
	d.readyOnce.Do(func() { close(d.ready) })
}

// atPrompt takes over what the prompt tells, and returns it.
func (d *driver) atPrompt(e machine.Effect) (shown string) {
	d.byMarker = !e.Match
	if !e.Match {
		return string(d.promptText)
	}
	d.releaseHeld(min(d.match.Start, len(d.held)))
	d.held = d.held[:0]
	d.region = regionIdle
	d.promptLength = utf8.RuneCountInString(d.match.Text)
	return d.match.Text
}

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

// ending is how a command ended, as far as the prompt tells.
type ending struct {
	by        CompletedBy
	shown     string // the prompt
	elsewhere bool   // it was not seen
}

// complete ends the running command. Its result comes when all that it printed
// is output.
func (d *driver) complete(e machine.Effect) {
	c := d.cmd
	c.end.by, c.end.elsewhere = completedBy[e.By], e.By == machine.ByIdle && !e.Match
	if e.By == machine.ByExit {
		d.takeBack()
		d.releaseHeld(len(d.held))
	} else {
		d.believe()
		c.end.shown = d.atPrompt(e)
		d.announced = c.began
	}
	d.endOutput(c)
	if c.file != "" {
		_ = os.Remove(c.file) // the code may have removed it itself
	}
	d.cmd, d.owed = nil, ""
}

// finish makes the result of a command that has ended.
func (d *driver) finish(c *command) {
	before := d.mode
	if c.end.by != ByExit {
		d.readMode(c.kept.recent(), c.end.shown)
	}
	r := d.partial(c)
	r.CompletedBy, r.PromptElsewhere = c.end.by, c.end.elsewhere
	r.ExitCode = d.exitCode(c, c.end.by)
	r.ErrorSeen = d.failed(c, r, before)
	d.capture(c.end, &r)
	var err error
	if r.SpillPath, err = c.kept.close(); err != nil && c.err == nil {
		c.err = err
	}
	switch {
	case c.end.by == ByExit:
		exit := *d.exit
		exit.Withdrawal = c.withdrawal
		if exit.Untaken = !c.began && (d.announced || c.elsewhere); exit.Untaken {
			r.ExitCode, r.ErrorSeen = nil, true
		}
		c.err = &exit
	case c.incomplete && c.err == nil:
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
		Cwd: d.cwd, CwdReported: c.cwdReported, Mode: d.mode, Level: d.level,
		Restarted: c.restarted, Duration: time.Since(c.started), Bytes: c.kept.total, OutOfBand: c.outOfBand,
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
	return c.code
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

func (d *driver) spillDir() string {
	if d.options.SpillDir != "" {
		return d.options.SpillDir
	}
	return d.scratch.Path
}
