package machine

import "time"

// asked handles the kernel's answer about the prompt in question.
func (p *Policy) asked(s State, r Readiness, out []Effect) (State, []Effect) {
	if s.Evidence == EvidenceNone {
		return s, out
	}
	s.looks++
	switch {
	case s.Evidence == EvidenceMore:
		return p.askedMore(s, r, out)
	case s.Evidence == EvidenceSilence:
		return p.askedSilence(s, r, out)
	case s.Evidence == EvidenceElsewhere:
		return p.askedElsewhere(s, r, out)
	case s.Step != StepRunning && s.Evidence == EvidenceMarker:
		return p.askedFirst(s, r, out)
	}
	noAnswer := s.noAnswer
	s.noAnswer = r == ReadyUnknown
	switch {
	case r == ReadyAsks:
		s.ask(EvidenceNone)
		return s, append(out, Effect{Kind: DoNoTimer}, Effect{Kind: DoTakeBack})
	case r == ReadyWaiting && s.Evidence == EvidenceMarker && !s.SawC && !s.SawD && s.looks < 2:
		// The line may still be on its way through the tty: ask twice.
		return s, append(out, Effect{Kind: DoTimer, Delay: InFlight})
	case r == ReadyWaiting && s.Evidence == EvidencePrompt:
		return p.confirmed(s, ByPrompt, out)
	case r == ReadyWaiting:
		return p.confirmed(s, ByMarker, out)
	case r == ReadyBusy && s.signaled && s.Evidence != EvidencePrompt && s.looks >= enoughLooks && !p.Confirms:
		return p.confirmed(s, ByMarker, out)
	case r == ReadyBusy:
		return s, append(out, Effect{Kind: DoTimer, Delay: lookGap(s.looks)})
	case !noAnswer:
		// Silence for the settle time has to suffice.
		return s, append(out, Effect{Kind: DoTimer, Delay: p.Settle})
	case s.Evidence == EvidencePrompt:
		return p.confirmed(s, ByIdle, out)
	}
	return p.confirmed(s, ByMarker, out)
}

// askedFirst handles the kernel's answer about a first prompt that a marker has confirmed: it waits
// for a limited time for evidence that the kernel shows this program's waiting. A program reads
// right after its prompt; on a busy machine that may take some time.
func (p *Policy) askedFirst(s State, r Readiness, out []Effect) (State, []Effect) {
	if r == ReadyBusy && s.looks < enoughLooks {
		return s, append(out, Effect{Kind: DoTimer, Delay: lookGap(s.looks)})
	}
	return p.confirmed(s, ByMarker, out)
}

// askedMore handles the kernel's answer about F. Without an answer F itself is evidence.
func (p *Policy) askedMore(s State, r Readiness, out []Effect) (State, []Effect) {
	switch {
	case r == ReadyBusy && s.looks < enoughLooks:
		return s, append(out, Effect{Kind: DoTimer, Delay: lookGap(s.looks)})
	case r == ReadyUnknown && s.looks < 2:
		return s, append(out, Effect{Kind: DoTimer, Delay: p.Settle})
	}
	s.Evidence = EvidenceNone
	return p.continues(s, false, out)
}

// askedSilence handles the kernel's answer about a silence. The answer must be the same twice in a
// row, since the end of a long line may have been on its way; without an answer, silence confirms
// nothing.
func (p *Policy) askedSilence(s State, r Readiness, out []Effect) (State, []Effect) {
	switch {
	case r == ReadyUnknown:
		s.Evidence = EvidenceNone
		return s, out
	case r == ReadyBusy:
		s.quiet = false
		return s, append(out, Effect{Kind: DoTimer, Delay: lookGap(s.looks)})
	case !s.quiet:
		s.quiet = true
		return s, append(out, Effect{Kind: DoTimer, Delay: InFlight})
	}
	if s.typed && (r != ReadyMore || s.interrupted) { // there may be no prompt at all
		return p.confirmed(s, ByIdle, out)
	}
	s.Evidence, s.quiet = EvidenceNone, false
	return p.continues(s, false, out)
}

// askedElsewhere handles the kernel's answer about a prompt that goes elsewhere. It must be the
// same twice in a row.
func (p *Policy) askedElsewhere(s State, r Readiness, out []Effect) (State, []Effect) {
	switch {
	case r != ReadyWaiting:
		s.quiet = false
		return s, append(out, Effect{Kind: DoTimer, Delay: min(longestGap<<min(s.looks, 10), rareGap)})
	case !s.quiet:
		s.quiet = true
		return s, append(out, Effect{Kind: DoTimer, Delay: InFlight})
	}
	return p.confirmed(s, ByIdle, out)
}

// InFlight is how long after a line was sent a waiting program may not have received it yet, if it
// has printed something since.
const InFlight = 5 * time.Millisecond

// How often to ask whether a program that printed its prompt reads: on an idle machine it takes
// microseconds.
const (
	firstLook   = 200 * time.Microsecond
	longestGap  = 50 * time.Millisecond
	rareGap     = time.Second           // for rare cases
	inputGrace  = 20 * time.Millisecond // after A: how long to wait for its B before asking
	enoughLooks = 18                    // take half a second
)

// lookGap returns the delay after the given number of questions.
func lookGap(looks int) time.Duration { return min(firstLook<<min(looks-1, 10), longestGap) }
