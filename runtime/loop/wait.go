package loop

import (
	"context"
	"time"
)

// elapsed is how long the run takes, its waits included, without the time in
// which no process worked on it.
func (l *Loop) elapsed() time.Duration { return l.earlier + time.Since(l.since) }

// wait shows a countdown until a time comes, an interrupt, or the end of
// --max-runtime. It lasts no longer than it would have with a clock that nobody
// sets.
func (l *Loop) wait(ctx context.Context, until time.Time, what string) error {
	if err := l.project("paused", l.action("waiting "+what), ""); err != nil {
		return err
	}
	l.last = nil // people work meanwhile
	started, whole := time.Now(), until.Sub(l.now())
	if most := l.o.Config.MaxRuntime; most > 0 {
		if left := most - l.elapsed(); left < whole {
			whole, what = left, what+", no longer than --max-runtime"
		}
	}
	for {
		left := min(until.Sub(l.now()), whole-time.Since(started))
		if left <= 0 {
			return nil
		}
		l.tell(Notice{Kind: NoticeWaiting, Turn: l.state.Turn, Text: what, Left: left})
		tick := time.NewTimer(min(left, time.Second))
		select {
		case <-tick.C:
		case <-l.pulled.soft:
			tick.Stop()
			return nil
		case <-ctx.Done():
			tick.Stop()
			return ctx.Err()
		}
	}
}
