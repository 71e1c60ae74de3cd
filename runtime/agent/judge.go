package agent

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/dlclark/regexp2"

	"ripple/runtime/event"
	"ripple/schema"
)

// ending is how a process ended, and what we did to it.
type ending struct {
	code   int
	signal string
	forced *event.Failure // ended by us: timeout, interrupted
}

// evidence is what a turn is judged by.
type evidence struct {
	agent    *schema.Agent
	finished *event.Event
	failed   []event.Event // error events
	limited  *event.Event
	held     *event.Event // the last limit or refused login, while nothing came after it
	heldText tail         // standard error since the last that came
	plain    tail         // lines that are no JSON

	unanswered string // the request over a protocol that has no answer
	stderr     tail
}

// judge decides whether the turn worked. What counts, in this order: what we did
// to it, its finished event, a fatal error, the exit code, and a finished event
// that should have come and did not. The words of tools, of the user and of the
// agent's own prose count for nothing.
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
			return v.failure(err.Kind, event.Kind(kind), event.ModelError, err.Message)
		}
	}
	switch {
	case v.finished != nil || works:
		return nil
	case v.unanswered != "":
		return v.failure(event.Kind(kind), "", event.Crashed, "it ended without an answer to "+v.unanswered+after(v.said(e)))
	case e.code != 0 || declared:
		return v.failure(event.Kind(kind), "", event.Crashed, v.said(e))
	case v.agent.Output.Finish == "required":
		return v.failure("", "", event.Crashed, "it ended without a result"+after(v.said(ending{})))
	}
	return nil
}

// cause is why a turn ran out of time: agents try again for minutes when the
// provider's limit is reached or the login is refused, and that is what there is
// to act on. What was answered since is no cause.
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

// heldBack is the last limit or refused login after which nothing came, from an
// event or else from the words on standard error that the adapter has a pattern
// for.
func (v *evidence) heldBack() (kind event.Kind, said string) {
	if v.held != nil {
		return cmp.Or(v.held.Kind, event.Limited), v.held.Message
	}
	text := v.heldText.String()
	for _, f := range v.agent.Failures {
		if kind := event.Kind(f.Kind); kind != event.Auth && kind != event.Limited {
			continue
		}
		re, err := schema.CompilePattern(f.Pattern)
		if err != nil {
			continue // the loader refuses it
		}
		if m, err := re.FindStringMatch(text); m != nil && err == nil {
			return event.Kind(f.Kind), m.String()
		}
	}
	return "", ""
}

// failure gives a failure the kind that the event said, else the one that its
// words tell, its exit code or what else was said, else the usual one.
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

// hint is what the adapter says to do about a failure of this kind.
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

// kindOfErrors looks at the error events, the last one first. A limit that was
// hit on the way explains a turn that failed after it.
func (v *evidence) kindOfErrors() event.Kind {
	for i := len(v.failed) - 1; i >= 0; i-- {
		if k := cmp.Or(v.failed[i].Kind, v.kindOf(v.failed[i].Message)); k != "" {
			return k
		}
	}
	return ""
}

// kindOf is the adapter's first pattern that matches.
func (v *evidence) kindOf(text string) event.Kind {
	if text == "" {
		return ""
	}
	for _, f := range v.agent.Failures {
		re, err := schema.CompilePattern(f.Pattern)
		if err != nil {
			continue // the loader refuses it
		}
		if matches(re, text) {
			return event.Kind(f.Kind)
		}
	}
	return ""
}

func matches(re *regexp2.Regexp, text string) bool {
	found, err := re.MatchString(text)
	return found && err == nil
}

// said is what a failed process had to say about it.
func (v *evidence) said(e ending) string {
	message := ""
	if n := len(v.failed); n > 0 {
		message = v.failed[n-1].Message
	}
	message = cmp.Or(message, strings.TrimSpace(v.plain.String()), lastLines(v.stderr.String()))
	switch {
	case e.signal != "":
		return "it was ended by " + e.signal + after(message)
	case message == "" && e.code != 0:
		return fmt.Sprintf("it ended with exit code %d and did not say why", e.code)
	}
	return message
}

func after(message string) string {
	if message == "" {
		return ""
	}
	return ": " + message
}

// maxMessage bounds a failure's message, in bytes.
const maxMessage = 2000

func firstLines(s string) string {
	s = strings.TrimSpace(s)
	if len(s) > maxMessage {
		s = strings.ToValidUTF8(s[:maxMessage], "") + "…"
	}
	return s
}

// lastLines is where a program that fails says why.
func lastLines(s string) string {
	lines := strings.Split(strings.TrimSpace(s), "\n")
	return strings.Join(lines[max(0, len(lines)-10):], "\n")
}

// refused finds a refusal in the final message of an agent that has no event for
// one.
func (r *reader) refused() {
	if r.agent.DenialPattern == "" || len(r.denials) > 0 {
		return
	}
	re, err := schema.CompilePattern(r.agent.DenialPattern)
	if err != nil || !matches(re, r.final) {
		return
	}
	e := event.Event{Type: event.PermissionDenied, Detail: firstLines(r.final)}
	r.denials = append(r.denials, e)
	r.emit(e)
}

// lastWords shows what an agent without events printed before it failed, when it
// said nothing else. They are shown and decide nothing: they may be its answer.
func (r *reader) lastWords(f *event.Failure, e ending) {
	if f != nil && e.forced == nil && r.program == nil && r.final != "" && len(r.stderr.buf) == 0 {
		f.Message = firstLines(f.Message + "; its last words: " + lastLines(r.final))
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
		Failure: r.judge(e), ExitCode: e.code, Signal: e.signal, SessionID: r.session, Text: r.final,
		Tokens: r.used, Session: r.total, Denials: r.denials, Asked: r.asked, Unknown: r.unknown, Problems: r.problems,
		Stderr: r.stderr.String(),
	}
	r.lastWords(o.Failure, e)
	if r.finished != nil && r.finished.Result != "" && o.Text == "" && !r.finished.IsError {
		o.Text = r.finished.Result
	}
	return o
}
