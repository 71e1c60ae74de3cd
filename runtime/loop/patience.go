package loop

import (
	"context"
	"errors"
	"fmt"
	"time"
)

var (
	// slowCommit is the duration after which a slow commit is reported.
	slowCommit = 5 * time.Second
	// stopGrace is how long a commit may continue after a request to stop the loop. It is repeated
	// when the loop continues.
	stopGrace = 30 * time.Second
)

var errAskedToStop = errors.New("the loop was asked to stop")

// patience reports a slow commit, and cancels it if it does not end after a request to stop the
// loop: a hook may hang.
func (c *committer) patience(ctx context.Context) (_ context.Context, done func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	turn := c.state.Turn
	slow := time.AfterFunc(slowCommit, func() {
		c.tell(Notice{Kind: NoticeNote, Turn: turn, Text: fmt.Sprintf("git is still committing turn %d: a hook of the repository may be slow or hang (limit %v)", turn, c.config.VerifyTimeout)})
	})
	over := make(chan struct{})
	go func() {
		select {
		case <-c.interrupts.soft:
		case <-over:
			return
		}
		grace := time.NewTimer(stopGrace)
		defer grace.Stop()
		select {
		case <-grace.C:
			cancel(errAskedToStop)
		case <-over:
		}
	}()
	return ctx, func() {
		slow.Stop()
		close(over)
		cancel(nil)
	}
}
