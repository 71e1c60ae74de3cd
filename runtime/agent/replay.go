package agent

import (
	"io"

	"example.org/ripple/runtime/event"
	"example.org/ripple/schema"
)

// Recording is a recorded turn: the stream that carries the events, the other one, and the exit
// code.
type Recording struct {
	Output, Stderr io.Reader // Stderr may be nil
	ExitCode       int
	PriorTokens    event.Tokens // by the session before the turn
}

// Replay converts a recorded turn to events and judges it as Run would have.
func Replay(a *schema.Adapter, rec Recording, emit func(event.Event)) (Outcome, error) {
	r, err := newReader(a.Agent, rec.PriorTokens, emit)
	if err != nil {
		return Outcome{}, err
	}
	if rec.Stderr != nil {
		if _, err := io.Copy(writer(r.writeOther), rec.Stderr); err != nil {
			return Outcome{}, err
		}
	}
	if _, err := io.Copy(writer(r.write), rec.Output); err != nil {
		return Outcome{}, err
	}
	r.close()
	return r.outcome(ending{code: rec.ExitCode}), nil
}

// writer adapts a function to io.Writer.
type writer func([]byte)

func (w writer) Write(b []byte) (int, error) {
	w(b)
	return len(b), nil
}
