package session

import (
	"time"

	"example.org/ripple/runtime/session/internal/machine"
)

// CompletedBy is the event that ended a wait for a command.
type CompletedBy string

const (
	ByMarker    CompletedBy = "marker"    // an authenticated OSC or literal marker
	ByPrompt    CompletedBy = "prompt"    // a prompt pattern, and the program was waiting for input
	ByIdle      CompletedBy = "idle"      // a prompt pattern, and then the declared settle time in silence; or see PromptElsewhere
	ByExit      CompletedBy = "exit"      // the program ended
	ByTimeout   CompletedBy = "timeout"   // the caller's deadline or cancellation; the command continues, or was not even sent
	ByInterrupt CompletedBy = "interrupt" // a prompt came back after an interrupt, or before the rest of the block was sent
)

// completedByNames maps the machine's events to their public names.
var completedByNames = [...]CompletedBy{
	machine.ByMarker: ByMarker, machine.ByPrompt: ByPrompt, machine.ByIdle: ByIdle, machine.ByExit: ByExit, machine.ByInterrupt: ByInterrupt,
}

// Result is the result of one command.
type Result struct {
	// Output is the program's output without the echo of the input and without markers; lines end
	// in "\n". If Truncated is set it holds the head, a note and the tail, and SpillPath names the
	// file with the whole output.
	Output    string `json:"output"`
	Truncated bool   `json:"truncated,omitempty"`
	ExitCode  *int   `json:"exit_code"` // nil: the program reports none
	Cwd       string `json:"cwd,omitempty"`
	// CwdReported says that the program reported its directory during this command.
	CwdReported bool   `json:"-"`
	Mode        string `json:"mode,omitempty"`
	Level       *int   `json:"level,omitempty"`
	// Failed is true if the command failed by the rule of the schema's expect_error: a reliable
	// non-zero exit code, an automatic mode entered, or a match of output.error_pattern.
	Failed      bool           `json:"error"`
	Captures    map[string]any `json:"captures,omitempty"`
	Duration    time.Duration  `json:"duration_ns"`
	CompletedBy CompletedBy    `json:"completed_by"`
	Bytes       int64          `json:"bytes"` // length of the whole output in bytes
	SpillPath   string         `json:"spill_path,omitempty"`
	// Screen says that the command draws on the whole screen: the end of Output is the content of
	// that screen.
	Screen bool `json:"screen,omitempty"`
	// OutOfBand is output that arrived before the command's own output began.
	OutOfBand string `json:"out_of_band,omitempty"`
	// PromptElsewhere says that the program waits for the next command, but its prompt is not on the
	// terminal, because its standard output or standard error is redirected. The exit code and the
	// directory, which a prompt reports, are unknown.
	PromptElsewhere bool `json:"prompt_elsewhere,omitempty"`
	// Fault says in one sentence that ripple itself panicked while it interpreted output of the
	// program since the previous result, and names the file with the details. Output is complete,
	// but some of it may be as the program printed it, with escape sequences. Empty: no panic.
	Fault string `json:"fault,omitempty"`
	// Restarted says that the program had ended, or was idle for too long, and was restarted for
	// this command (lifecycle.restart_on): its state is new.
	Restarted bool `json:"restarted,omitempty"`
}
