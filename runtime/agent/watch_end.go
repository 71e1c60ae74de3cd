package agent

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"syscall"
	"time"

	"example.org/ripple/runtime/proctree"
)

// end ends the remaining processes while both streams are still read: a process that
// writes its last output must not be blocked by a full pipe.
func (w *watch) end() {
	w.cancel()
	if w.talk != nil { // before the agent, since they may appear to be in its tree
		w.r.resisted(w.during(w.talk.work.end))
	}
	left := w.p.members()
	steps := []proctree.Step{{Signal: syscall.SIGTERM, Grace: w.o.Grace}}
	if !w.exited {
		steps = append([]proctree.Step{{Signal: syscall.SIGINT, Grace: w.o.Grace}}, steps...)
	}
	w.r.resisted(w.during(func(ctx context.Context) error { return w.p.end(ctx, steps...) }))
	w.report(left)
	w.drain()
	w.p.close()
	for w.p.chunks != nil { // chunks that were read and not yet handled
		c, more := <-w.p.chunks
		w.take(c, more)
	}
	w.awaitEnd()
}

// during handles output while processes are being ended.
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

// awaitEnd waits for the leader's status, which never arrives if the process hangs in the kernel.
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

// drain reads the remaining content of the pipes after their writers have exited. If another
// process keeps them open, drain does not wait for it, and stops reading after a limited time.
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

// report lists the processes left behind by a completed turn. Programs that speak a protocol for
// an agent leave the agent itself running after each successful turn, which is not reported.
func (w *watch) report(left []proctree.Process) {
	var names []string
	for _, p := range left {
		if p.PID != w.p.pid {
			names = append(names, p.String())
		}
	}
	if len(names) > 0 && w.exited && w.forced == nil && w.talk == nil {
		what := "1 process running, which was"
		if len(names) > 1 {
			what = fmt.Sprintf("%d processes running, which were", len(names))
		}
		w.r.problem(fmt.Sprintf("the agent left %s ended: %s", what, strings.Join(names, ", ")))
	}
}

// resisted records an error of ending the agent.
func (r *reader) resisted(err error) {
	var resist *proctree.SurvivorsError
	switch {
	case errors.As(err, &resist):
		r.problem(resist.Error())
	case err != nil:
		r.problem("ending the agent: " + err.Error())
	}
}
