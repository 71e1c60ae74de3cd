package agent

import (
	"context"
	"errors"
	"fmt"
	"time"

	"example.org/ripple/runtime/event"
	"example.org/ripple/schema"
)

// chunk is a piece of one of the streams.
type chunk struct {
	data   []byte
	stderr bool
	last   bool // the stream has ended
}

// watch waits for the end of a turn, and forces it when a limit expires.
type watch struct {
	p      *process
	r      *reader
	talk   *talk // nil: no protocol is used
	o      Options
	begin  time.Duration // time limit for the start of a session
	linger time.Duration

	open   bool // a stream has not ended
	mute   bool // the agent's end of the protocol is closed
	exited bool
	broken bool // a panic has ended the turn
	forced *event.Failure
}

const (
	killLimit    = 10 * time.Second // time limit for killing processes that do not exit
	drainSilence = time.Second      // how long a pipe may be silent after the agent's processes have exited
	drainLimit   = 8 << 20          // bytes; more than the capacity of both pipes
)

// turn returns when the process and its tree have exited and all output is read.
func (w *watch) turn(ctx context.Context) ending {
	w.open = true
	wall, idle, begin := newClock(w.o.Timeout), newClock(w.o.IdleTimeout), newClock(w.begin)
	linger := timer(0)
	for _, c := range []*clock{wall, idle, begin} {
		defer c.stop()
	}
	defer linger.Stop()
	w.startTalk()
	lingering := false
	for (w.open || !w.exited) && !w.broken {
		// Finished, exited or permanently silent: the remaining processes have a limited time.
		if done := w.over() || w.exited || !w.open || w.mute; done && !lingering {
			lingering = true
			linger = time.NewTimer(w.linger)
		}
		wall.stand(w.talk.waits())
		idle.stand(w.talk.waits())
		begin.stand(w.talk == nil || w.talk.client.Ready())
		select {
		case c, more := <-w.p.chunks:
			w.take(c, more)
			if len(c.data) > 0 {
				idle.reset()
			}
			continue
		case a := <-w.answers():
			w.guard("passing on an answer", nil, func() { w.talk.answered(a) })
			idle.reset()
			continue
		case d := <-w.worked():
			w.done(d)
			idle.reset()
			continue
		case <-w.p.exited:
			w.exited = true
			w.p.exited = nil
			continue
		case <-ctx.Done():
			w.cancelled(ctx)
		case <-wall.C:
			w.force(event.Timeout, fmt.Sprintf("the turn took longer than %s", w.o.Timeout))
		case <-idle.C:
			w.force(event.Timeout, fmt.Sprintf("the agent printed nothing for %s", w.o.IdleTimeout))
		case <-begin.C:
			w.force(event.Timeout, fmt.Sprintf("the agent did not begin a session within %s: it has not answered %s", w.begin, w.talk.client.Waits()))
		case <-linger.C:
		}
		break
	}
	if w.mute && !w.exited && !w.over() && w.forced == nil {
		w.forced = &event.Failure{Kind: event.Crashed, Message: "the agent closed its output without an answer to " + w.talk.client.Waits()}
	}
	var outlived time.Duration
	if !w.open && !w.exited && !w.over() && w.forced == nil {
		outlived = w.linger
	}
	w.end()
	w.close()
	code, signal := w.p.status()
	return ending{code: code, signal: signal, forced: w.forced, linger: outlived}
}

// close handles the end of the agent's output. No question stays open, even after a panic.
func (w *watch) close() {
	w.guard("reading the end of the agent's output", nil, w.r.close)
	if w.talk != nil {
		w.guard("ending the turn", nil, w.talk.end)
		w.talk.dismiss()
	}
}

// startTalk starts the protocol. The input is closed at the end of the turn: agents then exit by
// themselves.
func (w *watch) startTalk() {
	if w.talk == nil {
		return
	}
	w.talk.send = w.p.send
	w.guard("beginning the turn", nil, w.talk.client.Start)
}

// done passes the result of work on to the agent.
func (w *watch) done(d worked) {
	w.guard("passing on the result of the agent's request", nil, func() { w.talk.client.Done(d.id, d.result, d.err) })
}

func (w *watch) answers() <-chan answer {
	if w.talk == nil {
		return nil
	}
	return w.talk.answers
}

func (w *watch) worked() <-chan worked {
	if w.talk == nil {
		return nil
	}
	return w.talk.work.done
}

// over reports whether the turn has its result, which later events of the process do not change.
func (w *watch) over() bool { return w.r.finished != nil || w.talk.over() }

// timer returns a timer that never fires if there is no limit.
func timer(d time.Duration) *time.Timer {
	if d > 0 {
		return time.NewTimer(d)
	}
	t := time.NewTimer(time.Hour)
	t.Stop()
	return t
}

// force records why ripple ends the turn. A turn that already has its result has succeeded,
// regardless of the process afterwards.
func (w *watch) force(kind event.Kind, message string) {
	if !w.over() {
		w.forced = &event.Failure{Kind: kind, Message: message}
	}
}

func (w *watch) cancelled(ctx context.Context) {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		w.force(event.Timeout, "the caller's deadline came first")
		return
	}
	w.force(event.Interrupted, "the turn was interrupted")
}

// take handles one chunk of a stream; without one, both streams have ended.
func (w *watch) take(c chunk, more bool) {
	if !more {
		w.open, w.p.chunks = false, nil
	}
	w.mute = w.mute || c.last && !c.stderr && w.talk != nil
	if len(c.data) == 0 {
		return
	}
	carries := c.stderr == (w.r.agent.Output.Stream == "stderr")
	to := w.o.Stderr
	if carries {
		to = w.o.Output
	}
	if to != nil {
		if _, err := to.Write(c.data); err != nil {
			w.r.problem("copying the agent's output: " + err.Error())
		}
	}
	w.guard("reading the agent's output", c.data, func() {
		if carries {
			w.r.write(c.data)
			w.hangUp()
		} else {
			w.r.writeOther(c.data)
		}
	})
}

// hangUp closes the input of an agent whose turn is over.
func (w *watch) hangUp() {
	if w.talk != nil && w.talk.client.Flushed() {
		w.p.hangUp()
	}
}

// cancel asks an agent over the protocol to end its turn, and waits as long as for a signal, so
// that the agent keeps its session.
func (w *watch) cancel() {
	if w.talk == nil || w.over() || w.exited || !w.open || w.mute || w.broken {
		return
	}
	w.guard("canceling the turn", nil, w.talk.client.Cancel)
	limit := time.NewTimer(w.o.Grace)
	defer limit.Stop()
	for w.open && !w.mute && !w.broken && !w.talk.client.Flushed() {
		select {
		case c, more := <-w.p.chunks:
			w.take(c, more)
		case d := <-w.worked():
			w.done(d)
		case <-limit.C:
			return
		}
	}
}

// carriesTerminal reports whether both streams are one.
func carriesTerminal(g *schema.Agent) bool { return g.Transport == schema.TransportPTY }
