package session

import "time"

// next is the pure transition. The effects are appended to out.
func (p *policy) next(s machineState, in input, out []effect) (machineState, []effect) {
	switch in.kind {
	case inStart:
		return p.start(s, out)
	case inExit:
		return p.exit(s, out)
	case inSubmit:
		if s.step == stepReady {
			s = machineState{step: stepRunning, learnedB: s.learnedB, remaining: in.lines, confirm: in.confirm}
			return p.sent(s, append(out, effect{kind: doNoTimer}))
		}
		return s, out
	case inInterrupt:
		if s.step == stepRunning {
			s.interrupted, s.signalled = true, in.sent
			s.cut, s.remaining = s.cut || s.remaining > 0, 0
		}
		return s, out
	case inTimer:
		return p.timer(s, out)
	case inText:
		return p.text(s, in.now, out)
	}
	switch s.step {
	case stepFirst, stepKick, stepRunning:
		return p.boundary(s, in, out)
	case stepInjected:
		// A marker is evidence that the script has run; a pattern may be the old prompt.
		if in.kind != inMatch {
			return p.boundary(s, in, out)
		}
	}
	return s, out
}

func (p *policy) start(s machineState, out []effect) (machineState, []effect) {
	if !p.inject {
		s.step = stepFirst
		return s, out
	}
	s.step = stepSettle
	return s, append(out, effect{kind: doTimer, delay: p.silence(0)})
}

// silence is how long it must stay quiet from now on before the script is typed.
func (p *policy) silence(now time.Duration) time.Duration {
	return max(0, min(max(p.settleQuiet, p.settleMin-now), p.settleMax-now))
}

func (p *policy) exit(s machineState, out []effect) (machineState, []effect) {
	if s.step == stepRunning {
		out = append(out, effect{kind: doComplete, by: ByExit})
	}
	return machineState{step: stepExited}, append(out, effect{kind: doNoTimer})
}

// text: more output came, so a prompt at the end of the stream was none, and
// silence starts anew.
func (p *policy) text(s machineState, now time.Duration, out []effect) (machineState, []effect) {
	switch {
	case s.step == stepSettle:
		out = append(out, effect{kind: doTimer, delay: p.silence(now)})
	case s.proof == proofPrompt, s.proof == proofSilence:
		s.ask(proofNone)
		out = append(out, effect{kind: doNoTimer})
	}
	return s, out
}

// ask begins the questions about another prompt.
func (s *machineState) ask(about proof) {
	s.proof, s.looks, s.quiet, s.noAnswer = about, 0, false, false
}

// sent is a line on its way to a program that may ask for more in silence, or whose
// prompt may not come.
func (p *policy) sent(s machineState, out []effect) (machineState, []effect) {
	switch {
	case p.silent:
		s.ask(proofSilence)
		return s, append(out, effect{kind: doTimer, delay: inFlight})
	case p.printed:
		s.ask(proofElsewhere)
		return s, append(out, effect{kind: doTimer, delay: longestGap})
	}
	return s, out
}

func (p *policy) timer(s machineState, out []effect) (machineState, []effect) {
	switch s.step {
	case stepSettle:
		s.step = stepInjected
		return s, append(out, effect{kind: doInject}, effect{kind: doTimer, delay: p.injectDelay})
	case stepInjected:
		s.step = stepFirst
	}
	if s.proof == proofNone {
		return s, out
	}
	return s, append(out, effect{kind: doAsk})
}

// boundary handles what may end a wait for a prompt.
func (p *policy) boundary(s machineState, in input, out []effect) (machineState, []effect) {
	switch in.kind {
	case inExecuted:
		s.sawC, s.sawD, s.proof = true, false, proofNone
		return s, append(out, effect{kind: doNoTimer}, effect{kind: doBegin})
	case inFinished:
		s.sawD = true
		if s.proof == proofSilence || s.proof == proofElsewhere { // it has answered
			s.ask(proofNone)
			return s, append(out, effect{kind: doNoTimer})
		}
		if s.proof == proofInput {
			// D after A is of a shell that writes all its markers before the prompt, B is not to come.
			return s, append(out, effect{kind: doAsk})
		}
	case inPromptStart:
		return p.promptStart(s, out)
	case inInputStart:
		return p.inputStart(s, out)
	case inContinuation:
		return p.wantsMore(s, out)
	case inMarker:
		return p.marker(s, out)
	case inMatch:
		s.ask(proofPrompt)
		s.more = in.more
		out = append(out, effect{kind: doAsk})
	case inReadiness:
		return p.asked(s, in.ready, out)
	}
	return s, out
}

// promptStart is A. Alone it proves the end of our command only when the
// command was seen to run or to finish: shells redraw their prompt for other
// reasons (a background job ended), and then send A and B without D.
func (p *policy) promptStart(s machineState, out []effect) (machineState, []effect) {
	ours := s.step != stepRunning || s.sawC || s.sawD
	switch {
	case ours && (s.learnedB || s.step != stepRunning):
		s.ask(proofInput)
		return s, append(out, effect{kind: doTimer, delay: inputGrace})
	case ours:
		return p.marker(s, out)
	}
	s.ask(proofMarker)
	return s, append(out, effect{kind: doAsk})
}

// inputStart is B. After an A it completes the prompt; alone it is the v1
// reading ("Enter was pressed") and ends nothing.
func (p *policy) inputStart(s machineState, out []effect) (machineState, []effect) {
	if s.proof != proofInput {
		return s, out
	}
	s.learnedB = true
	return p.marker(s, out)
}

// marker is a prompt that is proven by an authenticated marker. After an interrupt
// it may be the prompt of a command that had just ended: the interrupt is then still
// to come, and would take the next line with it.
func (p *policy) marker(s machineState, out []effect) (machineState, []effect) {
	if s.step == stepRunning && (s.confirm || s.signalled || p.confirms) || s.step != stepRunning && p.learns {
		s.ask(proofMarker)
		return s, append(out, effect{kind: doAsk})
	}
	return p.proven(s, ByMarker, out)
}

// wantsMore is F. It comes with the prompt's text, a moment before the program
// reads: a key that makes it give up is lost when it comes earlier.
func (p *policy) wantsMore(s machineState, out []effect) (machineState, []effect) {
	if s.step != stepRunning || s.incomplete || s.interrupted || s.remaining > 0 {
		return p.continues(s, out)
	}
	if s.proof != proofMore {
		s.ask(proofMore)
	}
	return s, append(out, effect{kind: doAsk})
}

// continues is a continuation prompt: the next line of the block goes out, or
// there is none and the program must be brought back.
func (p *policy) continues(s machineState, out []effect) (machineState, []effect) {
	if s.step != stepRunning || s.incomplete || s.interrupted {
		return s, out
	}
	s.proof = proofNone
	out = append(out, effect{kind: doNoTimer})
	if s.remaining > 0 {
		s.remaining--
		return p.sent(s, append(out, effect{kind: doNextLine}))
	}
	s.incomplete, s.sawD = true, false
	return s, append(out, effect{kind: doGiveUp})
}

// proven is a prompt that counts.
func (p *policy) proven(s machineState, by CompletedBy, out []effect) (machineState, []effect) {
	match := by != ByMarker && s.proof != proofElsewhere
	s.ask(proofNone)
	if match && s.more {
		return p.continues(s, out)
	}
	out = append(out, effect{kind: doNoTimer})
	switch {
	case p.kick && (s.step == stepFirst || s.step == stepInjected):
		s.step = stepKick
		return s, append(out, effect{kind: doEnter})
	case s.step != stepRunning:
		s.step = stepReady
		return s, append(out, effect{kind: doReady, by: by, match: match})
	case s.remaining > 0:
		s.remaining--
		s.sawC, s.sawD = false, false
		return p.sent(s, append(out, effect{kind: doNextLine, match: match}))
	}
	if s.signalled || s.cut {
		by = ByInterrupt
	}
	s.step = stepReady
	return s, append(out, effect{kind: doComplete, by: by, match: match})
}
