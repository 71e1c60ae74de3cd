package agent

import (
	"cmp"
	"errors"

	"example.org/ripple/runtime/event"
	"example.org/ripple/runtime/internal/fault"
)

// problemOf records an error of the adapter's program. Its panic costs the line its form.
func (r *reader) problemOf(err error) {
	if caught, is := errors.AsType[*fault.Fault](err); is {
		r.problem(r.faults.Keep(*caught, "the line is passed on as the agent printed it"))
		return
	}
	r.problem(err.Error())
}

// failedBy returns the failure of a turn that a panic has ended.
func (r *reader) failedBy(caught *fault.Fault) *event.Failure {
	return &event.Failure{Kind: event.Crashed, Message: r.faults.Keep(*caught, "the turn was ended")}
}

// judged returns the outcome of a turn; if judging it panics, that is the outcome.
func (r *reader) judged(e ending) (o Outcome) {
	if caught := fault.Catch("judging the turn", nil, func() { o = r.outcome(e) }); caught != nil {
		o = Outcome{Failure: cmp.Or(e.forced, r.failedBy(caught)), ExitCode: e.code, Signal: e.signal, SessionID: r.session, Tokens: r.used, SessionTokens: r.total, Problems: r.problems}
	}
	return o
}

// failedUnless is failedBy, except for a turn that ripple has ended already (forced) or that has its
// result: it keeps that, and the panic is one of its problems.
func (r *reader) failedUnless(forced *event.Failure, caught *fault.Fault) *event.Failure {
	if forced == nil && r.finished == nil {
		return r.failedBy(caught)
	}
	r.problem(r.faults.Keep(*caught, "the rest of the agent's output was left out"))
	return forced
}

// guard calls f, which interprets b, output of the agent. A panic of f ends the turn; nothing is
// interpreted after it, but a result that the protocol's client has already is reported.
func (w *watch) guard(doing string, b []byte, f func()) {
	if w.broken {
		return
	}
	caught := fault.Catch(doing, b, f)
	if caught == nil {
		return
	}
	w.broken = true
	if w.talk.over() && w.r.finished == nil {
		if again := fault.Catch("ending the turn", nil, w.talk.end); again != nil {
			w.r.problem(again.Error())
		}
	}
	w.forced = w.r.failedUnless(w.forced, caught)
}
