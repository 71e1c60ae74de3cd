package tui

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"example.org/ripple/internal/vt"
	"example.org/ripple/schema"
)

// BenchmarkLook is one look at what an agent shows while it works: what of a core that
// takes for a program that redraws all the time, at the most looks in a second, is the
// metric. BenchmarkFrame of runtime/terminal is what its drawing costs.
func BenchmarkLook(b *testing.B) {
	casts, err := filepath.Glob("testdata/*.cast*")
	require.NoError(b, err)
	for _, cast := range casts {
		name, _, _ := strings.Cut(filepath.Base(cast), ".")
		adapter, _, _ := strings.Cut(name, "-")
		a, problems := schema.Load("../../../adapters/"+adapter+".yaml", schema.Options{})
		require.NotNil(b, a, "%v", problems)
		rules, err := compile(a.Agent.Screen)
		require.NoError(b, err)
		screens := readRecording(b, cast).working(rules)
		if len(screens) == 0 {
			continue
		}
		b.Run(name, func(b *testing.B) {
			n, began := 0, processorTime(b)
			for b.Loop() {
				p := rules.picture(screens[n%len(screens)])
				rules.see(p)
				rules.Session(p)
				n++
			}
			one := (processorTime(b) - began) / time.Duration(n)
			b.ReportMetric(100*float64(one)/float64(frame), "%core")
		})
	}
}

// processorTime returns the CPU time used by this process, which depends little on the
// load of the machine.
func processorTime(b *testing.B) time.Duration {
	var used syscall.Rusage
	require.NoError(b, syscall.Getrusage(syscall.RUSAGE_SELF, &used))
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

// working are the screens of a recording on which the agent works.
func (r recording) working(rules *rules) (list []*vt.Screen) {
	const enough = 20
	var before []recorded
	s := vt.New(vt.Options{Cols: r.cols, Rows: r.rows})
	for _, e := range r.events {
		if e.code != "o" {
			continue
		}
		before = append(before, e)
		s.Write([]byte(e.data))
		if rules.see(rules.picture(s)).State != schema.ScreenWorking {
			continue
		}
		again := vt.New(vt.Options{Cols: r.cols, Rows: r.rows})
		for _, e := range before {
			again.Write([]byte(e.data))
		}
		if list = append(list, again); len(list) == enough {
			break
		}
	}
	return list
}
