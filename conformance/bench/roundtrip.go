package main

import (
	"context"
	"time"

	"ripple/runtime/session"
	"ripple/schema"
)

// roundTrips measures from sending `true` to the proven next prompt. ripple and
// the bare loop take turns in small batches, so that a busy moment of the
// machine hits both.
func roundTrips(a *schema.Adapter, quick bool) (table, error) {
	batches, size := 40, 250
	if quick {
		batches = 8
	}
	t := table{
		title: "Round trip: `true` on bash, prompt to prompt", columns: []string{"p50", "p99", "p50 ratio"},
		note: "The bare loop is a blocking read until the prompt, on the same shell settings.",
	}
	bare, err := startBare()
	if err != nil {
		return t, err
	}
	defer bare.close()
	ctx := context.Background()
	s, err := session.Open(ctx, a, session.Options{})
	if err != nil {
		return t, err
	}
	defer s.Close(ctx)
	var bareTimes, ourTimes []time.Duration
	for range batches {
		for range size {
			began := time.Now()
			if _, err := bare.eval("true"); err != nil {
				return t, err
			}
			bareTimes = append(bareTimes, time.Since(began))
		}
		for range size {
			began := time.Now()
			if _, err := s.Eval(ctx, "true"); err != nil {
				return t, err
			}
			ourTimes = append(ourTimes, time.Since(began))
		}
	}
	base := percentile(bareTimes, 0.5)
	add := func(name string, times []time.Duration) {
		p50 := percentile(times, 0.5)
		t.rows = append(t.rows, row{name, []string{micro(p50), micro(percentile(times, 0.99)), ratio(p50, base)}})
	}
	add("bare Go read loop", bareTimes)
	add("**ripple**", ourTimes)
	for _, p := range peers(quick) {
		times, err := p.run()
		switch {
		case err != nil:
			return t, err
		case times == nil:
			t.rows = append(t.rows, missing(p.name, 3))
		default:
			add(p.name, times)
		}
	}
	return t, nil
}
