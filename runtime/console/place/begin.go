package place

import (
	"ripple/runtime/session"
	"ripple/schema"
)

// Begun is a console to be, by whoever has its name.
type Begun struct {
	Order   Order
	Adapter *schema.Adapter
	Claim   *Claim
	Program *session.Begun // nil: it is still to be begun
}

// Begin claims the name and starts the program, for a process that has something else to do
// while that comes to its prompt. An agent, and what is kept in a sandbox, is not started.
//
// Errors: ErrTaken; those of Of and of session.Begin, with which nothing is claimed.
func Begin(o Order, a *schema.Adapter, getenv func(string) string) (*Begun, error) {
	c, err := o.TakeName(getenv)
	if err != nil {
		return nil, err
	}
	b := &Begun{Order: o, Adapter: a, Claim: c}
	if a.Agent == nil && o.Sandbox == "" {
		if b.Program, err = session.Begin(a, o.Options(a)); err != nil {
			c.Release()
			return nil, err
		}
	}
	return b, nil
}

// Release undoes it.
func (b *Begun) Release() {
	if b.Program != nil {
		_ = b.Program.Close() // it has done nothing yet
	}
	b.Claim.Release()
}
