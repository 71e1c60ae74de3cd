//go:build linux

package main

import (
	"context"
	"time"

	"example.org/ripple/runtime/session"
	"example.org/ripple/schema"
)

// starts measures the time from nothing to the first confirmed prompt.
func starts(a *schema.Adapter, quick bool) (table, error) {
	n := 200
	if quick {
		n = 40
	}
	t := table{title: "Start: bash to its first prompt", columns: []string{"p50", "p99", "p50 ratio"}}
	shell, err := newSameShell(a)
	if err != nil {
		return t, err
	}
	defer shell.remove()
	ctx := context.Background()
	var bareTimes, ourTimes []time.Duration
	for range n {
		began := time.Now()
		bare, err := shell.start()
		if err != nil {
			return t, err
		}
		bareTimes = append(bareTimes, time.Since(began))
		bare.close()

		began = time.Now()
		s, err := session.Open(ctx, a, session.Options{Env: []string{home}})
		if err != nil {
			return t, err
		}
		ourTimes = append(ourTimes, time.Since(began))
		if err := s.Close(ctx); err != nil {
			return t, err
		}
	}
	base := percentile(bareTimes, 0.5)
	for _, r := range []struct {
		name  string
		times []time.Duration
	}{{"bare start, same startup file", bareTimes}, {"**ripple**", ourTimes}} {
		p50 := percentile(r.times, 0.5)
		t.rows = append(t.rows, row{r.name, []string{milli(p50), milli(percentile(r.times, 0.99)), ratio(p50, base)}})
	}
	return t, nil
}
