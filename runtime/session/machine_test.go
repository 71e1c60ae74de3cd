package session

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// run feeds inputs to a machine and returns the effects of the last one.
func run(p policy, s machineState, inputs ...input) (machineState, []effect) {
	var out []effect
	for _, in := range inputs {
		s, out = p.next(s, in, nil)
	}
	return s, out
}

func kinds(effs []effect) []effectKind {
	out := []effectKind{}
	for _, e := range effs {
		if e.kind != doNoTimer {
			out = append(out, e.kind)
		}
	}
	return out
}

var (
	start_   = input{kind: inStart}
	a        = input{kind: inPromptStart}
	b        = input{kind: inInputStart}
	c        = input{kind: inExecuted}
	dd       = input{kind: inFinished}
	f        = input{kind: inContinuation}
	text     = input{kind: inText}
	match    = input{kind: inMatch}
	more     = input{kind: inMatch, more: true}
	marker   = input{kind: inMarker}
	timer    = input{kind: inTimer}
	exit     = input{kind: inExit}
	intr     = input{kind: inInterrupt, sent: true}
	owed     = input{kind: inInterrupt}
	submit   = input{kind: inSubmit}
	waits    = input{kind: inReadiness, ready: readyWaiting}
	busy     = input{kind: inReadiness, ready: readyBusy}
	unclear  = input{kind: inReadiness, ready: readyUnknown}
	lines    = func(n int) input { return input{kind: inSubmit, lines: n} }
	allLines = input{kind: inSubmit, confirm: true}
)

// What ends a command, and what does not. Every row starts at a ready prompt
// with our line submitted, for a program that announces B.
func TestMachineEndsACommandOnlyOnItsOwnPrompt(t *testing.T) {
	for _, row := range []struct {
		name   string
		inputs []input
		want   []effectKind // of the last input
		by     CompletedBy
	}{
		{"C D A B: the usual way", []input{c, text, dd, a, text, b}, []effectKind{doComplete}, ByMarker},
		{"D A B without C: a syntax error, a comment, nothing", []input{text, dd, a, b}, []effectKind{doComplete}, ByMarker},
		{"the prompt is not over before its B", []input{c, dd, a}, []effectKind{doTimer}, ""},
		{"B that does not come is asked for", []input{c, dd, a, timer}, []effectKind{doAsk}, ""},
		{"and not needed when the program waits", []input{c, dd, a, timer, waits}, []effectKind{doComplete}, ByMarker},
		{"B alone is Enter in v1's reading", []input{b}, []effectKind{}, ""},
		{"a redraw (A B, no C, no D) ends nothing by itself", []input{a, b}, []effectKind{}, ""},
		{"it asks the kernel", []input{a}, []effectKind{doAsk}, ""},
		{"once is not enough: our line may be on its way", []input{a, b, waits}, []effectKind{doTimer}, ""},
		{"twice is", []input{a, b, waits, timer, waits}, []effectKind{doComplete}, ByMarker},
		{"a redraw, then the command runs", []input{a, b, busy, c, text, dd, a, b}, []effectKind{doComplete}, ByMarker},
		{"D alone is not the prompt", []input{c, dd}, []effectKind{}, ""},
		{"C again starts anew", []input{c, dd, c}, []effectKind{doBegin}, ""},
		{"a prompt look-alike while the program works", []input{text, match, busy}, []effectKind{doTimer}, ""},
		{"more output takes it back", []input{text, match, busy, text, timer}, []effectKind{}, ""},
		{"a prompt and the program waits", []input{text, match, waits}, []effectKind{doComplete}, ByPrompt},
		{"a prompt and no answer: silence decides", []input{text, match, unclear}, []effectKind{doTimer}, ""},
		{"and then proves", []input{text, match, unclear, timer, unclear}, []effectKind{doComplete}, ByIdle},
		{"work before it is no silence", []input{text, match, busy, timer, unclear}, []effectKind{doTimer}, ""},
		{"nor is work between", []input{text, match, unclear, timer, busy, timer, unclear}, []effectKind{doTimer}, ""},
		{"a marker with the nonce proves", []input{text, marker}, []effectKind{doComplete}, ByMarker},
		{"the end of the program", []input{c, text, exit}, []effectKind{doComplete}, ByExit},
		{"an interrupt ends nothing by itself", []input{c, intr}, []effectKind{}, ""},
		{"its prompt may be that of a command that had just ended: the interrupt is still to come", []input{c, intr, dd, a, b}, []effectKind{doAsk}, ""},
		{"so the program must be seen to wait", []input{c, intr, dd, a, b, busy}, []effectKind{doTimer}, ""},
		{"then its prompt does", []input{c, intr, dd, a, b, waits}, []effectKind{doComplete}, ByInterrupt},
		{"a command that ends before its interrupt was sent", []input{c, owed, dd, a, b}, []effectKind{doComplete}, ByMarker},
		{"F: the program wants more than there is, but may not read yet", []input{f}, []effectKind{doAsk}, ""},
		{"what makes it give up would be lost then", []input{f, text, busy}, []effectKind{doTimer}, ""},
		{"it reads", []input{f, text, busy, timer, waits}, []effectKind{doGiveUp}, ""},
		{"F and no answer: F is evidence enough", []input{f, unclear, timer, unclear}, []effectKind{doGiveUp}, ""},
		{"a redraw while asking", []input{f, f, waits}, []effectKind{doGiveUp}, ""},
		{"an interrupt while asking does the same", []input{f, intr, waits}, []effectKind{}, ""},
		{"F again while giving up", []input{f, waits, f}, []effectKind{}, ""},
		{"after giving up", []input{f, waits, dd, a, b}, []effectKind{doComplete}, ByMarker},
		{"a continuation prompt must be proven too", []input{more}, []effectKind{doAsk}, ""},
		{"and then is more", []input{more, waits}, []effectKind{doGiveUp}, ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			var p policy
			s, effs := run(p, machineState{step: stepReady, learnedB: true}, append([]input{submit}, row.inputs...)...)
			assert.Equal(t, row.want, kinds(effs))
			for _, e := range effs {
				if e.kind == doComplete {
					assert.Equal(t, row.by, e.by)
					assert.Contains(t, []step{stepReady, stepExited}, s.step)
				}
			}
		})
	}
}

// A program that may print its prompt and go on must be seen to wait behind it.
func TestMachineConfirmsAPrompt(t *testing.T) {
	for _, row := range []struct {
		name   string
		inputs []input
		want   []effectKind // of the last input
	}{
		{"the prompt alone is a question", []input{text, dd, a, b}, []effectKind{doAsk}},
		{"it goes on", []input{text, dd, a, b, busy}, []effectKind{doTimer}},
		{"and prints another", []input{text, dd, a, b, busy, text, dd, a, b}, []effectKind{doAsk}},
		{"where it waits", []input{text, dd, a, b, busy, text, dd, a, b, waits}, []effectKind{doComplete}},
		{"or it ends", []input{text, dd, a, b, busy, text, exit}, []effectKind{doComplete}},
	} {
		t.Run(row.name, func(t *testing.T) {
			_, effs := run(policy{confirms: true}, machineState{step: stepReady, learnedB: true}, append([]input{submit}, row.inputs...)...)
			assert.Equal(t, row.want, kinds(effs))
		})
	}
}

func TestMachineGivesUpOnAProgramThatIsNeverSeenToRead(t *testing.T) {
	var p policy
	s, effs := run(p, machineState{step: stepReady, learnedB: true}, submit, f)
	for range 100 {
		if kinds(effs)[0] == doGiveUp {
			return
		}
		s, effs = run(p, s, timer, busy)
	}
	t.Fatal("F was seen, and nothing came of it")
}

func TestMachineBelievesThePromptOfAProgramThatIsNeverSeenToWait(t *testing.T) {
	var p policy
	s, effs := run(p, machineState{step: stepReady, learnedB: true}, submit, c, intr, dd, a, b)
	for range 100 {
		if kinds(effs)[0] == doComplete {
			return
		}
		s, effs = run(p, s, timer, busy)
	}
	t.Fatal("the interrupt's prompt was seen, and nothing came of it")
}

func TestMachineStartsAProgramThatIsNeverSeenToWait(t *testing.T) {
	p := policy{learns: true}
	s, effs := run(p, machineState{}, start_, a, b)
	var patience time.Duration
	for range 100 {
		last := effs[len(effs)-1]
		if kinds(effs)[0] == doReady {
			assert.Greater(t, patience, 300*time.Millisecond, "a program may need that long on a busy machine")
			return
		}
		patience += last.delay
		s, effs = run(p, s, timer, busy)
	}
	t.Fatal("a marker announced the prompt, and nothing came of it")
}

func TestMachineSendsABlockLineByLine(t *testing.T) {
	var p policy
	ready := machineState{step: stepReady, learnedB: true}
	s, effs := run(p, ready, lines(2), f)
	require.Equal(t, []effectKind{doNextLine}, kinds(effs), "a continuation prompt asks for the next line")
	s, effs = run(p, s, c, dd, a, b)
	require.Equal(t, []effectKind{doNextLine}, kinds(effs), "and so does a complete command in the middle")
	_, effs = run(p, s, c, dd, a, b)
	require.Equal(t, []effectKind{doComplete}, kinds(effs))

	s, effs = run(p, ready, allLines, c, dd, a, b)
	require.Equal(t, []effectKind{doAsk}, kinds(effs), "sent at once: which prompt is the last?")
	s, effs = run(p, s, busy, c, dd, a, b)
	require.Equal(t, []effectKind{doAsk}, kinds(effs))
	_, effs = run(p, s, waits)
	require.Equal(t, []effectKind{doComplete}, kinds(effs))
}

func TestMachineTellsABlockThatAnInterruptCutShort(t *testing.T) {
	var p policy
	ready := machineState{step: stepReady, learnedB: true}
	_, effs := run(p, ready, lines(2), c, owed, dd, a, b)
	require.Equal(t, []effectKind{doComplete}, kinds(effs), "its first line ended by itself, the others are not sent")
	assert.Equal(t, ByInterrupt, effs[len(effs)-1].by)
	_, effs = run(p, ready, submit, c, owed, dd, a, b)
	assert.Equal(t, ByMarker, effs[len(effs)-1].by, "nothing was cut from a single line")
}

func TestMachineStarts(t *testing.T) {
	quiet := policy{inject: true, settleQuiet: time.Second, settleMin: 2 * time.Second, settleMax: 10 * time.Second, injectDelay: time.Minute}
	learning := quiet
	learning.learns = true
	for _, row := range []struct {
		name   string
		policy policy
		inputs []input
		want   []effectKind
		step   step
	}{
		{"at A and B", policy{}, []input{start_, text, a, b}, []effectKind{doReady}, stepReady},
		{"at A when the program waits and no B came", policy{}, []input{start_, a, timer, waits}, []effectKind{doReady}, stepReady},
		{"D after A: all markers came before the prompt, there is no B to wait for", policy{}, []input{start_, a, dd}, []effectKind{doAsk}, stepFirst},
		{"so the program that waits is at its prompt", policy{}, []input{start_, a, dd, waits}, []effectKind{doReady}, stepReady},
		{"and the one that works is not", policy{}, []input{start_, a, dd, busy}, []effectKind{doTimer}, stepFirst},
		{"not while it works", policy{}, []input{start_, a, timer, busy}, []effectKind{doTimer}, stepFirst},
		{"at a prompt", policy{}, []input{start_, match, waits}, []effectKind{doReady}, stepReady},
		{"where patterns are prompts too, whether it is seen to wait is found out", policy{learns: true}, []input{start_, a, b}, []effectKind{doAsk}, stepFirst},
		{"it is", policy{learns: true}, []input{start_, a, b, waits}, []effectKind{doReady}, stepReady},
		{"it may not have come to reading", policy{learns: true}, []input{start_, a, b, busy}, []effectKind{doTimer}, stepFirst},
		{"it cannot be seen", policy{learns: true}, []input{start_, a, b, busy, timer, unclear}, []effectKind{doReady}, stepReady},
		{"with an Enter when the adapter wants one", policy{kick: true}, []input{start_, a, b}, []effectKind{doEnter}, stepKick},
		{"and the prompt after it", policy{kick: true}, []input{start_, a, b, dd, a, b}, []effectKind{doReady}, stepReady},
		{"injection waits for silence", quiet, []input{start_, text}, []effectKind{doTimer}, stepSettle},
		{"and then types", quiet, []input{start_, text, timer}, []effectKind{doInject, doTimer}, stepInjected},
		{"and then looks for a prompt", quiet, []input{start_, timer, timer, a, b}, []effectKind{doReady}, stepReady},
		{"a marker proves that the script ran, whatever delay is declared", quiet, []input{start_, timer, marker}, []effectKind{doReady}, stepReady},
		{"and where it is asked about then, the question is repeated", learning, []input{start_, timer, marker, busy, timer}, []effectKind{doAsk}, stepFirst},
		{"until it has an answer", learning, []input{start_, timer, marker, busy, timer, waits}, []effectKind{doReady}, stepReady},
		{"a pattern may be the old prompt", quiet, []input{start_, timer, match}, []effectKind{}, stepInjected},
		{"a program that ends", policy{}, []input{start_, exit}, []effectKind{}, stepExited},
	} {
		t.Run(row.name, func(t *testing.T) {
			s, effs := run(row.policy, machineState{}, row.inputs...)
			assert.Equal(t, row.want, kinds(effs))
			assert.Equal(t, row.step, s.step)
		})
	}
}

func TestMachineBoundsTheSilenceBeforeInjecting(t *testing.T) {
	p := policy{inject: true, settleQuiet: time.Second, settleMin: 2 * time.Second, settleMax: 10 * time.Second}
	for now, want := range map[time.Duration]time.Duration{
		0:                       2 * time.Second,
		1500 * time.Millisecond: time.Second,
		9800 * time.Millisecond: 200 * time.Millisecond,
		12 * time.Second:        0,
	} {
		_, effs := p.next(machineState{step: stepSettle}, input{kind: inText, now: now}, nil)
		assert.Equal(t, []effect{{kind: doTimer, delay: want}}, effs, "at %s", now)
	}
}

// Whatever happens in whatever order: a command completes once, no line is sent
// that there is not, and nothing happens after the end.
func TestMachineInvariants(t *testing.T) { rapid.Check(t, machineInvariants) }

func FuzzMachine(f *testing.F) { f.Fuzz(rapid.MakeFuzz(machineInvariants)) }

func machineInvariants(t *rapid.T) {
	p := policy{
		inject: rapid.Bool().Draw(t, "inject"), kick: rapid.Bool().Draw(t, "kick"), learns: rapid.Bool().Draw(t, "learns"),
		settleQuiet: time.Second, settleMax: time.Minute, settle: time.Millisecond,
	}
	s, running, linesLeft, ended := machineState{}, false, 0, false
	for range rapid.IntRange(1, 60).Draw(t, "events") {
		in := input{
			kind:  inputKind(rapid.IntRange(int(inStart)+1, int(inExit)).Draw(t, "kind")),
			ready: readiness(rapid.IntRange(0, 2).Draw(t, "ready")),
			more:  rapid.Bool().Draw(t, "more"), confirm: rapid.Bool().Draw(t, "confirm"),
			sent: rapid.Bool().Draw(t, "sent"), lines: rapid.IntRange(0, 3).Draw(t, "lines"),
		}
		if in.kind == inSubmit && s.step == stepReady {
			running, linesLeft = true, in.lines
		}
		var effs []effect
		s, effs = p.next(s, in, nil)
		for _, e := range effs {
			switch e.kind {
			case doComplete:
				require.True(t, running, "completed twice, or nothing ran")
				running = false
			case doNextLine:
				linesLeft--
				require.GreaterOrEqual(t, linesLeft, 0, "a line that there is not")
			case doTimer:
				require.GreaterOrEqual(t, e.delay, time.Duration(0))
			}
			if ended {
				require.Equal(t, doNoTimer, e.kind, "something happened after the end")
			}
		}
		require.Equal(t, running, s.step == stepRunning)
		ended = ended || in.kind == inExit
		if ended {
			require.Equal(t, stepExited, s.step)
		}
	}
}

// Where a prompt is all that announces itself, one that goes elsewhere is known by the
// place in which the program waits: when that is so twice.
func TestMachineKnowsAPromptThatGoesElsewhere(t *testing.T) {
	p := policy{printed: true}
	ready := machineState{step: stepReady}
	for _, row := range []struct {
		name   string
		inputs []input
		want   []effectKind
		by     CompletedBy
	}{
		{"a line is sent: look after a while", []input{submit}, []effectKind{doTimer}, ""},
		{"then ask", []input{submit, timer}, []effectKind{doAsk}, ""},
		{"text is no answer", []input{submit, text, timer}, []effectKind{doAsk}, ""},
		{"it works: ask again later", []input{submit, timer, busy}, []effectKind{doTimer}, ""},
		{"once is not enough", []input{submit, timer, waits}, []effectKind{doTimer}, ""},
		{"nor is twice with work between", []input{submit, timer, waits, timer, busy, timer, waits}, []effectKind{doTimer}, ""},
		{"twice in a row", []input{submit, timer, waits, timer, waits}, []effectKind{doComplete}, ByIdle},
		{"a marker is an answer", []input{submit, dd, a}, []effectKind{doComplete}, ByMarker},
		{"and nothing is asked after it", []input{submit, dd, timer}, []effectKind{}, ""},
		{"an interrupt", []input{submit, intr, timer, waits, timer, waits}, []effectKind{doComplete}, ByInterrupt},
		{"the next line of a block", []input{lines(1), timer, waits, timer, waits}, []effectKind{doNextLine, doTimer}, ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			_, out := run(p, ready, row.inputs...)
			assert.Equal(t, row.want, kinds(out))
			for _, e := range out {
				if e.kind == doComplete {
					assert.Equal(t, row.by, e.by)
					assert.False(t, e.match)
				}
			}
		})
	}
}
