package session

import (
	"ripple/runtime/internal/echo"
	"ripple/runtime/internal/prompt"
	"ripple/runtime/internal/render"
	"ripple/schema"
)

// release passes text on as output of the command.
func (d *driver) release(b []byte) {
	c := d.cmd
	if c == nil || c.incomplete {
		return
	}
	if c.expectC {
		c.pre = append(c.pre, b...)
		slack := echoSlack
		if d.beginsSeen {
			slack = beginSlack
		}
		if len(c.pre) > 4*len(c.sent)+slack {
			d.withoutBegin()
		}
		return
	}
	d.enqueue(job{kind: jobText, c: c}, b)
}

// withoutBegin gives up waiting for C: what was kept as echo is output, minus
// the echo as far as it can be recognised.
func (d *driver) withoutBegin() {
	c := d.cmd
	if !c.expectC {
		return
	}
	c.expectC = false
	pre := c.pre
	c.pre = nil
	d.release(pre)
}

// newOutput prepares the path of one line's output.
func (d *driver) newOutput(c *command, sent string) {
	c.sent = sent
	if d.region == regionPrompt { // nothing announces its end
		d.splitPrompt()
	}
	c.expectC = d.byMarker && (d.prog.output.echo == schema.EchoOSCBoundaries || d.beginsSeen)
	c.echo = d.expectedEcho(sent)
	d.enqueue(job{kind: jobSent, c: c, strip: echo.New(c.echo)}, nil)
	c.pre, c.redrawAt = c.pre[:0], -1
	d.region, d.held = regionOutput, d.held[:0]
}

// expectedEcho is what is known of the echo of a line that is about to be sent.
func (d *driver) expectedEcho(sent string) echo.Config {
	out := &d.prog.output
	c := echo.Config{Strategy: string(out.echo), Sent: d.tty.Shown([]byte(sent)), Prompt: out.echoPrompt}
	c.Kernel = d.tty.Echo([]byte(sent))
	echoes, canonical, err := d.tty.Flags()
	switch {
	case !out.strips, err == nil && canonical && !echoes, out.echo == schema.EchoNone && !echoes:
		c.Strategy = echo.Silent
	case out.echo == schema.EchoNone: // a command has turned it on
		c.Strategy, c.Sent = echo.Deterministic, c.Kernel
	case out.echo == schema.EchoOSCBoundaries:
		c.Strategy = echo.Deterministic
	}
	c.Foreign = d.prog.asides.taken && d.byMarker && c.Strategy == echo.Deterministic
	c.Shown = []byte(prompt.Visible(d.shown))
	return c
}

// endOutput ends the command's text.
func (d *driver) endOutput(c *command) {
	if c.expectC && c.redrawAt >= 0 {
		c.pre = c.pre[:c.redrawAt]
	}
	d.withoutBegin()
	d.enqueue(job{kind: jobEnd, c: c}, nil)
}

// lineEndings finds the program's line ending when it is one that a terminal
// does not know.
func (d *driver) lineEndings() *prompt.Literal {
	if d.prog.output.ending == "" {
		return nil
	}
	return prompt.NewLiteral(d.prog.output.ending)
}

func (d *driver) newRenderer(c *command) *render.Renderer {
	c.pass = func(b []byte) {
		c.kept.write(b)
		if d.options.Output != nil {
			d.printer.emit = append(d.printer.emit, b...)
		}
	}
	size := d.tty.Size()
	return render.New(render.Options{Cols: size.Cols, Rows: size.Rows, StripANSI: d.prog.output.stripANSI}, c.pass)
}
