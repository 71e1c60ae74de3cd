//go:build unix

package console_test

import (
	"context"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/runtime/console"
)

// countedContext counts the functions that wait for its end.
type countedContext struct {
	context.Context
	waiting *atomic.Int32
}

// Value hides the context of the package context, which would keep the functions itself.
func (c countedContext) Value(any) any { return nil }

func (c countedContext) AfterFunc(f func()) (stop func() bool) {
	c.waiting.Add(1)
	detach := context.AfterFunc(c.Context, f)
	return func() bool {
		stopped := detach()
		if stopped {
			c.waiting.Add(-1)
		}
		return stopped
	}
}

// A closed attachment does not wait for the end of its context, which may be that of the whole client.
func TestAClosedAttachmentIsForgotten(t *testing.T) {
	place(t)
	c := start(t, console.Spec{Name: "a"})
	ctx := countedContext{t.Context(), new(atomic.Int32)}
	a, err := c.Attach(ctx, console.AttachRequest{Cols: 80, Rows: 24})
	require.NoError(t, err)
	assert.EqualValues(t, 1, ctx.waiting.Load())
	a.Close()
	assert.Zero(t, ctx.waiting.Load())
}
