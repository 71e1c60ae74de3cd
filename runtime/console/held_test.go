package console

import (
	"context"
	"encoding/json"
	"io"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/runtime/session"
)

// heldKeys is a program in the given states.
type heldKeys struct {
	program
	now  session.State
	next chan session.State
}

func (p *heldKeys) WaitState(ctx context.Context, want func(session.State) bool) (session.State, error) {
	for !want(p.now) {
		select {
		case p.now = <-p.next:
		case <-ctx.Done():
			return p.now, ctx.Err()
		}
	}
	return p.now, nil
}

// Keys that a program reads at once change no title; a notice reports those that stay held, and
// another one their end. So it is with keys that are dropped as the rest of a secret.
func TestOnlyKeysThatStayHeldAreReported(t *testing.T) {
	client, w := io.Pipe()
	p := &heldKeys{next: make(chan session.State)}
	a := &attached{h: &host{session: p}, id: 1, frames: &frames{w: w}}
	in := &frames{Reader: client}
	next := func() (n Notice) {
		kind, body, err := in.read()
		require.NoError(t, err)
		require.Equal(t, byte(frameNotice), kind)
		require.NoError(t, json.Unmarshal(body, &n))
		return n
	}

	a.sendHeldNotices(t.Context()) // a notice would block, because nobody reads it

	p.now.Held = map[int]int{1: 3}
	go func() {
		a.sendHeldNotices(t.Context())
		_ = w.Close() // the pipe is in memory
	}()
	assert.Equal(t, 3, next().Held)
	p.next <- session.State{LateSecrets: []int{2, 1}}
	assert.Equal(t, Notice{LateSecret: true}, next())
	p.next <- session.State{LateSecrets: []int{2}}
	assert.Equal(t, Notice{}, next())
	_, _, err := in.read()
	assert.ErrorIs(t, err, io.EOF)
}
