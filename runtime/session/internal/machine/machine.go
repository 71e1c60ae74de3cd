// Package machine decides when a command has ended, and what to do next on the
// way there. It is pure: it never reads, writes, waits or looks at a clock.
// What happened goes in as an Input, and what is to be done comes out as
// Effects; all that it remembers is a State value, so that a test can put it
// anywhere.
//
//	state, effects = policy.Next(state, machine.Input{Kind: machine.InText, Now: now}, nil)
//
// The rule it exists for: a command has ended when the first prompt that
// belongs to *our* line has been proven, and never before. How a prompt is
// proven depends on what announced it: transitions.go has the markers and the
// patterns, readiness.go what is made of the kernel's answer to "does the
// program wait for input?".
//
// A, B, C, D and F are the markers of OSC 133 and OSC 633: the prompt begins,
// the input begins, the output begins, the command has finished, and a
// continuation prompt begins.
package machine

import "time"

// Step is where the machine is.
type Step uint8

const (
	StepSettle   Step = iota // the integration script is to be typed: waiting for silence
	StepInjected             // it was typed, a declared delay runs
	StepFirst                // waiting for the first prompt
	StepKick                 // an Enter was sent after the first prompt; waiting for the next
	StepReady                // at the prompt
	StepRunning              // a line was sent
	StepExited
)

// Proof is how far a prompt that was seen is known to be ours.
type Proof uint8

const (
	ProofNone      Proof = iota
	ProofPrompt          // a pattern matches at the end of the stream: ask whether the program waits
	ProofMarker          // a marker came where one alone does not prove it: ask as well
	ProofInput           // A came, B must follow; ask only when it does not
	ProofMore            // F came and there is no more: ask, for the program may not read yet
	ProofSilence         // nothing came since the line was sent: ask whether the program waits for the next
	ProofElsewhere       // no marker came since the line was sent: ask whether its prompt goes elsewhere
)

// Policy are the facts about an adapter that decisions depend on.
type Policy struct {
	Inject      bool          // init.delivery pty_inject
	SettleQuiet time.Duration // silence wanted before injecting
	SettleMin   time.Duration // earliest and
	SettleMax   time.Duration // latest moment for it, since the start
	InjectDelay time.Duration // after injecting
	Kick        bool          // ready.kick_enter_after_ready
	Settle      time.Duration // silence that proves a prompt when the kernel has no answer
	Learns      bool          // find out at the first marker whether the kernel shows this program's waiting
	Confirms    bool          // a prompt's marker is not enough: the program may go on behind it
	Silent      bool          // the continuation prompt is empty: the program asks for more by waiting in silence
	Promptless  bool          // it has no prompts: what is sent has it print one, unless a person typed it
	Printed     bool          // its prompts are all that announces it, and may be printed elsewhere
}

// State is everything the machine remembers. The zero value is a program that
// has not been started.
type State struct {
	Step       Step
	Proof      Proof
	SawC, SawD bool // since the line was sent

	more     bool // the prompt in question is a continuation prompt
	looks    int  // how often the kernel was asked about this proof
	quiet    bool // ProofSilence: the program waited when the kernel was last asked
	noAnswer bool // the kernel had none when it was last asked
	learnedB bool // this program announces the end of its prompts (B after A)

	remaining   int  // lines of the block not yet sent
	confirm     bool // a marker is not enough: several commands may have been sent at once
	interrupted bool // whoever asked for it: no further line is sent
	signalled   bool // and the program has got it
	cut         bool // lines were left out for it
	incomplete  bool // the program asked for more than there is; it was told to give up
	typed       bool // a person types the line, and what it goes on with
}

// InputKind says what happened.
type InputKind uint8

const (
	InStart InputKind = iota
	InText            // the program printed something that is not a marker
	InPromptStart
	InInputStart
	InExecuted
	InFinished
	InContinuation // the program asks for more of the same command
	InMatch        // a prompt pattern matches at the end of the stream
	InMarker       // a literal marker that carries the nonce
	InReadiness    // the answer to DoAsk
	InTimer
	InSubmit // a command is about to be sent
	InInterrupt
	InExit
)

// Readiness is the kernel's answer to DoAsk.
type Readiness uint8

const (
	ReadyUnknown Readiness = iota
	ReadyWaiting
	ReadyBusy
	ReadyAsks // it waits, but for something else than a command
)

// Input is one thing that happened.
type Input struct {
	Kind    InputKind
	Now     time.Duration // since the program was started
	Ready   Readiness     // InReadiness
	More    bool          // InMatch: a continuation prompt
	Lines   int           // InSubmit: lines that follow the first
	Confirm bool          // InSubmit: several commands may be sent at once
	Typed   bool          // InSubmit: a person types it
	Sent    bool          // InInterrupt: it is on its way, not only owed
}

// EffectKind says what is to be done.
type EffectKind uint8

const (
	DoInject   EffectKind = iota // type the integration script
	DoEnter                      // send a line ending
	DoReady                      // the first prompt is there
	DoNextLine                   // send the next line of the block
	DoMore                       // whoever types goes on with another line
	DoBegin                      // the program's output begins here: what came before was echo
	DoComplete                   // the command has ended
	DoGiveUp                     // make the program abandon the incomplete input
	DoAsk                        // ask the kernel whether the program waits for input
	DoTakeBack                   // the prompt that a marker announced was none
	DoTimer                      // wake me after Delay; replaces an earlier timer
	DoNoTimer                    // no timer is wanted any more
)

// By says what ended a wait for a prompt.
type By uint8

const (
	ByNothing By = iota
	ByMarker
	ByPrompt
	ByIdle
	ByExit
	ByInterrupt
)

// Effect is one thing to be done. Effects are carried out in their order.
type Effect struct {
	Kind  EffectKind
	By    By            // DoReady, DoComplete
	Match bool          // DoReady, DoComplete, DoNextLine, DoMore, DoGiveUp: a pattern at the end of the stream was the prompt
	Delay time.Duration // DoTimer
}
