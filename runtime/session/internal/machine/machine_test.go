package machine

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// run feeds inputs to a machine and returns the effects of the last one.
func run(p Policy, s State, inputs ...Input) (State, []Effect) {
	var out []Effect
	for _, in := range inputs {
		s, out = p.Next(s, in, nil)
	}
	return s, out
}

func kinds(effs []Effect) []EffectKind {
	out := []EffectKind{}
	for _, e := range effs {
		if e.Kind != DoNoTimer {
			out = append(out, e.Kind)
		}
	}
	return out
}

var (
	start_   = Input{Kind: InStart}
	a        = Input{Kind: InPromptStart}
	again    = Input{Kind: InPromptStart, Again: true}
	b        = Input{Kind: InInputStart}
	c        = Input{Kind: InExecuted}
	dd       = Input{Kind: InFinished}
	f        = Input{Kind: InContinuation}
	text     = Input{Kind: InText}
	match    = Input{Kind: InMatch}
	more     = Input{Kind: InMatch, More: true}
	marker   = Input{Kind: InMarker}
	timer    = Input{Kind: InTimer}
	exit     = Input{Kind: InExit}
	intr     = Input{Kind: InInterrupt, Sent: true}
	owed     = Input{Kind: InInterrupt}
	submit   = Input{Kind: InSubmit}
	waits    = Input{Kind: InReadiness, Ready: ReadyWaiting}
	asks     = Input{Kind: InReadiness, Ready: ReadyAsks}
	busy     = Input{Kind: InReadiness, Ready: ReadyBusy}
	unclear  = Input{Kind: InReadiness, Ready: ReadyUnknown}
	late     = Input{Kind: InTimer, Now: time.Hour}
	lines    = func(n int) Input { return Input{Kind: InSubmit, Lines: n} }
	allLines = Input{Kind: InSubmit, Confirm: true}
)

// Every row starts at a ready prompt with a submitted line, for a program that announces B.
func TestMachineEndsCommandOnItsOwnPromptOnly(t *testing.T) {
	for _, row := range []struct {
		name   string
		inputs []Input
		want   []EffectKind // of the last input
		by     By
	}{
		{"C D A B: the usual order", []Input{c, text, dd, a, text, b}, []EffectKind{DoComplete}, ByMarker},
		{"D A B without C: a syntax error, a comment, nothing", []Input{text, dd, a, b}, []EffectKind{DoComplete}, ByMarker},
		{"the prompt is not complete before its B", []Input{c, dd, a}, []EffectKind{DoTimer}, ByNothing},
		{"without B the kernel is asked", []Input{c, dd, a, timer}, []EffectKind{DoAsk}, ByNothing},
		{"B is not needed when the program waits", []Input{c, dd, a, timer, waits}, []EffectKind{DoComplete}, ByMarker},
		{"B alone means Enter in v1", []Input{b}, []EffectKind{}, ByNothing},
		{"a redraw (A B, no C, no D) ends nothing by itself", []Input{a, b}, []EffectKind{}, ByNothing},
		{"it asks the kernel", []Input{a}, []EffectKind{DoAsk}, ByNothing},
		{"once is not enough: the line may be on its way", []Input{a, b, waits}, []EffectKind{DoTimer}, ByNothing},
		{"twice is", []Input{a, b, waits, timer, waits}, []EffectKind{DoComplete}, ByMarker},
		{"the prompt of the line again: the line was dropped, and is sent again", []Input{again, b, waits, timer, waits}, []EffectKind{DoSameLine}, ByNothing},
		{"then it runs", []Input{again, b, waits, timer, waits, c, dd, a, b}, []EffectKind{DoComplete}, ByMarker},
		{"not while the program may read it", []Input{again, b, waits, timer, busy}, []EffectKind{DoTimer}, ByNothing},
		{"nor if it is interrupted", []Input{owed, again, b, waits, timer, waits}, []EffectKind{DoComplete}, ByInterrupt},
		{"a redraw, then the command runs", []Input{a, b, busy, c, text, dd, a, b}, []EffectKind{DoComplete}, ByMarker},
		{"D alone is not the prompt", []Input{c, dd}, []EffectKind{}, ByNothing},
		{"a second C starts the output again", []Input{c, dd, c}, []EffectKind{DoBegin}, ByNothing},
		{"a prompt look-alike while the program works", []Input{text, match, busy}, []EffectKind{DoTimer}, ByNothing},
		{"more output takes it back", []Input{text, match, busy, text, timer}, []EffectKind{}, ByNothing},
		{"a prompt and the program waits", []Input{text, match, waits}, []EffectKind{DoComplete}, ByPrompt},
		{"a prompt and no answer: silence decides", []Input{text, match, unclear}, []EffectKind{DoTimer}, ByNothing},
		{"and then confirms", []Input{text, match, unclear, timer, unclear}, []EffectKind{DoComplete}, ByIdle},
		{"earlier work does not count as silence", []Input{text, match, busy, timer, unclear}, []EffectKind{DoTimer}, ByNothing},
		{"nor does work in between", []Input{text, match, unclear, timer, busy, timer, unclear}, []EffectKind{DoTimer}, ByNothing},
		{"a marker with the nonce confirms", []Input{text, marker}, []EffectKind{DoComplete}, ByMarker},
		{"the end of the program", []Input{c, text, exit}, []EffectKind{DoComplete}, ByExit},
		{"an interrupt ends nothing by itself", []Input{c, intr}, []EffectKind{}, ByNothing},
		{"its prompt may belong to a command that had just ended: the interrupt is still pending", []Input{c, intr, dd, a, b}, []EffectKind{DoAsk}, ByNothing},
		{"so the program must be seen to wait", []Input{c, intr, dd, a, b, busy}, []EffectKind{DoTimer}, ByNothing},
		{"then its prompt ends the command", []Input{c, intr, dd, a, b, waits}, []EffectKind{DoComplete}, ByInterrupt},
		{"a command that ends before its interrupt was sent", []Input{c, owed, dd, a, b}, []EffectKind{DoComplete}, ByMarker},
		{"F: the program wants more lines than there are, but may not read yet", []Input{f}, []EffectKind{DoAsk}, ByNothing},
		{"the key that makes it give up would be lost then", []Input{f, text, busy}, []EffectKind{DoTimer}, ByNothing},
		{"it reads", []Input{f, text, busy, timer, waits}, []EffectKind{DoGiveUp}, ByNothing},
		{"F and no answer: F is sufficient evidence", []Input{f, unclear, timer, unclear}, []EffectKind{DoGiveUp}, ByNothing},
		{"a redraw while asking", []Input{f, f, waits}, []EffectKind{DoGiveUp}, ByNothing},
		{"an interrupt while asking does the same", []Input{f, intr, waits}, []EffectKind{}, ByNothing},
		{"F again while giving up", []Input{f, waits, f}, []EffectKind{}, ByNothing},
		{"after giving up", []Input{f, waits, dd, a, b}, []EffectKind{DoComplete}, ByMarker},
		{"a continuation prompt must be confirmed too", []Input{more}, []EffectKind{DoAsk}, ByNothing},
		{"and then asks for more", []Input{more, waits}, []EffectKind{DoGiveUp}, ByNothing},
	} {
		t.Run(row.name, func(t *testing.T) {
			var p Policy
			s, effs := run(p, State{Step: StepReady, learnedB: true}, append([]Input{submit}, row.inputs...)...)
			assert.Equal(t, row.want, kinds(effs))
			for _, e := range effs {
				if e.Kind == DoComplete {
					assert.Equal(t, row.by, e.By)
					assert.Contains(t, []Step{StepReady, StepExited}, s.Step)
				}
			}
		})
	}
}

// A program that may print its prompt and continue must be seen to wait at it.
func TestMachineConfirmsAPrompt(t *testing.T) {
	for _, row := range []struct {
		name   string
		inputs []Input
		want   []EffectKind // of the last input
	}{
		{"the prompt alone is not confirmed", []Input{text, dd, a, b}, []EffectKind{DoAsk}},
		{"it continues", []Input{text, dd, a, b, busy}, []EffectKind{DoTimer}},
		{"and prints another", []Input{text, dd, a, b, busy, text, dd, a, b}, []EffectKind{DoAsk}},
		{"where it waits", []Input{text, dd, a, b, busy, text, dd, a, b, waits}, []EffectKind{DoComplete}},
		{"however long that takes, also after an interrupt", append([]Input{text, dd, a, b, intr}, slices.Repeat([]Input{timer, busy}, 100)...), []EffectKind{DoTimer}},
		{"or it ends", []Input{text, dd, a, b, busy, text, exit}, []EffectKind{DoComplete}},
		{"it waits for other input: the text was not a prompt", []Input{text, dd, a, b, busy, text, asks}, []EffectKind{DoTakeBack}},
		{"and the kernel is not asked again", []Input{text, dd, a, b, busy, text, asks, timer}, []EffectKind{}},
		{"the next prompt counts", []Input{text, dd, a, b, busy, text, asks, text, dd, a, b, waits}, []EffectKind{DoComplete}},
	} {
		t.Run(row.name, func(t *testing.T) {
			_, effs := run(Policy{Confirms: true}, State{Step: StepReady, learnedB: true}, append([]Input{submit}, row.inputs...)...)
			assert.Equal(t, row.want, kinds(effs))
		})
	}
}

// A B that comes after its prompt was confirmed shows that B belongs to this program's prompts: the
// next one is not complete before it.
func TestMachineLearnsALateEndOfAPrompt(t *testing.T) {
	late := Input{Kind: InInputStart, Ends: true}
	for _, row := range []struct {
		name   string
		inputs []Input
		want   []EffectKind
	}{
		{"before a line was sent", []Input{late, submit, c, dd, a}, []EffectKind{DoTimer}},
		{"after it", []Input{submit, late, c, dd, a}, []EffectKind{DoTimer}},
		{"and then B completes the prompt", []Input{submit, late, c, dd, a, b}, []EffectKind{DoComplete}},
		{"B for Enter teaches nothing", []Input{submit, b, c, dd, a}, []EffectKind{DoComplete}},
	} {
		t.Run(row.name, func(t *testing.T) {
			var p Policy
			_, effs := run(p, State{Step: StepReady}, row.inputs...)
			assert.Equal(t, row.want, kinds(effs))
		})
	}
}

func TestMachineGivesUpOnProgramNeverSeenToRead(t *testing.T) {
	var p Policy
	s, effs := run(p, State{Step: StepReady, learnedB: true}, submit, f)
	for range 100 {
		if kinds(effs)[0] == DoGiveUp {
			return
		}
		s, effs = run(p, s, timer, busy)
	}
	t.Fatal("F was seen, without effect")
}

func TestMachineAcceptsPromptOfProgramNeverSeenToWait(t *testing.T) {
	var p Policy
	s, effs := run(p, State{Step: StepReady, learnedB: true}, submit, c, intr, dd, a, b)
	for range 100 {
		if kinds(effs)[0] == DoComplete {
			return
		}
		s, effs = run(p, s, timer, busy)
	}
	t.Fatal("the interrupt's prompt was seen, without effect")
}

func TestMachineStartsProgramNeverSeenToWait(t *testing.T) {
	p := Policy{Learns: true}
	s, effs := run(p, State{}, start_, a, b)
	var patience time.Duration
	for range 100 {
		last := effs[len(effs)-1]
		if kinds(effs)[0] == DoReady {
			assert.Greater(t, patience, 300*time.Millisecond, "a program may need that long on a busy machine")
			return
		}
		patience += last.Delay
		s, effs = run(p, s, timer, busy)
	}
	t.Fatal("a marker announced the prompt, without effect")
}

func TestMachineSendsABlockLineByLine(t *testing.T) {
	var p Policy
	ready := State{Step: StepReady, learnedB: true}
	s, effs := run(p, ready, lines(2), f)
	require.Equal(t, []EffectKind{DoNextLine}, kinds(effs), "a continuation prompt asks for the next line")
	s, effs = run(p, s, c, dd, a, b)
	require.Equal(t, []EffectKind{DoNextLine}, kinds(effs), "and so does a complete command in the middle")
	_, effs = run(p, s, c, dd, a, b)
	require.Equal(t, []EffectKind{DoComplete}, kinds(effs))

	s, effs = run(p, ready, allLines, c, dd, a, b)
	require.Equal(t, []EffectKind{DoAsk}, kinds(effs), "sent at once: which prompt is the last?")
	s, effs = run(p, s, busy, c, dd, a, b)
	require.Equal(t, []EffectKind{DoAsk}, kinds(effs))
	_, effs = run(p, s, waits)
	require.Equal(t, []EffectKind{DoComplete}, kinds(effs))
}

func TestMachineReportsInterruptedBlock(t *testing.T) {
	var p Policy
	ready := State{Step: StepReady, learnedB: true}
	_, effs := run(p, ready, lines(2), c, owed, dd, a, b)
	require.Equal(t, []EffectKind{DoComplete}, kinds(effs), "its first line ended by itself, the others are not sent")
	assert.Equal(t, ByInterrupt, effs[len(effs)-1].By)
	_, effs = run(p, ready, submit, c, owed, dd, a, b)
	assert.Equal(t, ByMarker, effs[len(effs)-1].By, "nothing was cut from a single line")
}

func TestMachineStarts(t *testing.T) {
	quiet := Policy{Inject: true, SettleQuiet: time.Second, SettleMin: 2 * time.Second, SettleMax: 10 * time.Second, InjectDelay: time.Minute}
	learning := quiet
	learning.Learns = true
	for _, row := range []struct {
		name   string
		policy Policy
		inputs []Input
		want   []EffectKind
		step   Step
	}{
		{"at A and B", Policy{}, []Input{start_, text, a, b}, []EffectKind{DoReady}, StepReady},
		{"at A when the program waits and no B came", Policy{}, []Input{start_, a, timer, waits}, []EffectKind{DoReady}, StepReady},
		{"D after A: all markers came before the prompt, B does not follow", Policy{}, []Input{start_, a, dd}, []EffectKind{DoAsk}, StepFirst},
		{"so the program that waits is at its prompt", Policy{}, []Input{start_, a, dd, waits}, []EffectKind{DoReady}, StepReady},
		{"and the one that works is not", Policy{}, []Input{start_, a, dd, busy}, []EffectKind{DoTimer}, StepFirst},
		{"not while it works", Policy{}, []Input{start_, a, timer, busy}, []EffectKind{DoTimer}, StepFirst},
		{"at a prompt", Policy{}, []Input{start_, match, waits}, []EffectKind{DoReady}, StepReady},
		{"if patterns are prompts too, it finds out whether the program is seen to wait", Policy{Learns: true}, []Input{start_, a, b}, []EffectKind{DoAsk}, StepFirst},
		{"it is", Policy{Learns: true}, []Input{start_, a, b, waits}, []EffectKind{DoReady}, StepReady},
		{"it may not read yet", Policy{Learns: true}, []Input{start_, a, b, busy}, []EffectKind{DoTimer}, StepFirst},
		{"it cannot be seen", Policy{Learns: true}, []Input{start_, a, b, busy, timer, unclear}, []EffectKind{DoReady}, StepReady},
		{"with an Enter when the adapter wants one", Policy{Kick: true}, []Input{start_, a, b}, []EffectKind{DoEnter}, StepKick},
		{"and the prompt after it", Policy{Kick: true}, []Input{start_, a, b, dd, a, b}, []EffectKind{DoReady}, StepReady},
		{"injection waits for silence", quiet, []Input{start_, text}, []EffectKind{DoTimer}, StepSettle},
		{"and then asks whether the program reads", quiet, []Input{start_, text, timer}, []EffectKind{DoAsk}, StepSettle},
		{"and types", quiet, []Input{start_, text, timer, waits}, []EffectKind{DoInject, DoTimer}, StepInjected},
		{"not while the program works, which may discard it", quiet, []Input{start_, text, timer, busy}, []EffectKind{DoTimer}, StepSettle},
		{"but after that", quiet, []Input{start_, text, timer, busy, timer, waits}, []EffectKind{DoInject, DoTimer}, StepInjected},
		{"or when it works for too long", quiet, []Input{start_, text, timer, busy, late}, []EffectKind{DoInject, DoTimer}, StepInjected},
		{"without an answer the kernel is asked twice", quiet, []Input{start_, text, timer, unclear}, []EffectKind{DoTimer}, StepSettle},
		{"and silence has to suffice", quiet, []Input{start_, text, timer, unclear, timer, unclear}, []EffectKind{DoInject, DoTimer}, StepInjected},
		{"and then looks for a prompt", quiet, []Input{start_, timer, waits, timer, a, b}, []EffectKind{DoReady}, StepReady},
		{"a marker confirms that the script ran, whatever delay is declared", quiet, []Input{start_, timer, waits, marker}, []EffectKind{DoReady}, StepReady},
		{"and a question about it is repeated", learning, []Input{start_, timer, waits, marker, busy, timer}, []EffectKind{DoAsk}, StepFirst},
		{"until it has an answer", learning, []Input{start_, timer, waits, marker, busy, timer, waits}, []EffectKind{DoReady}, StepReady},
		{"a pattern may be the old prompt", quiet, []Input{start_, timer, waits, match}, []EffectKind{}, StepInjected},
		{"a program that ends", Policy{}, []Input{start_, exit}, []EffectKind{}, StepExited},
	} {
		t.Run(row.name, func(t *testing.T) {
			s, effs := run(row.policy, State{}, row.inputs...)
			assert.Equal(t, row.want, kinds(effs))
			assert.Equal(t, row.step, s.Step)
		})
	}
}

func TestMachineBoundsTheSilenceBeforeInjecting(t *testing.T) {
	p := Policy{Inject: true, SettleQuiet: time.Second, SettleMin: 2 * time.Second, SettleMax: 10 * time.Second}
	for now, want := range map[time.Duration]time.Duration{
		0:                       2 * time.Second,
		1500 * time.Millisecond: time.Second,
		9800 * time.Millisecond: 200 * time.Millisecond,
		12 * time.Second:        0,
	} {
		_, effs := p.Next(State{Step: StepSettle}, Input{Kind: InText, Now: now}, nil)
		assert.Equal(t, []Effect{{Kind: DoTimer, Delay: want}}, effs, "at %s", now)
	}
}

// For any inputs in any order: a command completes once, no line is sent that does not exist, and
// nothing happens after the end.
func TestMachineInvariants(t *testing.T) { rapid.Check(t, machineInvariants) }

func FuzzMachine(f *testing.F) { f.Fuzz(rapid.MakeFuzz(machineInvariants)) }

func machineInvariants(t *rapid.T) {
	p := Policy{
		Inject: rapid.Bool().Draw(t, "inject"), Kick: rapid.Bool().Draw(t, "kick"), Learns: rapid.Bool().Draw(t, "learns"),
		SettleQuiet: time.Second, SettleMax: time.Minute, Settle: time.Millisecond,
	}
	s, running, linesLeft, ended := State{}, false, 0, false
	for range rapid.IntRange(1, 60).Draw(t, "events") {
		in := Input{
			Kind:  InputKind(rapid.IntRange(int(InStart)+1, int(InExit)).Draw(t, "kind")),
			Ready: Readiness(rapid.IntRange(0, 2).Draw(t, "ready")),
			More:  rapid.Bool().Draw(t, "more"), Confirm: rapid.Bool().Draw(t, "confirm"),
			Sent: rapid.Bool().Draw(t, "sent"), Lines: rapid.IntRange(0, 3).Draw(t, "lines"),
		}
		if in.Kind == InSubmit && s.Step == StepReady {
			running, linesLeft = true, in.Lines
		}
		var effs []Effect
		s, effs = p.Next(s, in, nil)
		for _, e := range effs {
			switch e.Kind {
			case DoComplete:
				require.True(t, running, "completed twice, or nothing was running")
				running = false
			case DoNextLine:
				linesLeft--
				require.GreaterOrEqual(t, linesLeft, 0, "a line that does not exist")
			case DoTimer:
				require.GreaterOrEqual(t, e.Delay, time.Duration(0))
			}
			if ended {
				require.Equal(t, DoNoTimer, e.Kind, "something happened after the end")
			}
		}
		require.Equal(t, running, s.Step == StepRunning)
		ended = ended || in.Kind == InExit
		if ended {
			require.Equal(t, StepExited, s.Step)
		}
	}
}

// If only prompts announce the program's state, a prompt that goes elsewhere is recognized by the
// place in which the program waits, seen twice.
func TestMachineRecognizesPromptThatGoesElsewhere(t *testing.T) {
	p := Policy{Printed: true}
	ready := State{Step: StepReady}
	for _, row := range []struct {
		name   string
		inputs []Input
		want   []EffectKind
		by     By
	}{
		{"a line is sent: ask after a while", []Input{submit}, []EffectKind{DoTimer}, ByNothing},
		{"then ask", []Input{submit, timer}, []EffectKind{DoAsk}, ByNothing},
		{"text is not an answer", []Input{submit, text, timer}, []EffectKind{DoAsk}, ByNothing},
		{"it works: ask again later", []Input{submit, timer, busy}, []EffectKind{DoTimer}, ByNothing},
		{"once is not enough", []Input{submit, timer, waits}, []EffectKind{DoTimer}, ByNothing},
		{"nor is twice with work in between", []Input{submit, timer, waits, timer, busy, timer, waits}, []EffectKind{DoTimer}, ByNothing},
		{"twice in a row", []Input{submit, timer, waits, timer, waits}, []EffectKind{DoComplete}, ByIdle},
		{"a marker is an answer", []Input{submit, dd, a}, []EffectKind{DoComplete}, ByMarker},
		{"and nothing is asked after it", []Input{submit, dd, timer}, []EffectKind{}, ByNothing},
		{"an interrupt", []Input{submit, intr, timer, waits, timer, waits}, []EffectKind{DoComplete}, ByInterrupt},
		{"the next line of a block", []Input{lines(1), timer, waits, timer, waits}, []EffectKind{DoNextLine, DoTimer}, ByNothing},
	} {
		t.Run(row.name, func(t *testing.T) {
			_, out := run(p, ready, row.inputs...)
			assert.Equal(t, row.want, kinds(out))
			for _, e := range out {
				if e.Kind == DoComplete {
					assert.Equal(t, row.by, e.By)
					assert.False(t, e.Match)
				}
			}
		})
	}
}
