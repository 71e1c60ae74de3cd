package contract

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"example.org/ripple/runtime/session"
)

// lease is a session that tests share.
type lease struct {
	ev      evaluator
	trace   *trace
	started time.Duration
	lost    string // for the report of the next test: why it uses a new session
}

// acquire gives the test its session: the shared one of its kind, one of its own, or none. The probe
// shares the declared tests' session.
func (r *runner) acquire(ctx context.Context, c testCase, t *testRun) error {
	if c.bare {
		return nil
	}
	s := &lease{}
	if !c.own {
		s = r.sharedLease(c.kind)
	}
	if s.ev == nil {
		if err := r.start(ctx, s, t); err != nil {
			return err
		}
	}
	s.trace.reset()
	t.ev, t.trace = s.ev, s.trace
	if s.lost != "" {
		t.note("%s", s.lost)
		s.lost = ""
	}
	return nil
}

func (r *runner) sharedLease(k Kind) *lease {
	if k == KindProbe {
		k = KindDeclared
	}
	return r.shared[k]
}

func (r *runner) start(ctx context.Context, s *lease, t *testRun) error {
	s.trace = &trace{}
	t.trace, t.step = s.trace, "start"
	began := r.now()
	ev, err := r.openWith(ctx, session.Options{}, s.trace)
	if err != nil {
		return err
	}
	if what := ev.State().MissingService; what != "" {
		_ = r.close(ctx, ev) // the reason why nothing can be tested is more important
		return &session.StartError{Adapter: r.adapter.Name, MissingService: what}
	}
	s.ev, s.started = ev, r.now().Sub(began)
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.report.StartDuration == 0 || s.started < r.report.StartDuration {
		r.report.StartDuration = s.started
	}
	return nil
}

// openWith starts the program in the run's private environment.
func (r *runner) openWith(ctx context.Context, o session.Options, watch session.Observer) (evaluator, error) {
	ctx, cancel := context.WithTimeout(ctx, cmp.Or(r.options.StartTimeout, startTimeout))
	defer cancel()
	home, err := r.around.newHome()
	if err != nil {
		return nil, err
	}
	o.Dir, o.Env, o.Executable = r.around.work, append(r.around.env(r.adapter, home), o.Env...), r.options.Executable
	if s := r.server; s != nil {
		o.Env = slices.Concat(o.Env[:len(o.Env):len(o.Env)], s.Env)
		if o.Args == nil {
			o.Args = s.Args
		}
	}
	o.Observer = MultiObserver(watch, r.recording())
	return r.open(ctx, r.adapter, o)
}

// recording converts a session's event times to the time of the run.
func (r *runner) recording() session.Observer {
	if r.record == nil {
		return nil
	}
	opened := r.now().Sub(r.began)
	return session.ObserverFunc(func(e session.Event) {
		if e.Kind == session.EventExit {
			return // players stop there, and other sessions follow
		}
		e.At += opened
		r.record.Observe(e)
	})
}

// release returns the session. A session used by one test only is closed; a shared one
// stays open unless it is unusable, and then the reason is returned.
func (r *runner) release(ctx context.Context, c testCase, t *testRun, err error) string {
	if t.ev == nil {
		return ""
	}
	if c.own {
		return r.close(ctx, t.ev)
	}
	why := unusable(c, t.ev, err)
	if why == "" {
		return ""
	}
	s := r.sharedLease(c.kind)
	s.lost = fmt.Sprintf("starts in a new session, because %q left the shared one unusable: %s", c.name, why)
	closing := r.close(ctx, s.ev)
	s.ev = nil
	return closing
}

// unusable returns the reason why a session cannot be used for the next test; empty: it can. A
// failed derived test may have left its session out of step, so it always ends the session.
func unusable(c testCase, ev evaluator, err error) string {
	switch {
	case !alive(ev) || errors.Is(err, session.ErrExited):
		return "the program ended"
	case errors.Is(err, session.ErrTimeout), errors.Is(err, session.ErrBusy),
		errors.Is(err, context.DeadlineExceeded), ev.State().Phase == session.PhaseRunning:
		return "a command is still running"
	case errors.Is(err, session.ErrClosed):
		return "the session is closed"
	case c.kind == KindDerived && err != nil:
		return "the test failed"
	}
	return ""
}

func (r *runner) close(ctx context.Context, ev evaluator) string {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), closeTimeout)
	defer cancel()
	if err := ev.Close(ctx); err != nil {
		return "closing the session: " + err.Error()
	}
	return ""
}

func (r *runner) closeShared(ctx context.Context, kinds ...Kind) {
	defer enterExclusion(false)()
	for _, k := range kinds {
		s := r.shared[k]
		if s.ev != nil {
			if problem := r.close(ctx, s.ev); problem != "" {
				r.mu.Lock()
				r.report.Notes = append(r.report.Notes, problem)
				r.mu.Unlock()
			}
		}
		*s = lease{}
	}
}
