package session

import (
	"ripple/runtime/internal/echo"
	"ripple/runtime/internal/prompt"
	"ripple/runtime/internal/render"
	"ripple/schema"
)

// release passes text on as output of the command: through the echo stripper
// and the renderer into the capture.
func (d *driver) release(b []byte) {
	c := d.cmd
	if c == nil {
		return
	}
	if c.expectC {
		c.pre = append(c.pre, b...)
		if len(c.pre) > 4*len(c.sent)+echoSlack {
			d.withoutBegin()
		}
		return
	}
	if len(c.echoes) > 0 {
		b = c.echoes.Feed(b)
	}
	if c.strip != nil {
		b = c.strip.Feed(b)
	}
	d.render(c, b)
}

// render passes on output with the program's line endings as the terminal's.
func (d *driver) render(c *command, b []byte) {
	if c.incomplete {
		return
	}
	if c.endings == nil {
		c.rend.Write(b)
		return
	}
	c.endings.Feed(b, func(text []byte) { c.rend.Write(text) }, func(int) { c.rend.Write([]byte("\n")) })
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
	c.strip = echo.New(echo.Config{Strategy: string(strategy), Sent: []byte(sent), Prompt: d.echoPrompt})
	c.pre, c.redrawAt = c.pre[:0], -1
	d.region, d.held = regionOutput, d.held[:0]
}

// endOutput releases everything that is still held back.
func (d *driver) endOutput(c *command) {
	if c.expectC && c.redrawAt >= 0 {
		c.pre = c.pre[:c.redrawAt]
	}
	d.withoutBegin()
	rest := c.echoes.Flush()
	if c.strip != nil {
		d.render(c, c.strip.Feed(rest))
		rest = c.strip.Flush()
	}
	d.render(c, rest)
	if c.endings != nil {
		c.endings.Flush(func(text []byte) { c.rend.Write(text) })
	}
	c.rend.Close()
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
			d.emit = append(d.emit, b...)
		}
	})
}
