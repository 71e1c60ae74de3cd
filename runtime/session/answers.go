package session

import "time"

// What the machine makes of the kernel's answer to "does the program wait for input?".

// asked is the kernel's answer about the prompt in question.
func (p *policy) asked(s machineState, r readiness, out []effect) (machineState, []effect) {
	if s.proof == proofNone {
		return s, out
	}
	s.looks++
	switch {
	case s.proof == proofMore:
		return p.askedMore(s, r, out)
	case s.proof == proofSilence:
		return p.askedSilence(s, r, out)
	case s.proof == proofElsewhere:
		return p.askedElsewhere(s, r, out)
	case s.step != stepRunning && s.proof == proofMarker:
		return p.askedFirst(s, r, out)
	}
	noAnswer := s.noAnswer
	s.noAnswer = r == readyUnknown
	switch {
	case r == readyWaiting && s.proof == proofMarker && !s.sawC && !s.sawD && s.looks < 2:
		// The line may still be on its way through the tty: look twice.
		return s, append(out, effect{kind: doTimer, delay: inFlight})
	case r == readyWaiting && s.proof == proofPrompt:
		return p.proven(s, ByPrompt, out)
	case r == readyWaiting:
		return p.proven(s, ByMarker, out)
	case r == readyBusy && s.signalled && s.proof != proofPrompt && s.looks >= enoughLooks:
		return p.proven(s, ByMarker, out)
	case r == readyBusy:
		return s, append(out, effect{kind: doTimer, delay: lookGap(s.looks)})
	case !noAnswer:
		// Silence for the settle time has to do.
		return s, append(out, effect{kind: doTimer, delay: p.settle})
	case s.proof == proofPrompt:
		return p.proven(s, ByIdle, out)
	}
	return p.proven(s, ByMarker, out)
}

// askedFirst is the kernel's answer about a first prompt that a marker has proven:
// whether it shows this program's waiting is worth a while, but no more. A program
// reads right after its prompt; on a busy machine that may take its time.
func (p *policy) askedFirst(s machineState, r readiness, out []effect) (machineState, []effect) {
	if r == readyBusy && s.looks < enoughLooks {
		return s, append(out, effect{kind: doTimer, delay: lookGap(s.looks)})
	}
	return p.proven(s, ByMarker, out)
}

// askedMore is the kernel's answer about F. Without one F itself is evidence.
func (p *policy) askedMore(s machineState, r readiness, out []effect) (machineState, []effect) {
	switch {
	case r == readyBusy && s.looks < enoughLooks:
		return s, append(out, effect{kind: doTimer, delay: lookGap(s.looks)})
	case r == readyUnknown && s.looks < 2:
		return s, append(out, effect{kind: doTimer, delay: p.settle})
	}
	s.proof = proofNone
	return p.continues(s, out)
}

// askedSilence is the kernel's answer about a silence. It must be the same twice in a
// row, since the end of a long line may have been on its way; without an answer silence proves nothing.
func (p *policy) askedSilence(s machineState, r readiness, out []effect) (machineState, []effect) {
	switch {
	case r == readyUnknown:
		s.proof = proofNone
		return s, out
	case r == readyBusy:
		s.quiet = false
		return s, append(out, effect{kind: doTimer, delay: lookGap(s.looks)})
	case !s.quiet:
		s.quiet = true
		return s, append(out, effect{kind: doTimer, delay: inFlight})
	}
	s.proof, s.quiet = proofNone, false
	return p.continues(s, out)
}

// askedElsewhere is the kernel's answer about a prompt that goes elsewhere, twice in a row.
func (p *policy) askedElsewhere(s machineState, r readiness, out []effect) (machineState, []effect) {
	switch {
	case r != readyWaiting:
		s.quiet = false
		return s, append(out, effect{kind: doTimer, delay: min(longestGap<<min(s.looks, 10), rareGap)})
	case !s.quiet:
		s.quiet = true
		return s, append(out, effect{kind: doTimer, delay: inFlight})
	}
	return p.proven(s, ByIdle, out)
}

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
