package awake

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
)

func TestTimer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		rang := make(chan time.Duration, 9)
		timer := AfterFunc(2500*time.Millisecond, func() { rang <- time.Since(began) })
		assert.Equal(t, 2500*time.Millisecond, <-rang)

		timer.Reset(5 * time.Second)
		time.Sleep(3 * time.Second)
		assert.Equal(t, 2*time.Second, timer.Left())
		timer.Reset(5 * time.Second)
		assert.Equal(t, 10500*time.Millisecond, <-rang, "restarted")
		assert.Zero(t, timer.Left())

		timer.Reset(5 * time.Second)
		time.Sleep(3 * time.Second)
		timer.Stop()
		time.Sleep(time.Minute)
		assert.Empty(t, rang)
	})
}

// If the process is suspended for an hour, at most one slice of it counts.
func TestSuspendedTimeDoesNotCount(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rang := make(chan struct{})
		timer := AfterFunc(time.Minute, func() { close(rang) })
		time.Sleep(10*time.Second + slice/2)
		synctest.Wait()
		timer.mu.Lock()
		timer.began = timer.began.Add(-time.Hour) // only the clock advanced
		timer.mu.Unlock()
		time.Sleep(40 * time.Second)
		select {
		case <-rang:
			t.Fatal("the hour was counted")
		default:
		}
		<-rang
	})
}

func TestWithTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := WithTimeout(t.Context(), 2*time.Second)
		child, stop := context.WithCancel(ctx)
		defer stop()
		assert.NoError(t, ctx.Err())
		<-child.Done()
		assert.ErrorIs(t, ctx.Err(), context.DeadlineExceeded)
		assert.ErrorIs(t, child.Err(), context.DeadlineExceeded)
		assert.ErrorIs(t, context.Cause(child), context.DeadlineExceeded)
		cancel()
		assert.ErrorIs(t, ctx.Err(), context.DeadlineExceeded)

		parent, end := context.WithCancelCause(t.Context())
		ctx, cancel = WithTimeout(parent, time.Hour)
		defer cancel()
		end(assert.AnError)
		<-ctx.Done()
		assert.Equal(t, context.Canceled, ctx.Err())
		assert.Equal(t, assert.AnError, context.Cause(ctx))

		ctx, cancel = WithTimeout(t.Context(), time.Hour)
		cancel()
		assert.Equal(t, context.Canceled, ctx.Err())
	})
}
