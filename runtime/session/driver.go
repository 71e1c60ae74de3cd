package session

// driver runs one started program on its terminal: it starts, reads and ends it. One goroutine
// reads; callers take the same lock. Under the lock five parts share the core and call each other:
// flow passes output of the program through the stages, piece by piece; decider steps the machine
// between the pieces and carries out its decisions; sender sends commands, line by line; interrupts
// stops them; typist handles input of users. viewer reports the state.
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
	c.typist = &typist{core: c, editing: editing{core: c, flow: f}, decider: d, sender: d.sender, viewer: v}
	return &driver{core: c, flow: f, decider: d, sender: d.sender, viewer: v}
}
