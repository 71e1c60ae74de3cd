package session

import (
	"bytes"
	"time"

	"ripple/runtime/internal/echo"
	"ripple/runtime/internal/prompt"
	"ripple/runtime/session/internal/machine"
	"ripple/schema"
)

// region says what the text that arrives now is.
type region uint8

const (
	regionStartup region = iota // before the first prompt
	regionPrompt                // the prompt's own text: after A, up to B
	regionIdle                  // at the prompt; nobody asked for it
	regionOutput                // a line was sent: its echo, then what the command prints
	regionHook                  // after D: the command is over, the prompt is not there yet
	regionMore                  // a continuation prompt that has no answer: after F, up to the next marker
)

const (
	keptStartup = 64 << 10 // startup text kept for the error message
	// promptLine is the longest unfinished line that is tried as a prompt.
	promptLine = 1024
	// echoSlack is how much more than the sent bytes may come before C until we
	// conclude that this program announces no C for this command.
	echoSlack = 32 << 10
	// beginSlack is the same for a program that has announced C before.
	beginSlack = 1 << 20
)

// detectors prepares what finds markers in the stream.
func (d *driver) detectors() {
	pr := &d.prog.prompts
	d.policy = d.prog.policy
	if pr.markers != nil {
		d.parser, d.classifier = &prompt.Markers{}, prompt.NewClassifier(*pr.markers, pr.nonce)
	}
	if pr.literals != nil {
		d.literal = prompt.NewLiteral(pr.literals...)
	}
}

// feed takes what the program printed through the parsers, in order.
func (d *driver) feed(b []byte) {
	d.arrived, d.unanswered = false, false
	d.answerQueries(b)
	if d.parser == nil {
		d.onText(b)
	} else {
		d.parser.Feed(b, d.onText, d.onMarker)
	}
	if d.arrived {
		d.step(machine.Input{Kind: machine.InText})
		d.matchPrompt()
	}
	d.settleEffects()
}

// inject types the integration script. Its echo may hold the very markers that
// it defines, so it is taken out before anything looks for them.
func (d *driver) inject() {
	sent := d.plan.Inject + d.lineEnding()
	d.injected = echo.New(echo.Config{Strategy: string(schema.EchoDeterministicByte), Sent: []byte(sent)})
	d.startup = d.startup[:0]
	d.send(sent)
}

func (d *driver) onText(b []byte) {
	if d.injected != nil {
		b = d.injected.Feed(b)
	}
	if d.literal == nil {
		d.text(b)
		return
	}
	d.literal.Feed(b, d.text, d.onLiteral)
}

// onMarker handles a complete OSC sequence of ours or somebody else's.
func (d *driver) onMarker(m prompt.Marker) {
	e, trusted := d.classifier.Classify(m)
	if !trusted {
		d.observe(EventForged, m.Raw, "untrusted marker "+markerName(m))
		d.text(m.Raw)
		return
	}
	if d.watched() {
		d.observe(EventMarker, m.Raw, "marker "+markerName(m))
	}
	switch e.Kind {
	case prompt.PromptStart:
		d.promptBegins()
		d.step(machine.Input{Kind: machine.InPromptStart})
	case prompt.InputStart:
		if d.region == regionPrompt {
			d.splitPrompt()
		}
		d.unproven.behind = len(d.unproven.text)
		d.step(machine.Input{Kind: machine.InInputStart})
		if d.region == regionPrompt {
			d.region = regionIdle
		}
	case prompt.Executed:
		d.takeBack()
		d.step(machine.Input{Kind: machine.InExecuted})
	case prompt.Finished:
		d.finished(e.Code)
		d.step(machine.Input{Kind: machine.InFinished})
	case prompt.Continuation:
		d.takeBack()
		d.releaseHeld(len(d.held))
		d.step(machine.Input{Kind: machine.InContinuation})
		if d.state.Proof == machine.ProofMore || d.endsMore && d.state.Step == machine.StepRunning {
			d.region, d.more = regionMore, d.more[:0]
		}
	case prompt.ContinuationEnd:
		d.endsMore = true
		if d.region == regionMore {
			d.region, d.more = regionOutput, d.more[:0]
		}
	case prompt.Cwd:
		d.cwd = e.Cwd
		if d.cmd != nil {
			d.cmd.cwdReported = true
		}
	}
}

// onLiteral handles a literal marker, which carries the nonce.
func (d *driver) onLiteral(index int) {
	d.observe(EventMarker, nil, "marker")
	d.releaseHeld(len(d.held))
	if index == literalContinuation {
		d.step(machine.Input{Kind: machine.InContinuation})
		return
	}
	if !d.used { // a message may quote it
		d.startup = appendBounded(d.startup, []byte(d.plan.Values["marker"]), keptStartup)
	}
	d.region = regionIdle
	d.step(machine.Input{Kind: machine.InMarker})
}

// promptBegins notes that what follows is a prompt, unless it interrupts a
// command that has not been seen to run: then it may be a redraw.
func (d *driver) promptBegins() {
	if d.cmd != nil && !d.state.SawC && !d.state.SawD {
		d.releaseMore()
		d.cmd.redrawAt = len(d.cmd.pre)
		return
	}
	d.question(true)
	d.releaseMore()
	d.releaseHeld(len(d.held))
	d.region, d.promptText = regionPrompt, d.promptText[:0]
}

// releaseMore gives back what followed F without an end of that prompt: the
// command has ended, so nobody was asked for more.
func (d *driver) releaseMore() {
	if d.region != regionMore {
		return
	}
	d.region = regionOutput
	d.hold(d.more)
	d.more = d.more[:0]
}

// finished is D: the output ends here.
func (d *driver) finished(code *int) {
	if d.region != regionPrompt {
		d.question(false)
	}
	d.releaseMore()
	d.releaseHeld(len(d.held))
	if d.cmd == nil {
		return
	}
	d.cmd.code = code
	d.withoutBegin()
	switch c := d.cmd; {
	case d.region == regionPrompt:
	case c.redrawAt >= 0: // D comes after A: the prompt's text is still to come
		d.region, d.promptText = regionPrompt, d.promptText[:0]
	default:
		d.region = regionHook
	}
}

// begin is C: what came since the line was sent is its echo.
func (d *driver) begin() {
	if c := d.cmd; c != nil {
		if c.expectC {
			d.splitEcho(c, c.pre)
		}
		c.pre, c.redrawAt, c.expectC, c.began, d.beginsSeen = nil, -1, false, true, true
		d.enqueue(job{kind: jobBegin, c: c}, nil)
		d.held = d.held[:0]
		d.region = regionOutput
	}
}

// text routes program text by region.
func (d *driver) text(b []byte) {
	if d.unproven.open {
		d.doubt(b)
	}
	switch d.region {
	case regionPrompt:
		d.promptText = append(d.promptText, b...)
		if len(d.promptText) > keptStartup { // that is no prompt any more
			d.splitPromptLines(bytes.Count(d.promptText, []byte("\n")))
			d.promptText = appendBounded(d.promptText, nil, keptStartup)
		}
		return // between A and B: says nothing about the command
	case regionMore:
		d.more = appendBounded(d.more, b, keptStartup)
		return
	case regionStartup:
		d.startup = appendBounded(d.startup, b, keptStartup)
	case regionIdle, regionHook:
		if !d.used {
			d.startup = appendBounded(d.startup, b, keptStartup)
		}
		d.between(b)
		d.asideAt = time.Now()
	default:
		d.hold(b)
	}
	d.arrived = true
}

// hold keeps back the last lines while they may be a prompt, and releases what
// is before them.
func (d *driver) hold(b []byte) {
	if d.prog.prompts.patterns.Empty() {
		d.release(b)
		return
	}
	d.held = append(d.held, b...)
	cut := max(0, len(d.held)-promptLine)
	if i := lastLines(d.held, d.prog.prompts.lines); i > cut {
		cut = i
	}
	d.releaseHeld(cut)
}

// lastLines is the offset at which the last n lines of b begin.
func lastLines(b []byte, n int) int {
	for ; n > 0; n-- {
		i := bytes.LastIndexByte(b, '\n')
		if i < 0 {
			return 0
		}
		if n == 1 {
			return i + 1
		}
		b = b[:i]
	}
	return 0
}

func (d *driver) releaseHeld(n int) {
	if n == 0 {
		return
	}
	d.release(d.held[:n])
	d.held = d.held[:copy(d.held, d.held[n:])]
}

// matchPrompt looks for a prompt at the end of the stream.
func (d *driver) matchPrompt() {
	if d.prog.prompts.patterns.Empty() || d.state.Step == machine.StepReady {
		return
	}
	tail := d.held
	if d.region == regionStartup {
		tail = d.startup
	}
	if len(tail)-lastLines(tail, 1) > promptLine {
		return
	}
	m, ok, err := d.prog.prompts.patterns.AtEnd(tail, d.promptLength)
	if err != nil {
		d.fail(err)
		return
	}
	if ok {
		d.match = m
		d.step(machine.Input{Kind: machine.InMatch, More: m.Tag == tagContinuation})
	}
}

// markerName is a marker for a timeline: its letter and first parameter.
func markerName(m prompt.Marker) string {
	name := string(m.Code)
	if len(m.Params) > 1 {
		name += ";" + m.Params[0]
	}
	return name
}

func appendBounded(kept, b []byte, limit int) []byte {
	kept = append(kept, b...)
	if len(kept) > limit {
		kept = kept[:copy(kept, kept[len(kept)-limit:])]
	}
	return kept
}
