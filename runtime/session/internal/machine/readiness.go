package machine

import "time"

// asked is the kernel's answer about the prompt in question.
func (p *Policy) asked(s State, r Readiness, out []Effect) (State, []Effect) {
	if s.Proof == ProofNone {
		return s, out
	}
	s.looks++
	switch {
	case s.Proof == ProofMore:
		return p.askedMore(s, r, out)
	case s.Proof == ProofSilence:
		return p.askedSilence(s, r, out)
	case s.Proof == ProofElsewhere:
		return p.askedElsewhere(s, r, out)
	case s.Step != StepRunning && s.Proof == ProofMarker:
		return p.askedFirst(s, r, out)
	}
	noAnswer := s.noAnswer
	s.noAnswer = r == ReadyUnknown
	switch {
	case r == ReadyAsks:
		s.ask(ProofNone)
		return s, append(out, Effect{Kind: DoNoTimer}, Effect{Kind: DoTakeBack})
	case r == ReadyWaiting && s.Proof == ProofMarker && !s.SawC && !s.SawD && s.looks < 2:
		// The line may still be on its way through the tty: look twice.
		return s, append(out, Effect{Kind: DoTimer, Delay: InFlight})
	case r == ReadyWaiting && s.Proof == ProofPrompt:
		return p.proven(s, ByPrompt, out)
	case r == ReadyWaiting:
		return p.proven(s, ByMarker, out)
	case r == ReadyBusy && s.signalled && s.Proof != ProofPrompt && s.looks >= enoughLooks && !p.Confirms:
		return p.proven(s, ByMarker, out)
	case r == ReadyBusy:
		return s, append(out, Effect{Kind: DoTimer, Delay: lookGap(s.looks)})
	case !noAnswer:
		// Silence for the settle time has to do.
		return s, append(out, Effect{Kind: DoTimer, Delay: p.Settle})
	case s.Proof == ProofPrompt:
		return p.proven(s, ByIdle, out)
	}
	return p.proven(s, ByMarker, out)
}

// askedFirst is the kernel's answer about a first prompt that a marker has proven:
// whether it shows this program's waiting is worth a while, but no more. A program
// reads right after its prompt; on a busy machine that may take its time.
func (p *Policy) askedFirst(s State, r Readiness, out []Effect) (State, []Effect) {
	if r == ReadyBusy && s.looks < enoughLooks {
		return s, append(out, Effect{Kind: DoTimer, Delay: lookGap(s.looks)})
	}
	return p.proven(s, ByMarker, out)
}

// askedMore is the kernel's answer about F. Without one F itself is evidence.
func (p *Policy) askedMore(s State, r Readiness, out []Effect) (State, []Effect) {
	switch {
	case r == ReadyBusy && s.looks < enoughLooks:
		return s, append(out, Effect{Kind: DoTimer, Delay: lookGap(s.looks)})
	case r == ReadyUnknown && s.looks < 2:
		return s, append(out, Effect{Kind: DoTimer, Delay: p.Settle})
	}
	s.Proof = ProofNone
	return p.continues(s, false, out)
}

// askedSilence is the kernel's answer about a silence. It must be the same twice in a
// row, since the end of a long line may have been on its way; without an answer silence proves nothing.
func (p *Policy) askedSilence(s State, r Readiness, out []Effect) (State, []Effect) {
	switch {
	case r == ReadyUnknown:
		s.Proof = ProofNone
		return s, out
	case r == ReadyBusy:
		s.quiet = false
		return s, append(out, Effect{Kind: DoTimer, Delay: lookGap(s.looks)})
	case !s.quiet:
		s.quiet = true
		return s, append(out, Effect{Kind: DoTimer, Delay: InFlight})
	}
	if s.typed { // there may be no prompt at all
		return p.proven(s, ByIdle, out)
	}
	s.Proof, s.quiet = ProofNone, false
	return p.continues(s, false, out)
}

// askedElsewhere is the kernel's answer about a prompt that goes elsewhere, twice in a row.
func (p *Policy) askedElsewhere(s State, r Readiness, out []Effect) (State, []Effect) {
	switch {
	case r != ReadyWaiting:
		s.quiet = false
		return s, append(out, Effect{Kind: DoTimer, Delay: min(longestGap<<min(s.looks, 10), rareGap)})
	case !s.quiet:
		s.quiet = true
		return s, append(out, Effect{Kind: DoTimer, Delay: InFlight})
	}
	return p.proven(s, ByIdle, out)
}

// InFlight is how long after a line was sent a program that waits may not have got
// it yet, when it has shown a sign of life since.
const InFlight = 5 * time.Millisecond

// How often to look whether a program that printed its prompt has come to
// reading: it is a matter of microseconds on an idle machine.
const (
	firstLook   = 200 * time.Microsecond
	longestGap  = 50 * time.Millisecond
	rareGap     = time.Second           // for what hardly ever is the case
	inputGrace  = 20 * time.Millisecond // A came: how long to wait for its B before asking
	enoughLooks = 18                    // take half a second
)

// lookGap is how long to wait after that many looks.
func lookGap(looks int) time.Duration { return min(firstLook<<min(looks-1, 10), longestGap) }
