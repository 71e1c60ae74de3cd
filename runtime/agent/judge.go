package agent

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/dlclark/regexp2"

	"example.org/ripple/runtime/event"
	"example.org/ripple/schema"
)

// ending describes how a process ended, and whether ripple ended it.
type ending struct {
	code   int
	signal string
	forced *event.Failure // ended by ripple: timeout, interrupted
	linger time.Duration  // time from closing its output until ripple ended it; 0: it exited by itself
}

// evidence is the data by which a turn is judged.
type evidence struct {
	agent    *schema.Agent
	finished *event.Event
	failed   []event.Event // error events
	limited  *event.Event
	held     *event.Event // the last limit or refused login, if no output followed
	heldText tail         // standard error since the last output
	plain    tail         // lines that are not JSON

	answer     string // the last text
	acted      bool   // it used a tool, reasoned, or was denied a tool
	unanswered string // the protocol request without an answer
	stderr     tail
}

// judge determines whether the turn succeeded. The criteria, in this order: an end forced by
// ripple, its finished event, a fatal error, the exit code, and a missing finished event. Text of
// tools, of the user and in the agent's own prose has no effect.
func (v *evidence) judge(e ending) *event.Failure {
	kind, declared := v.agent.ExitCodes[strconv.Itoa(e.code)]
	works := kind == "success"
	if works {
		kind = "" // of a failure
	}
	switch {
	case e.forced != nil:
		return v.cause(e.forced)
	case v.finished != nil && v.finished.IsError:
		return v.failure(v.finished.Kind, event.Kind(kind), event.ModelError, cmp.Or(v.finished.Result, v.said(ending{})))
	}
	for _, err := range v.failed {
		if err.Fatal {
			return v.failure(err.Kind, event.Kind(kind), event.ModelError, cmp.Or(err.Message, v.answer))
		}
	}
	switch {
	case v.finished != nil || works:
		return nil
	case v.unanswered != "":
		return v.failure(event.Kind(kind), "", event.Crashed, "the agent ended without an answer to "+v.unanswered+after(v.said(e)))
	case e.code != 0 || declared:
		return v.failure(event.Kind(kind), "", event.Crashed, v.said(e))
	case v.agent.Output.Finish == "required":
		return v.failure("", "", event.Crashed, "the agent ended without a result"+after(v.said(ending{})))
	}
	return nil
}

// retried reports whether agents retry a failure of the kind for minutes, and so may run out of
// time meanwhile.
func retried(k event.Kind) bool {
	return k == event.Auth || k == event.Limited || k == event.Overloaded
}

// cause returns why a turn ran out of time: agents retry for minutes when the provider's
// limit is reached, the provider is overloaded or the login is refused, and that is what the user
// can act on. An error after which the agent answered is not a cause.
func (v *evidence) cause(forced *event.Failure) *event.Failure {
	if forced.Kind != event.Timeout {
		return forced
	}
	kind, said := v.heldBack()
	if kind == "" {
		return forced
	}
	f := &event.Failure{Kind: kind, Message: firstLines(forced.Message + after(said))}
	if kind == event.Limited {
		f.ResetsAt = v.resetsAt()
	}
	return f
}

// heldBack returns the last failure that agents retry without output after it, from an event or else
// from text on standard error that matches a pattern of the adapter.
func (v *evidence) heldBack() (kind event.Kind, said string) {
	if v.held != nil {
		return cmp.Or(v.held.Kind, event.Limited), v.held.Message
	}
	text := v.heldText.String()
	for _, f := range v.agent.Failures {
		if !retried(event.Kind(f.Kind)) {
			continue
		}
		re, err := schema.CompilePattern(f.Pattern)
		if err != nil {
			continue // the loader rejects it
		}
		if m, err := re.FindStringMatch(text); m != nil && err == nil {
			return event.Kind(f.Kind), m.String()
		}
	}
	return "", ""
}

// failure returns a failure of the kind that the event reported, else of the kind that its
// message, its exit code or other messages indicate, else of the usual kind.
func (v *evidence) failure(said, byCode, usual event.Kind, message string) *event.Failure {
	kind := said
	if kind == "" {
		kind = cmp.Or(v.kindOf(message), byCode, v.kindOfErrors(), v.kindOf(v.plain.String()), v.kindOf(v.stderr.String()), usual)
	}
	f := &event.Failure{Kind: kind, Message: firstLines(message)}
	if kind == event.Limited {
		f.ResetsAt = v.resetsAt()
	}
	f.Hint = v.hint(kind, message, v.plain.String(), v.stderr.String())
	return f
}

// hint returns the adapter's advice for a failure of this kind.
func (v *evidence) hint(kind event.Kind, texts ...string) string {
	for _, f := range v.agent.Failures {
		re, err := schema.CompilePattern(f.Pattern)
		if err != nil || f.Hint == "" || event.Kind(f.Kind) != kind {
			continue
		}
		if slices.ContainsFunc(texts, func(text string) bool { return matches(re, text) }) {
			return f.Hint
		}
	}
	return ""
}

func (v *evidence) resetsAt() time.Time {
	if v.finished != nil && !v.finished.ResetsAt.IsZero() {
		return v.finished.ResetsAt
	}
	if v.limited != nil {
		return v.limited.ResetsAt
	}
	return time.Time{}
}

// kindOfErrors examines the error events, last one first. An earlier rate limit explains a turn
// that failed after it; an overload does so only if the agent did nothing since, because agents
// usually get over it.
func (v *evidence) kindOfErrors() event.Kind {
	for i := len(v.failed) - 1; i >= 0; i-- {
		k := cmp.Or(v.failed[i].Kind, v.kindOf(v.failed[i].Message))
		if k != "" && (k != event.Overloaded || v.held != nil) {
			return k
		}
	}
	return ""
}

// kindOf returns the kind of the adapter's first matching pattern.
func (v *evidence) kindOf(text string) event.Kind {
	if text == "" {
		return ""
	}
	return v.knownFailure(func(re *regexp2.Regexp) bool { return matches(re, text) })
}

// knownFailure returns the kind of the adapter's first failure whose pattern passes. That an answer is a failure of
// no special kind says nothing about a failed turn, whose kind other evidence may have.
func (v *evidence) knownFailure(passes func(*regexp2.Regexp) bool) event.Kind {
	for _, f := range v.agent.Failures {
		re, err := schema.CompilePattern(f.Pattern)
		if err == nil && passes(re) && (!f.Answer || event.Kind(f.Kind) != event.ModelError) { // the loader rejects others
			return event.Kind(f.Kind)
		}
	}
	return ""
}

func matches(re *regexp2.Regexp, text string) bool {
	found, err := re.MatchString(text)
	return found && err == nil
}

// said returns the failed process's own explanation.
func (v *evidence) said(e ending) string {
	message := ""
	if n := len(v.failed); n > 0 {
		message = v.failed[n-1].Message
	}
	message = cmp.Or(message, strings.TrimSpace(v.plain.String()), lastLines(v.stderr.String()))
	switch {
	case e.linger > 0:
		return fmt.Sprintf("the agent closed its output but was still running %s later, so it was ended", e.linger) + after(message)
	case e.signal != "":
		return "the agent was ended by " + e.signal + after(message)
	case message == "" && e.code != 0:
		return fmt.Sprintf("the agent ended with exit code %d and gave no reason", e.code)
	}
	return message
}

func after(message string) string {
	if message == "" {
		return ""
	}
	return ": " + message
}

// maxMessage is the maximum length of a failure's message, in bytes.
const maxMessage = 2000

func firstLines(s string) string {
	s = strings.TrimSpace(s)
	if len(s) > maxMessage {
		s = strings.ToValidUTF8(s[:maxMessage], "") + "…"
	}
	return s
}

// lastLines returns the last lines, where a failing program usually gives the reason.
func lastLines(s string) string {
	lines := strings.Split(strings.TrimSpace(s), "\n")
	return strings.Join(lines[max(0, len(lines)-10):], "\n")
}

// refused finds a denial in the final message of an agent without an event for denials.
func (r *reader) refused() {
	if r.agent.DenialPattern == "" || len(r.denials) > 0 {
		return
	}
	re, err := schema.CompilePattern(r.agent.DenialPattern)
	if err != nil || !matches(re, r.answer) {
		return
	}
	e := event.Event{Type: event.PermissionDenied, Detail: firstLines(r.answer)}
	r.denials = append(r.denials, e)
	r.emit(e)
}

// lastWords returns the last output of an agent without events, if it gave no other explanation
// of its failure. It is only displayed and does not affect the result: it may be part of the
// answer.
func (r *reader) lastWords(f *event.Failure, e ending) {
	if f != nil && e.forced == nil && r.program == nil && r.answer != "" && len(r.stderr.buf) == 0 {
		f.Message = firstLines(f.Message + "; its last output: " + lastLines(r.answer))
	}
}

// outcome ends the turn.
func (r *reader) outcome(e ending) Outcome {
	r.refused()
	if r.used != (event.Tokens{}) {
		used := r.used
		r.emit(event.Event{Type: event.Usage, Tokens: &used})
	}
	o := Outcome{
		Failure: r.verdict(e), ExitCode: e.code, Signal: e.signal, SessionID: r.session, Text: r.answer,
		Tokens: r.used, SessionTokens: r.total, Denials: r.denials, Unanswered: r.asked, UnknownLines: r.unknown, Problems: r.problems,
		Stderr: r.stderr.String(),
	}
	r.lastWords(o.Failure, e)
	return o
}
