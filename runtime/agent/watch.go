package agent

import (
	"context"
	"errors"
	"fmt"
	"time"

	"ripple/runtime/event"
	"ripple/schema"
)

// chunk is a piece of one of the streams.
type chunk struct {
	data   []byte
	stderr bool
	last   bool // the stream has ended
}

// watch waits for the end of a turn, and brings it about when it does not come.
type watch struct {
	p      *process
	r      *reader
	talk   *talk // nil: the agent is not talked to
	o      Options
	begin  time.Duration // how long a talk may take to begin
	linger time.Duration

	open   bool // a stream has not ended
	mute   bool // the agent can say nothing more to us: its end of the talk is closed
	exited bool
	forced *event.Failure
}

const (
	killLimit    = 10 * time.Second // how long we go on killing what does not die
	drainSilence = time.Second      // how long a pipe without a writer of ours may be silent
	drainLimit   = 8 << 20          // bytes; more than both pipes hold
)

// turn returns when the process and its tree are gone and all output is read.
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
	for w.open || !w.exited {
		// Finished, or gone, or silent for ever: what is left has a limited time.
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
			w.talk.answered(a)
			idle.reset()
			continue
		case d := <-w.worked():
			w.talk.client.Done(d.id, d.result, d.err)
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
			w.force(event.Timeout, fmt.Sprintf("the agent took longer than %s to begin a session: %s has no answer", w.begin, w.talk.client.Waits()))
		case <-linger.C:
		}
		break
	}
	if w.mute && !w.exited && !w.over() && w.forced == nil {
		w.forced = &event.Failure{Kind: event.Crashed, Message: "it closed its output without an answer to " + w.talk.client.Waits()}
	}
	w.end()
	w.r.close()
	if w.talk != nil {
		w.talk.end()
	}
	code, signal := w.p.status()
	return ending{code: code, signal: signal, forced: w.forced}
}

// startTalk begins to talk to the agent. The input ends with the turn: agents then
// end by themselves.
func (w *watch) startTalk() {
	if w.talk == nil {
		return
	}
	w.talk.send = w.p.send
	w.talk.client.Start()
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

// over says that the turn has its result, whatever happens to the process after it.
func (w *watch) over() bool { return w.r.finished != nil || w.talk.over() }

// timer is one that never fires when there is no limit.
func timer(d time.Duration) *time.Timer {
	if d > 0 {
		return time.NewTimer(d)
	}
	t := time.NewTimer(time.Hour)
	t.Stop()
	return t
}

// force notes why the turn is ended by us. A turn whose result is there has
// worked, whatever happens to the process after it.
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

// take is one piece of a stream; when there is no more, both have ended.
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
			w.r.problem("the copy of the agent's output: " + err.Error())
		}
	}
	if carries {
		w.r.write(c.data)
		w.hangUp()
	} else {
		w.r.writeOther(c.data)
	}
}

// hangUp ends the input of an agent that has said all.
func (w *watch) hangUp() {
	if w.talk != nil && w.talk.client.Flushed() {
		w.p.hangUp()
	}
}

// cancel asks an agent that is talked to for the end of its turn, and gives it the
// time of a signal: it keeps its session, then.
func (w *watch) cancel() {
	if w.talk == nil || w.over() || w.exited || !w.open || w.mute {
		return
	}
	w.talk.client.Cancel()
	limit := time.NewTimer(w.o.Grace)
	defer limit.Stop()
	for w.open && !w.mute && !w.talk.client.Flushed() {
		select {
		case c, more := <-w.p.chunks:
			w.take(c, more)
		case d := <-w.worked():
			w.talk.client.Done(d.id, d.result, d.err)
		case <-limit.C:
			return
		}
	}
}

// carriesTerminal says that both streams are one.
func carriesTerminal(g *schema.Agent) bool { return g.Transport == schema.TransportPTY }
