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
		if len(c.pre) > 4*len(c.sent)+echoSlack {
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
	out := d.adapter.Output
	strategy := out.InputEchoStrategy
	if !out.StripInputEcho {
		strategy = schema.EchoNone
	}
	c.expectC = strategy == schema.EchoOSCBoundaries && d.byMarker
	if strategy == schema.EchoOSCBoundaries {
		strategy = schema.EchoDeterministicByte
	}
	strip := echo.New(echo.Config{Strategy: string(strategy), Sent: []byte(sent), Prompt: d.echoPrompt})
	d.enqueue(job{kind: jobSent, c: c, strip: strip}, nil)
	c.pre, c.redrawAt = c.pre[:0], -1
	d.region, d.held = regionOutput, d.held[:0]
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
	switch e := d.adapter.Output.LineEnding; e {
	case "", "\n", "\r\n":
		return nil
	default:
		return prompt.NewLiteral(e)
	}
}

func (d *driver) newRenderer(c *command) *render.Renderer {
	size := d.tty.Size()
	return render.New(render.Options{Cols: size.Cols, Rows: size.Rows, StripANSI: d.adapter.Output.StripANSI}, func(b []byte) {
		c.kept.write(b)
		if d.options.Output != nil {
			d.printer.emit = append(d.printer.emit, b...)
		}
	})
}
