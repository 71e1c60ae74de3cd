package session

// driver runs one started program on its terminal: it begins it, reads it and ends
// it. One goroutine reads; callers come under the same lock. What happens under that
// lock has five doers, which share the core and call each other: flow takes what the
// program prints through the stages, piece by piece; between the pieces decider steps
// the machine and does what it decided; sender types commands, line by line; interrupts
// stop them; typist has what a person types. viewer tells how it all stands.
type driver struct {
	*core
	flow    *flow
	decider *decider
	sender  *sender
	viewer  *viewer
}

func newDriver(o Options) *driver {
	c := newCore(o)
	f := &flow{core: c}
	v := &viewer{core: c, flow: f}
	d := &decider{core: c, flow: f}
	c.interrupts = &interrupts{core: c, decider: d, viewer: v}
	d.sender = &sender{core: c, flow: f, decider: d}
	f.decider, c.alarm.ring = d, d.fired
	c.typist = &typist{core: c, editing: editing{core: c}, flow: f, decider: d, sender: d.sender, viewer: v}
	return &driver{core: c, flow: f, decider: d, sender: d.sender, viewer: v}
}
