package place

import (
	"example.org/ripple/runtime/session"
	"example.org/ripple/schema"
)

// Pending is a claimed console that does not serve yet.
type Pending struct {
	Order   Order
	Adapter *schema.Adapter
	Claim   *Claim
	Program *session.Pending // nil: not started yet
}

// Prestart claims the name and starts the program, for a process that has other work to do until the
// program is at its prompt. An agent or a sandboxed program is not started.
//
// Errors: ErrNameInUse; those of Of and of session.Prestart. Nothing stays claimed if it fails.
func Prestart(o Order, a *schema.Adapter, getenv func(string) string) (*Pending, error) {
	c, err := o.ClaimName(getenv)
	if err != nil {
		return nil, err
	}
	b := &Pending{Order: o, Adapter: a, Claim: c}
	if a.Agent == nil && o.Sandbox == "" {
		if b.Program, err = session.Prestart(a, o.Options(a)); err != nil {
			c.Release()
			return nil, err
		}
	}
	return b, nil
}

// Release ends the program and releases the name.
func (b *Pending) Release() {
	if b.Program != nil {
		_ = b.Program.Close() // it has done nothing yet
	}
	b.Claim.Release()
}
