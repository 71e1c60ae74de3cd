//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"time"

	"example.org/ripple/runtime/console"
	"example.org/ripple/schema"
)

// manyConsoles starts 200 consoles concurrently, runs a command in each, and ends them.
func manyConsoles(_ *schema.Adapter, quick bool) (t table, err error) {
	n := 200
	if quick {
		n = 40
	}
	t = table{title: fmt.Sprintf("%d consoles at once", n), columns: []string{"figure"}, note: "Each console has its own processes; one process starts, uses and ends all consoles."}
	p, err := newConsolePlace()
	if err != nil {
		return t, err
	}
	defer func() { err = errors.Join(err, p.remove()) }()
	ctx := context.Background()
	clients := make([]*console.Client, n)
	each := func(f func(i int) error) (time.Duration, error) {
		errs := make([]error, n)
		began := time.Now()
		var all sync.WaitGroup
		for i := range clients {
			all.Go(func() { errs[i] = f(i) })
		}
		all.Wait()
		return time.Since(began), errors.Join(errs...)
	}
	steps := []struct {
		name string
		run  func(i int) error
	}{
		{"all started, each at its first prompt, in", func(i int) (err error) { clients[i], err = p.start(ctx); return err }},
		{"one command in each, all at once", func(i int) error {
			var out strings.Builder
			if _, err := clients[i].Exec(ctx, console.ExecRequest{Code: fmt.Sprintf("echo %d", i)}, &out); err != nil {
				return err
			}
			if out.String() != fmt.Sprintf("%d\n", i) {
				return fmt.Errorf("console %d answered %q", i, &out)
			}
			return nil
		}},
		{"all listed in", nil},
		{"all ended, with nothing left, in", func(i int) error { return clients[i].End(ctx, true) }},
	}
	for _, step := range steps {
		var took time.Duration
		if step.run == nil {
			began := time.Now()
			var found []console.Status
			if found, err = console.List(ctx, os.Getenv); err == nil && len(found) != n {
				err = fmt.Errorf("%d of %d consoles are listed", len(found), n)
			}
			took = time.Since(began)
		} else {
			took, err = each(step.run)
		}
		if err != nil {
			return t, err
		}
		t.rows = append(t.rows, row{step.name, []string{milli(took)}})
	}
	return t, nil
}
