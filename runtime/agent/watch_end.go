package agent

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"syscall"
	"time"

	"ripple/runtime/proctree"
)

// end ends whoever is left, while both streams are still read: a process that
// writes its last words must not be stopped by a full pipe.
func (w *watch) end() {
	w.cancel()
	if w.talk != nil { // before the agent, in whose tree they may seem to be
		w.resisted(w.during(w.talk.work.end))
	}
	left := w.p.members()
	steps := []proctree.Step{{Signal: syscall.SIGTERM, Grace: w.o.Grace}}
	if !w.exited {
		steps = append([]proctree.Step{{Signal: syscall.SIGINT, Grace: w.o.Grace}}, steps...)
	}
	w.resisted(w.during(func(ctx context.Context) error { return w.p.end(ctx, steps...) }))
	w.report(left)
	w.drain()
	w.p.close()
	for w.p.chunks != nil { // what was read and not yet taken
		c, more := <-w.p.chunks
		w.take(c, more)
	}
	w.awaitEnd()
}

// during takes what is printed while something ends.
func (w *watch) during(end func(context.Context) error) error {
	ended := make(chan error, 1)
	go func() {
		limit, cancel := context.WithTimeout(context.Background(), killLimit)
		defer cancel()
		ended <- end(limit)
	}()
	for {
		select {
		case c, more := <-w.p.chunks:
			w.take(c, more)
		case err := <-ended:
			return err
		}
	}
}

// awaitEnd waits for the leader's status, which one that hangs in the kernel
// never gives.
func (w *watch) awaitEnd() {
	t := time.NewTimer(killLimit)
	defer t.Stop()
	select {
	case <-w.p.dead:
	case <-t.C:
		w.r.problem(fmt.Sprintf("the agent, process %d, cannot be ended", w.p.pid))
		w.p.status = func() (int, string) { return -1, "" }
	}
}

// drain takes what the pipes still hold when their writers are gone: last words. A
// stranger that keeps them open is not waited for, and not listened to for ever.
func (w *watch) drain() {
	silent := time.NewTimer(drainSilence)
	defer silent.Stop()
	for left := drainLimit; w.open && left > 0; {
		select {
		case c, more := <-w.p.chunks:
			w.take(c, more)
			left -= len(c.data)
			silent.Reset(drainSilence)
		case <-silent.C:
			return
		}
	}
}

// report says which processes a turn that had ended left behind.
func (w *watch) report(left []proctree.Process) {
	var names []string
	for _, p := range left {
		if p.PID != w.p.pid {
			names = append(names, p.String())
		}
	}
	if len(names) > 0 && w.exited && w.forced == nil {
		w.r.problem(fmt.Sprintf("the agent left %d processes running, which were ended: %s", len(names), strings.Join(names, ", ")))
	}
}

func (w *watch) resisted(err error) {
	var resist *proctree.ResistError
	switch {
	case errors.As(err, &resist):
		w.r.problem(resist.Error())
	case err != nil:
		w.r.problem("ending the agent: " + err.Error())
	}
}
