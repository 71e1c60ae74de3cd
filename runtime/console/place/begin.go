package place

import (
	"example.org/ripple/runtime/session"
	"example.org/ripple/schema"
)

// Begun is a claimed console that does not serve yet.
type Begun struct {
	Order   Order
	Adapter *schema.Adapter
	Claim   *Claim
	Program *session.Begun // nil: not started yet
}

// Begin claims the name and starts the program, for a process that has other work to do until the
// program is at its prompt. An agent or a sandboxed program is not started.
//
// Errors: ErrTaken; those of Of and of session.Begin. Nothing stays claimed if it fails.
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

// Release ends the program and releases the name.
func (b *Begun) Release() {
	if b.Program != nil {
		_ = b.Program.Close() // it has done nothing yet
	}
	b.Claim.Release()
}
