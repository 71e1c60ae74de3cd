package agent

import (
	"cmp"
	"slices"
	"strings"

	"github.com/dlclark/regexp2"

	"example.org/ripple/runtime/event"
	"example.org/ripple/schema"
)

// verdict returns the turn's failure, with corrections for agents over a protocol. If the agent
// ends its turn as cancelled because a tool was denied, the turn was not interrupted: the denial
// is the result.
func (r *reader) verdict(e ending) *event.Failure {
	f := r.judge(e)
	switch {
	case f == nil:
		return cmp.Or(r.disguised(), r.hollow())
	case f.Kind == event.Interrupted && e.forced == nil && len(r.denials) > 0 && r.agent.Transport == schema.TransportACP:
		return nil
	}
	return f
}

// maxDisguised is the maximum length of an answer that may be a failure, in bytes.
const maxDisguised = 8 << 10

// disguised returns the failure of a turn that the agent reports as successful and whose answer is
// an error of its program or provider: the message of an error event, or else, if the turn did
// nothing but answer, a text that as a whole is one that the adapter knows.
func (r *reader) disguised() *event.Failure {
	said := strings.TrimSpace(r.answer)
	for _, e := range slices.Backward(r.failed) {
		if said != "" && dense(e.Message) == dense(said) {
			return r.failure(e.Kind, "", event.ModelError, said)
		}
	}
	if r.acted || len(r.emitted.texts) > 1 || r.emitted.dropped || len(said) > maxDisguised {
		return nil
	}
	if kind := r.kindOfAnswer(said); kind != "" {
		return r.failure(kind, "", event.ModelError, cmp.Or(said, "the agent ended its turn without an answer: no text, no use of a tool"))
	}
	return nil
}

// kindOfAnswer returns the kind of the first pattern for answers that matches a whole text.
func (v *evidence) kindOfAnswer(text string) event.Kind {
	for _, f := range v.agent.Failures {
		re, err := schema.CompilePattern(f.Pattern)
		if err != nil || !f.Answer {
			continue // the loader rejects the former
		}
		if m, err := re.FindStringMatch(text); m != nil && err == nil && m.Index == 0 && m.String() == text {
			return event.Kind(f.Kind)
		}
	}
	return ""
}

// hollow returns the failure of a turn over a protocol that the agent reports as successful. Some
// agents return an error of the provider as their answer. In a turn that used no tokens, a
// failure is: an error known to the adapter, a text that begins with one of its failure messages,
// or a turn without text and tools. Over stdio the result and the exit code report errors.
func (r *reader) hollow() *event.Failure {
	if r.agent.Transport != schema.TransportACP || r.used.Input+r.used.Output > 0 {
		return nil
	}
	said := strings.TrimSpace(r.answer)
	switch kind := r.begins(said); {
	case len(r.failed) > 0:
		last := r.failed[len(r.failed)-1]
		return r.failure(last.Kind, "", event.ModelError, last.Message)
	case said == "" && !r.acted:
		return r.failure("", "", event.ModelError, "the agent ended its turn without an answer: no text, no use of a tool, no tokens")
	case kind != "" && !r.acted: // an agent that worked may write about limits
		return r.failure(kind, "", event.ModelError, said)
	}
	return nil
}

// begins returns the kind of failure whose message starts the text.
func (v *evidence) begins(text string) event.Kind {
	return v.knownFailure(func(re *regexp2.Regexp) bool {
		m, err := re.FindStringMatch(text)
		return m != nil && err == nil && m.Index == 0 && m.Length > 0
	})
}
