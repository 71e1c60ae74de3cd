package session

import "time"

// The machine decides; it never reads, writes, waits or looks at a clock. The
// driver feeds it what happened (Input) and carries out what it answers
// (Effect). Its whole memory is a State value, so a test can put it anywhere.
//
// The rule it exists for: a command has ended when the first prompt that
// belongs to *our* line has been proven, and never before.

// step is where the machine is.
type step uint8

const (
	stepSettle   step = iota // pty_inject: waiting for silence
	stepInjected             // pty_inject: the script was typed, a declared delay runs
	stepFirst                // waiting for the first prompt
	stepKick                 // an Enter was sent after the first prompt; waiting for the next
	stepReady
	stepRunning
	stepExited
)

// proof is how far a prompt that was seen is known to be ours.
type proof uint8

const (
	proofNone      proof = iota
	proofPrompt          // a pattern matches at the end of the stream: ask whether the program waits
	proofMarker          // a marker came where one alone does not prove it: ask as well
	proofInput           // A came, B must follow; ask only when it does not
	proofMore            // F came and there is no more: ask, for the program may not read yet
	proofSilence         // nothing came since the line was sent: ask whether the program waits for the next
	proofElsewhere       // no marker came since the line was sent: ask whether its prompt goes elsewhere
)

// policy are the facts about an adapter that decisions depend on.
type policy struct {
	inject      bool          // init.delivery pty_inject
	settleQuiet time.Duration // silence wanted before injecting
	settleMin   time.Duration // earliest and
	settleMax   time.Duration // latest moment for it, since the start
	injectDelay time.Duration // after injecting
	kick        bool          // ready.kick_enter_after_ready
	settle      time.Duration // silence that proves a prompt when the kernel has no answer
	learns      bool          // find out at the first marker whether the kernel shows this program's waiting
	confirms    bool          // a prompt's marker is not enough: the program may go on behind it
	silent      bool          // the continuation prompt is empty: the program asks for more by waiting in silence
	printed     bool          // its prompts are all that announces it, and may be printed elsewhere
}

// machineState is everything the machine remembers.
type machineState struct {
	step     step
	proof    proof
	more     bool // the prompt in question is a continuation prompt
	looks    int  // how often the kernel was asked about this proof
	quiet    bool // proofSilence: the program waited when the kernel was last asked
	noAnswer bool // the kernel had none when it was last asked
	learnedB bool // this program announces the end of its prompts (B after A)

	remaining   int  // lines of the block not yet sent
	confirm     bool // a marker is not enough: several commands may have been sent at once
	sawC, sawD  bool // since the line was sent
	interrupted bool // whoever asked for it: no further line is sent
	signalled   bool // and the program has got it
	cut         bool // lines were left out for it
	incomplete  bool // the program asked for more than there is; it was told to give up
}

// Inputs.
type inputKind uint8

const (
	inStart inputKind = iota
	inText            // the program printed something that is not a marker
	inPromptStart
	inInputStart
	inExecuted
	inFinished
	inContinuation // the program asks for more of the same command
	inMatch        // a prompt pattern matches at the end of the stream
	inMarker       // a literal marker that carries the nonce
	inReadiness
	inTimer
	inSubmit
	inInterrupt
	inExit
)

type readiness uint8

const (
	readyUnknown readiness = iota
	readyWaiting
	readyBusy
)

type input struct {
	kind    inputKind
	now     time.Duration // since the program was started
	ready   readiness     // inReadiness
	more    bool          // inMatch: a continuation prompt
	lines   int           // inSubmit: lines that follow the first
	confirm bool          // inSubmit
	sent    bool          // inInterrupt: it is on its way, not only owed
}

// Effects.
type effectKind uint8

const (
	doInject effectKind = iota
	doEnter             // send a line ending
	doReady
	doNextLine
	doBegin    // the program's output begins here: what came before was echo
	doComplete // the command has ended, by
	doGiveUp   // make the program abandon the incomplete input
	doAsk      // ask the kernel whether the program waits for input
	doTimer    // wake me after delay; replaces an earlier timer
	doNoTimer
)

type effect struct {
	kind  effectKind
	by    CompletedBy   // doReady, doComplete
	match bool          // doReady, doComplete, doNextLine: a pattern at the end of the stream was the prompt
	delay time.Duration // doTimer
}
