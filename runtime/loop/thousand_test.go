package loop

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/internal/testkit"
)

// long runs turns with an agent that takes no time, and returns the loop's own time per turn, and
// the heap size after a tenth of the turns and at the end.
func long(t testing.TB, turns int) (each time.Duration, early, late uint64) {
	heap := func() uint64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	var spent time.Duration
	r := repoRig(t, func(d *doing) {
		started := time.Now()
		if d.n == turns/10 {
			early = heap()
		}
		d.work()
		for i := range 10 {
			d.says(fmt.Sprintf("step %d of turn %d", i, d.n))
		}
		spent += time.Since(started)
	})
	r.flags = map[string]string{"max-turns": fmt.Sprint(turns), "calls": "100000"}
	o := r.options(false)
	started := time.Now()
	stop := New(o).Run(t.Context())
	each = (time.Since(started) - spent) / time.Duration(turns)
	require.Equal(t, "max_turns", stop.Reason)
	r.fake.requests = nil
	late = heap()
	info, err := os.Stat(filepath.Join(r.dir, ".ralph/events.jsonl"))
	require.NoError(t, err)
	assert.Less(t, info.Size(), int64(turns)*5000)
	assert.Equal(t, turns*10, strings.Count(r.read(".ralph/events.jsonl"), `"type":"text"`))
	return each, early, late
}

// The memory of a long run does not grow with its turns.
func TestLongRunIsFlat(t *testing.T) {
	_, early, late := long(t, testkit.Times(t, 40, 100))
	assert.Less(t, late, early+2<<20)
}

// BenchmarkThousandTurns measures the loop's own cost of each of 1,000 turns.
func BenchmarkThousandTurns(b *testing.B) {
	for b.Loop() {
		each, early, late := long(b, 1000)
		b.ReportMetric(float64(each.Microseconds())/1000, "ms/turn")
		b.ReportMetric((float64(late)-float64(early))/1024, "KiB-grown")
	}
}
