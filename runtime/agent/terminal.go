package agent

import (
	"example.org/ripple/runtime/internal/render"
	"example.org/ripple/runtime/launch"
	"example.org/ripple/runtime/pty"
	"example.org/ripple/runtime/terminal"
)

// startTerminal starts the agent on a terminal without echo; its output arrives as it is
// displayed, without colors.
func startTerminal(plan launch.Plan, sole bool) (*process, error) {
	size := pty.Size{Cols: plan.TTY.Cols, Rows: plan.TTY.Rows}
	t, err := terminal.Start(pty.Command{
		Path: plan.Path, Argv: plan.Argv, Env: plan.Env, Dir: plan.Dir, Size: size, Canonical: true,
	}, terminal.Options{OwnsOrphans: sole})
	if err != nil {
		return nil, err
	}
	p := &process{
		pid: t.PID(), exited: t.Exited(), dead: t.Exited(), chunks: make(chan chunk),
		status: t.ExitStatus, members: t.Members, end: t.Close,
		close: func() {}, // done by end
	}
	go p.show(t, size)
	return p, nil
}

// show sends the terminal's screen as text. The program's exit status is more specific than a
// read error.
func (p *process) show(t *terminal.Terminal, size pty.Size) {
	var out []byte
	r := render.New(render.Options{Cols: size.Cols, Rows: size.Rows, StripANSI: true}, func(b []byte) { out = append(out, b...) })
	pass := func() {
		if len(out) > 0 {
			p.chunks <- chunk{data: out}
			out = nil
		}
	}
	_ = t.Run(func(b []byte) {
		r.Write(b)
		pass()
	})
	r.Close()
	pass()
	close(p.chunks)
}
