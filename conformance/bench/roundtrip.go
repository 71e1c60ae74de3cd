//go:build linux

package main

import (
	"context"
	"time"

	"example.org/ripple/runtime/session"
	"example.org/ripple/schema"
)

// roundTrips measures from sending `true` to the confirmed next prompt. ripple and the bare loop
// take turns in small batches, so that a busy moment of the machine affects both.
func roundTrips(a *schema.Adapter, quick bool) (table, error) {
	batches, size := 40, 250
	if quick {
		batches = 8
	}
	t := table{
		title: "Round trip: `true` on bash, prompt to prompt", columns: []string{"p50", "p99", "p50 ratio"},
		note: "The bare loop is a blocking read until the prompt, on the shell that ripple starts: same command line, " +
			"environment, startup file and prompt. expect(1) drives the same shell. The plain shell has no integration: its " +
			"prompt is one short marker, and its loop learns neither exit code nor directory.",
	}
	shell, err := newSameShell(a)
	if err != nil {
		return t, err
	}
	defer shell.remove()
	same, err := shell.start()
	if err != nil {
		return t, err
	}
	defer same.close()
	plain, err := startPlain()
	if err != nil {
		return t, err
	}
	defer plain.close()
	ctx := context.Background()
	s, err := session.Open(ctx, a, session.Options{Env: []string{home}})
	if err != nil {
		return t, err
	}
	defer s.Close(ctx)
	names := []string{"bare Go read loop", "**ripple**", "bare Go read loop, plain shell"}
	times, err := inTurn([]func() error{
		func() error { _, err := same.eval("true"); return err },
		func() error { _, err := s.Eval(ctx, "true"); return err },
		func() error { _, err := plain.eval("true"); return err },
	}, batches, size)
	if err != nil {
		return t, err
	}
	base := percentile(times[0], 0.5)
	add := func(name string, times []time.Duration) {
		p50 := percentile(times, 0.5)
		t.rows = append(t.rows, row{name, []string{micro(p50), micro(percentile(times, 0.99)), ratio(p50, base)}})
	}
	for i, name := range names {
		add(name, times[i])
	}
	for _, p := range peers(shell, quick) {
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
