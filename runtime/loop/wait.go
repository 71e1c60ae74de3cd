package loop

import (
	"context"
	"fmt"
	"time"
)

// wait shows a countdown until a time, an interrupt, or the end of the maximum runtime. It lasts
// no longer than it would on the monotonic clock.
func (l *Loop) wait(ctx context.Context, until time.Time, what string) error {
	if err := l.publish("paused", l.action(fmt.Sprintf("waiting until %s %s", until.Local().Format(time.DateTime), what)), ""); err != nil {
		return err
	}
	l.work.last = nil // the user may edit files meanwhile
	topic, started, whole := "", time.Now(), until.Sub(l.now())
	if most := l.config.MaxRuntime; most > 0 {
		if left := most - l.elapsed(); left < whole {
			whole, topic, what = left, TopicMaxRuntime, what+", no longer than the run may last"
		}
	}
	for {
		left := min(until.Sub(l.now()), whole-time.Since(started))
		if left <= 0 {
			return nil
		}
		l.tell(Notice{Kind: NoticeWaiting, Turn: l.state.Turn, Topic: topic, Text: what, Remaining: left})
		tick := time.NewTimer(min(left, time.Second))
		select {
		case <-tick.C:
		case <-l.interrupts.soft:
			tick.Stop()
			return nil
		case <-ctx.Done():
			tick.Stop()
			return ctx.Err()
		}
	}
}
