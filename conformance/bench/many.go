//go:build unix

package main

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"time"

	"example.com/ripple/runtime/session"
	"example.com/ripple/schema"
)

// many opens 200 sessions concurrently and measures the cost of one.
func many(a *schema.Adapter, quick bool) (table, error) {
	n := 200
	if quick {
		n = 40
	}
	t := table{title: fmt.Sprintf("%d bash sessions at once", n), columns: []string{"figure"}}
	ctx := context.Background()
	before := heap()
	goroutines := runtime.NumGoroutine()
	sessions := make([]*session.Session, n)
	errs := make([]error, n)
	each := func(f func(i int) error) (time.Duration, error) {
		began := time.Now()
		var wg sync.WaitGroup
		for i := range sessions {
			wg.Go(func() { errs[i] = f(i) })
		}
		wg.Wait()
		for _, err := range errs {
			if err != nil {
				return 0, err
			}
		}
		return time.Since(began), nil
	}
	opened, err := each(func(i int) (err error) {
		sessions[i], err = session.Open(ctx, a, session.Options{Env: []string{home}})
		return err
	})
	if err != nil {
		return t, err
	}
	perSession := float64(heap()-before) / float64(n) / 1000
	extra := float64(runtime.NumGoroutine()-goroutines) / float64(n)
	evaluated, err := each(func(i int) error {
		r, err := sessions[i].Eval(ctx, fmt.Sprintf("echo %d", i))
		if err == nil && r.Output != fmt.Sprintf("%d\n", i) {
			err = fmt.Errorf("session %d answered %q", i, r.Output)
		}
		return err
	})
	if err != nil {
		return t, err
	}
	closed, err := each(func(i int) error { return sessions[i].Close(ctx) })
	if err != nil {
		return t, err
	}
	t.rows = []row{
		{"all opened in", []string{milli(opened)}},
		{"one command in each, all at once", []string{milli(evaluated)}},
		{"all closed in", []string{milli(closed)}},
		{"heap of a session at its prompt", []string{fmt.Sprintf("%.1f kB", perSession)}},
		{"goroutines of a session", []string{fmt.Sprintf("%.1f", extra)}},
	}
	return t, nil
}

func heap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
