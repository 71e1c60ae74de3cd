package machine

import "time"

// Next is the pure transition function. It appends the effects to out.
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
			s.interrupted, s.signaled = true, in.Sent
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
	case StepReady:
		if in.Kind == InInputStart {
			return p.inputStart(s, in, out)
		}
	case StepFirst, StepKick, StepRunning:
		return p.boundary(s, in, out)
	case StepInjected:
		// A marker is evidence that the script has run; a pattern may match the old prompt.
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

// silence returns how long the program must stay quiet from now on before the script is typed.
func (p *Policy) silence(now time.Duration) time.Duration {
	return max(0, min(max(p.SettleQuiet, p.SettleMin-now), p.SettleMax-now))
}

// settled handles the kernel's answer about a program that has become quiet: while it works it may
// still be starting, and may discard input typed before it reads.
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
	s.ask(EvidenceNone)
	s.Step = StepInjected
	return s, append(out, Effect{Kind: DoInject}, Effect{Kind: DoTimer, Delay: p.InjectDelay})
}

// Interrupted reports whether the program got an interrupt while the command ran.
func (s *State) Interrupted() bool { return s.signaled }

func (p *Policy) exit(s State, out []Effect) (State, []Effect) {
	if s.Step == StepRunning {
		out = append(out, Effect{Kind: DoComplete, By: ByExit})
	}
	return State{Step: StepExited}, append(out, Effect{Kind: DoNoTimer})
}

// text handles more output: a prompt at the end of the stream was not a prompt, and the silence
// starts again.
func (p *Policy) text(s State, now time.Duration, out []Effect) (State, []Effect) {
	switch {
	case s.Step == StepSettle:
		s.looks = 0
		out = append(out, Effect{Kind: DoTimer, Delay: p.silence(now)})
	case s.Step == StepRunning && s.typed && p.Promptless:
		return p.sent(s, out)
	case s.Evidence == EvidencePrompt, s.Evidence == EvidenceSilence:
		s.ask(EvidenceNone)
		out = append(out, Effect{Kind: DoNoTimer})
	}
	return s, out
}

// ask starts the questions about another prompt.
func (s *State) ask(about Evidence) {
	s.Evidence, s.looks, s.quiet, s.noAnswer = about, 0, false, false
}

// InSilence reports whether only the program's waiting may announce the end of a line.
func (p *Policy) InSilence(s *State) bool { return p.Silent || p.Promptless && s.typed }

// sent handles a line sent to a program that may ask for more in silence, or whose prompt may not
// come.
func (p *Policy) sent(s State, out []Effect) (State, []Effect) {
	switch {
	case p.InSilence(&s):
		s.ask(EvidenceSilence)
		return s, append(out, Effect{Kind: DoTimer, Delay: InFlight})
	case p.Printed:
		s.ask(EvidenceElsewhere)
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
	if s.Evidence == EvidenceNone {
		return s, out
	}
	return s, append(out, Effect{Kind: DoAsk})
}

// boundary handles inputs that may end a wait for a prompt.
func (p *Policy) boundary(s State, in Input, out []Effect) (State, []Effect) {
	switch in.Kind {
	case InExecuted:
		s.SawC, s.SawD, s.again, s.Evidence = true, false, false, EvidenceNone
		return s, append(out, Effect{Kind: DoNoTimer}, Effect{Kind: DoBegin})
	case InFinished:
		s.SawD = true
		if s.Evidence == EvidenceSilence || s.Evidence == EvidenceElsewhere { // it has answered
			s.ask(EvidenceNone)
			return s, append(out, Effect{Kind: DoNoTimer})
		}
		if s.Evidence == EvidenceInput {
			// D after A comes from a shell that writes all its markers before the prompt; B does
			// not follow.
			return s, append(out, Effect{Kind: DoAsk})
		}
	case InPromptStart:
		s.again = in.Again && s.Step == StepRunning
		return p.promptStart(s, out)
	case InInputStart:
		return p.inputStart(s, in, out)
	case InContinuation:
		return p.wantsMore(s, out)
	case InMarker:
		return p.marker(s, out)
	case InMatch:
		s.ask(EvidencePrompt)
		s.more = in.More
		out = append(out, Effect{Kind: DoAsk})
	case InReadiness:
		return p.asked(s, in.Ready, out)
	}
	return s, out
}

// promptStart handles A. Alone it confirms the end of the command only if the command was seen to
// run or to finish: shells redraw their prompt for other reasons (a background job ended), and then
// send A and B without D.
func (p *Policy) promptStart(s State, out []Effect) (State, []Effect) {
	ours := s.Step != StepRunning || s.SawC || s.SawD
	switch {
	case ours && (s.learnedB || s.Step != StepRunning):
		s.ask(EvidenceInput)
		return s, append(out, Effect{Kind: DoTimer, Delay: inputGrace})
	case ours:
		return p.marker(s, out)
	}
	s.ask(EvidenceMarker)
	return s, append(out, Effect{Kind: DoAsk})
}

// inputStart handles B. After an A it completes the prompt; alone it has the v1 meaning ("Enter was
// pressed") and ends nothing. One that comes after its prompt was confirmed shows that this program
// draws its prompts slowly: the next one is not complete before its B.
func (p *Policy) inputStart(s State, in Input, out []Effect) (State, []Effect) {
	if s.Evidence != EvidenceInput {
		s.learnedB = s.learnedB || in.Ends
		return s, out
	}
	s.learnedB = true
	return p.marker(s, out)
}

// marker handles a prompt announced by an authenticated marker. After an interrupt it may be the
// prompt of a command that had just ended: then the interrupt is still pending, and would discard
// the next line too.
func (p *Policy) marker(s State, out []Effect) (State, []Effect) {
	if s.Step == StepRunning && (s.confirm || s.signaled || p.Confirms) || s.Step != StepRunning && p.Learns {
		s.ask(EvidenceMarker)
		return s, append(out, Effect{Kind: DoAsk})
	}
	return p.confirmed(s, ByMarker, out)
}

// wantsMore handles F. It comes with the prompt's text, a moment before the program reads: a key
// that makes the program give up is lost if it comes earlier.
func (p *Policy) wantsMore(s State, out []Effect) (State, []Effect) {
	if s.Step != StepRunning || s.incomplete || s.interrupted || s.remaining > 0 || s.typed {
		return p.continues(s, false, out)
	}
	if s.Evidence != EvidenceMore {
		s.ask(EvidenceMore)
	}
	return s, append(out, Effect{Kind: DoAsk})
}

// continues handles a continuation prompt: the next line of the block is sent, or, without one, the
// program must be brought back to its prompt; unless a user types the lines.
func (p *Policy) continues(s State, match bool, out []Effect) (State, []Effect) {
	if s.Step != StepRunning || s.incomplete || s.interrupted {
		return s, out
	}
	s.Evidence = EvidenceNone
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

// confirmed handles a confirmed prompt.
func (p *Policy) confirmed(s State, by By, out []Effect) (State, []Effect) {
	match := by != ByMarker && s.Evidence == EvidencePrompt
	s.ask(EvidenceNone)
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
	case s.again && !s.interrupted && !s.typed: // an earlier interrupt made the program drop the line
		s.again = false
		return p.sent(s, append(out, Effect{Kind: DoSameLine}))
	case s.remaining > 0:
		s.remaining--
		s.SawC, s.SawD = false, false
		return p.sent(s, append(out, Effect{Kind: DoNextLine, Match: match}))
	}
	if s.signaled || s.cut || s.again {
		by = ByInterrupt
	}
	s.Step = StepReady
	return s, append(out, Effect{Kind: DoComplete, By: by, Match: match})
}
