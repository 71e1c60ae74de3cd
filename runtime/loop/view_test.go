package loop

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/runtime/event"
	"example.org/ripple/runtime/loop/journal"
)

// An observer of the running loop gets the same view as a reader of its log.
func TestAWatcherSeesTheOutput(t *testing.T) {
	r := newRig(t, func(d *doing) {
		d.work()
		d.event(event.Event{Type: event.Usage, Tokens: &event.Tokens{Input: 10, Output: 2, CostUSD: 0.1}})
		d.says("working")
	})
	r.flags = map[string]string{"max-turns": "2", "verify": "true"}
	var live journal.View
	compared := 0
	tail := journal.NewTail(r.dir)
	var read journal.View
	r.onNotice = func(_ *Loop, n Notice) {
		if n.Record != nil {
			live.Take(*n.Record)
		}
		if n.Kind != NoticeEvent && n.Kind != NoticeTurnEnded {
			return
		}
		list, err := tail.Records()
		require.NoError(t, err)
		for _, rec := range list {
			read.Take(rec)
		}
		assert.Equal(t, read, live)
		compared++
	}
	r.run()
	assert.Equal(t, 6, compared)
	assert.Equal(t, []any{2, 2, "CLOSED", event.Tokens{Input: 20, Output: 4, CostUSD: 0.2}}, []any{live.Turn, live.Calls, live.Circuit, live.Tokens})
}
