package machine

import "time"

// next is the pure transition. The effects are appended to out.
func (p *Policy) Next(s State, in Input, out []Effect) (State, []Effect) {
	switch in.Kind {
	case InStart:
		return p.start(s, out)
	case InExit:
		return p.exit(s, out)
	case InSubmit:
		if s.Step == StepReady {
			s = State{Step: StepRunning, learnedB: s.learnedB, remaining: in.Lines, confirm: in.Confirm, typed: in.Typed}
			return p.sent(s, append(out, Effect{Kind: DoNoTimer}))
		}
		return s, out
	case InInterrupt:
		if s.Step == StepRunning {
			s.interrupted, s.signalled = true, in.Sent
			s.cut, s.remaining = s.cut || s.remaining > 0, 0
		}
		return s, out
	case InTimer:
		return p.timer(s, in.Now, out)
	case InText:
		return p.text(s, in.Now, out)
	}
	switch s.Step {
	case StepSettle:
		if in.Kind == InReadiness {
			return p.settled(s, in, out)
		}
	case StepFirst, StepKick, StepRunning:
		return p.boundary(s, in, out)
	case StepInjected:
		// A marker is evidence that the script has run; a pattern may be the old prompt.
		if in.Kind != InMatch {
			return p.boundary(s, in, out)
		}
	}
	return s, out
}

func (p *Policy) start(s State, out []Effect) (State, []Effect) {
	if !p.Inject {
		s.Step = StepFirst
		return s, out
	}
	s.Step = StepSettle
	return s, append(out, Effect{Kind: DoTimer, Delay: p.silence(0)})
}

// silence is how long it must stay quiet from now on before the script is typed.
func (p *Policy) silence(now time.Duration) time.Duration {
	return max(0, min(max(p.SettleQuiet, p.SettleMin-now), p.SettleMax-now))
}

// settled is the kernel's answer about a program that has become quiet: while it works
// it may still be starting, and discard what was typed before it reads.
func (p *Policy) settled(s State, in Input, out []Effect) (State, []Effect) {
	noAnswer := s.noAnswer
	s.looks, s.noAnswer = s.looks+1, in.Ready == ReadyUnknown
	switch {
	case in.Now >= p.SettleMax:
	case s.noAnswer && !noAnswer:
		return s, append(out, Effect{Kind: DoTimer, Delay: longestGap})
	case in.Ready == ReadyBusy:
		return s, append(out, Effect{Kind: DoTimer, Delay: lookGap(s.looks)})
	}
	return p.inject(s, out)
}

func (p *Policy) inject(s State, out []Effect) (State, []Effect) {
	s.ask(ProofNone)
	s.Step = StepInjected
	return s, append(out, Effect{Kind: DoInject}, Effect{Kind: DoTimer, Delay: p.InjectDelay})
}

// Interrupted says whether the program got an interrupt while the command ran.
func (s *State) Interrupted() bool { return s.signalled }

func (p *Policy) exit(s State, out []Effect) (State, []Effect) {
	if s.Step == StepRunning {
		out = append(out, Effect{Kind: DoComplete, By: ByExit})
	}
	return State{Step: StepExited}, append(out, Effect{Kind: DoNoTimer})
}

// text: more output came, so a prompt at the end of the stream was none, and
// silence starts anew.
func (p *Policy) text(s State, now time.Duration, out []Effect) (State, []Effect) {
	switch {
	case s.Step == StepSettle:
		s.looks = 0
		out = append(out, Effect{Kind: DoTimer, Delay: p.silence(now)})
	case s.Step == StepRunning && s.typed && p.Promptless:
		return p.sent(s, out)
	case s.Proof == ProofPrompt, s.Proof == ProofSilence:
		s.ask(ProofNone)
		out = append(out, Effect{Kind: DoNoTimer})
	}
	return s, out
}

// ask begins the questions about another prompt.
func (s *State) ask(about Proof) {
	s.Proof, s.looks, s.quiet, s.noAnswer = about, 0, false, false
}

// InSilence says that the program's waiting may be all that tells the end of a line.
func (p *Policy) InSilence(s *State) bool { return p.Silent || p.Promptless && s.typed }

// sent is a line on its way to a program that may ask for more in silence, or whose
// prompt may not come.
func (p *Policy) sent(s State, out []Effect) (State, []Effect) {
	switch {
	case p.InSilence(&s):
		s.ask(ProofSilence)
		return s, append(out, Effect{Kind: DoTimer, Delay: InFlight})
	case p.Printed:
		s.ask(ProofElsewhere)
		return s, append(out, Effect{Kind: DoTimer, Delay: longestGap})
	}
	return s, out
}

func (p *Policy) timer(s State, now time.Duration, out []Effect) (State, []Effect) {
	switch s.Step {
	case StepSettle:
		if now >= p.SettleMax {
			return p.inject(s, out)
		}
		return s, append(out, Effect{Kind: DoAsk})
	case StepInjected:
		s.Step = StepFirst
	}
	if s.Proof == ProofNone {
		return s, out
	}
	return s, append(out, Effect{Kind: DoAsk})
}

// boundary handles what may end a wait for a prompt.
func (p *Policy) boundary(s State, in Input, out []Effect) (State, []Effect) {
	switch in.Kind {
	case InExecuted:
		s.SawC, s.SawD, s.Proof = true, false, ProofNone
		return s, append(out, Effect{Kind: DoNoTimer}, Effect{Kind: DoBegin})
	case InFinished:
		s.SawD = true
		if s.Proof == ProofSilence || s.Proof == ProofElsewhere { // it has answered
			s.ask(ProofNone)
			return s, append(out, Effect{Kind: DoNoTimer})
		}
		if s.Proof == ProofInput {
			// D after A is of a shell that writes all its markers before the prompt, B is not to come.
			return s, append(out, Effect{Kind: DoAsk})
		}
	case InPromptStart:
		return p.promptStart(s, out)
	case InInputStart:
		return p.inputStart(s, out)
	case InContinuation:
		return p.wantsMore(s, out)
	case InMarker:
		return p.marker(s, out)
	case InMatch:
		s.ask(ProofPrompt)
		s.more = in.More
		out = append(out, Effect{Kind: DoAsk})
	case InReadiness:
		return p.asked(s, in.Ready, out)
	}
	return s, out
}

// promptStart is A. Alone it proves the end of our command only when the
// command was seen to run or to finish: shells redraw their prompt for other
// reasons (a background job ended), and then send A and B without D.
func (p *Policy) promptStart(s State, out []Effect) (State, []Effect) {
	ours := s.Step != StepRunning || s.SawC || s.SawD
	switch {
	case ours && (s.learnedB || s.Step != StepRunning):
		s.ask(ProofInput)
		return s, append(out, Effect{Kind: DoTimer, Delay: inputGrace})
	case ours:
		return p.marker(s, out)
	}
	s.ask(ProofMarker)
	return s, append(out, Effect{Kind: DoAsk})
}

// inputStart is B. After an A it completes the prompt; alone it is the v1
// reading ("Enter was pressed") and ends nothing.
func (p *Policy) inputStart(s State, out []Effect) (State, []Effect) {
	if s.Proof != ProofInput {
		return s, out
	}
	s.learnedB = true
	return p.marker(s, out)
}

// marker is a prompt that is proven by an authenticated marker. After an interrupt
// it may be the prompt of a command that had just ended: the interrupt is then still
// to come, and would take the next line with it.
func (p *Policy) marker(s State, out []Effect) (State, []Effect) {
	if s.Step == StepRunning && (s.confirm || s.signalled || p.Confirms) || s.Step != StepRunning && p.Learns {
		s.ask(ProofMarker)
		return s, append(out, Effect{Kind: DoAsk})
	}
	return p.proven(s, ByMarker, out)
}

// wantsMore is F. It comes with the prompt's text, a moment before the program
// reads: a key that makes it give up is lost when it comes earlier.
func (p *Policy) wantsMore(s State, out []Effect) (State, []Effect) {
	if s.Step != StepRunning || s.incomplete || s.interrupted || s.remaining > 0 || s.typed {
		return p.continues(s, false, out)
	}
	if s.Proof != ProofMore {
		s.ask(ProofMore)
	}
	return s, append(out, Effect{Kind: DoAsk})
}

// continues is a continuation prompt: the next line of the block goes out, or
// there is none and the program must be brought back; unless somebody types it.
func (p *Policy) continues(s State, match bool, out []Effect) (State, []Effect) {
	if s.Step != StepRunning || s.incomplete || s.interrupted {
		return s, out
	}
	s.Proof = ProofNone
	out = append(out, Effect{Kind: DoNoTimer})
	switch {
	case s.typed:
		return s, append(out, Effect{Kind: DoMore, Match: match})
	case s.remaining > 0:
		s.remaining--
		return p.sent(s, append(out, Effect{Kind: DoNextLine}))
	}
	s.incomplete, s.SawD = true, false
	return s, append(out, Effect{Kind: DoGiveUp, Match: match})
}

// proven is a prompt that counts.
func (p *Policy) proven(s State, by By, out []Effect) (State, []Effect) {
	match := by != ByMarker && s.Proof == ProofPrompt
	s.ask(ProofNone)
	if match && s.more {
		return p.continues(s, true, out)
	}
	out = append(out, Effect{Kind: DoNoTimer})
	switch {
	case p.Kick && (s.Step == StepFirst || s.Step == StepInjected):
		s.Step = StepKick
		return s, append(out, Effect{Kind: DoEnter})
	case s.Step != StepRunning:
		s.Step = StepReady
		return s, append(out, Effect{Kind: DoReady, By: by, Match: match})
	case s.remaining > 0:
		s.remaining--
		s.SawC, s.SawD = false, false
		return p.sent(s, append(out, Effect{Kind: DoNextLine, Match: match}))
	}
	if s.signalled || s.cut {
		by = ByInterrupt
	}
	s.Step = StepReady
	return s, append(out, Effect{Kind: DoComplete, By: by, Match: match})
}
