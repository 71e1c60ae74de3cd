// Package machine decides when a command has ended, and what to do on the way there. It is pure: it
// never reads, writes, waits or looks at a clock. An Input describes an event, Effects describe the
// resulting actions, and all memory is a State value, so that a test can start in any state.
//
//	state, effects = policy.Next(state, machine.Input{Kind: machine.InText, Now: now}, nil)
//
// Its central rule: a command has ended when the first prompt that belongs to the session's own
// line has been confirmed, and never before. The confirmation depends on the announcement of the
// prompt: transitions.go has the markers and the patterns, readiness.go evaluates the kernel's
// answer to "does the program wait for input?".
//
// A, B, C, D and F are the markers of OSC 133 and OSC 633: the prompt begins,
// the input begins, the output begins, the command has finished, and a
// continuation prompt begins.
package machine

import "time"

// Step is where the machine is.
type Step uint8

const (
	StepSettle   Step = iota // before the integration script is typed: waiting for silence
	StepInjected             // the script was typed, a declared delay runs
	StepFirst                // waiting for the first prompt
	StepKick                 // an Enter was sent after the first prompt; waiting for the next
	StepReady                // at the prompt
	StepRunning              // a line was sent
	StepExited
)

// Evidence is the evidence that a prompt answers the session's line.
type Evidence uint8

const (
	EvidenceNone      Evidence = iota
	EvidencePrompt             // a pattern matches at the end of the stream: ask whether the program waits
	EvidenceMarker             // a marker came that is not sufficient alone: ask as well
	EvidenceInput              // A came, B must follow; ask only if it does not
	EvidenceMore               // F came and there are no more lines: ask, for the program may not read yet
	EvidenceSilence            // nothing came since the line was sent: ask whether the program waits for the next line
	EvidenceElsewhere          // no marker came since the line was sent: ask whether its prompt goes elsewhere
)

// Policy holds the properties of an adapter that decisions depend on.
type Policy struct {
	Inject      bool          // init.delivery pty_inject
	SettleQuiet time.Duration // required silence before injecting
	SettleMin   time.Duration // earliest and
	SettleMax   time.Duration // latest time of the injection, since the start
	InjectDelay time.Duration // delay after injecting
	Kick        bool          // ready.kick_enter_after_ready
	Settle      time.Duration // silence that confirms a prompt if the kernel has no answer
	Learns      bool          // find out at the first marker whether the kernel shows that this program waits
	Confirms    bool          // a prompt's marker is not sufficient: the program may continue after it
	Silent      bool          // the continuation prompt is empty: the program asks for more by waiting in silence
	Promptless  bool          // it has no prompts: sent code makes it print one, unless a user typed the code
	Printed     bool          // only its prompts announce its state, and they may be printed elsewhere
}

// State is everything the machine remembers. The zero value is a program that
// has not been started.
type State struct {
	Step       Step
	Evidence   Evidence
	SawC, SawD bool // since the line was sent

	more     bool // the prompt in question is a continuation prompt
	looks    int  // how often the kernel was asked about this prompt
	quiet    bool // ProofSilence: the program waited when the kernel was last asked
	noAnswer bool // the kernel had no answer when it was last asked
	learnedB bool // this program announces the end of its prompts (B after A)

	remaining   int  // lines of the block not yet sent
	confirm     bool // a marker is not enough: several commands may have been sent at once
	interrupted bool // an interrupt was requested: no further line is sent
	signaled    bool // the interrupt was sent to the program
	cut         bool // lines were left out because of it
	incomplete  bool // the program asked for more lines than there are, and was made to give up
	typed       bool // a user types the line and its continuation
	again       bool // the prompt at which the line was sent came again: the program has dropped the line
}

// InputKind is the kind of an event.
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
	ReadyAsks // it waits, but not for a command
	ReadyMore // it waits for the rest of a command that a user types
)

// Input is one event.
type Input struct {
	Kind    InputKind
	Now     time.Duration // since the program was started
	Ready   Readiness     // InReadiness
	More    bool          // InMatch: a continuation prompt
	Lines   int           // InSubmit: lines that follow the first
	Confirm bool          // InSubmit: several commands may be sent at once
	Typed   bool          // InSubmit: a user types it
	Sent    bool          // InInterrupt: it has been sent, not only requested
	Again   bool          // InPromptStart: the prompt at which the line was sent comes again
	Ends    bool          // InInputStart: it ends a prompt, even if the prompt was confirmed before
}

// EffectKind is the kind of an action.
type EffectKind uint8

const (
	DoInject   EffectKind = iota // type the integration script
	DoEnter                      // send a line ending
	DoReady                      // the first prompt has arrived
	DoNextLine                   // send the next line of the block
	DoSameLine                   // send the line again
	DoMore                       // the user continues with another line
	DoBegin                      // the program's output begins here: the text before was echo
	DoComplete                   // the command has ended
	DoGiveUp                     // make the program abandon the incomplete input
	DoAsk                        // ask the kernel whether the program waits for input
	DoTakeBack                   // the text that a marker announced was not a prompt
	DoTimer                      // fire after Delay; replaces an earlier timer
	DoNoTimer                    // the timer is not needed
)

// By is the event that ended a wait for a prompt.
type By uint8

const (
	ByNothing By = iota
	ByMarker
	ByPrompt
	ByIdle
	ByExit
	ByInterrupt
)

// Effect is one action. Effects are carried out in order.
type Effect struct {
	Kind  EffectKind
	By    By            // DoReady, DoComplete
	Match bool          // DoReady, DoComplete, DoNextLine, DoMore, DoGiveUp: a pattern at the end of the stream was the prompt
	Delay time.Duration // DoTimer
}
