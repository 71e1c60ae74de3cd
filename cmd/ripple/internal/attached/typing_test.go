package attached

import (
	"context"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/runtime/console"
)

// blocked is a screen that takes no keys, as of a host that is stopped, after the first ones.
type blocked struct {
	took chan string
	ctx  context.Context
}

func (s *blocked) Type(b []byte) error {
	s.took <- string(b)
	<-s.ctx.Done()
	return s.ctx.Err()
}

func (*blocked) Resize(int, int) error { return nil }

// The keys that detach work although the screen takes no keys.
func TestDetachFromABlockedScreen(t *testing.T) {
	in, typed, err := os.Pipe()
	require.NoError(t, err)
	t.Cleanup(func() { _ = in.Close() })
	detacher, err := console.NewDetacher(`C-\ C-d`)
	require.NoError(t, err)
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	screen := &blocked{make(chan string), ctx}
	s := &Terminal{In: in, Out: in, Detacher: detacher}
	go s.ForwardKeys(ctx, screen, cancel)
	for _, keys := range []string{"a", "b", "c", "\x1c\x04"} {
		_, err = typed.WriteString(keys)
		require.NoError(t, err)
		if keys == "a" {
			assert.Equal(t, "a", <-screen.took)
		}
	}
	<-ctx.Done()
	assert.Equal(t, ErrDetached, context.Cause(ctx))
	require.NoError(t, typed.Close())
}
