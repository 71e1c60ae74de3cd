// Package prompt recognizes the ends of commands in a program's output.
//
// There are three detectors, one file each, and a session uses those that its
// adapter declares: Classifier gives OSC 633/133 markers their meaning and
// checks their nonce; Literal finds a marker's exact bytes in the stream;
// Patterns matches prompts at the end of the stream. All three are pure: they
// neither read nor wait.
package prompt

import (
	"strconv"
	"strings"

	"example.org/ripple/internal/vt"
	"example.org/ripple/schema"
)

// Kind is the meaning of a marker.
type Kind uint8

const (
	Unknown         Kind = iota // trusted, and without a meaning for us
	PromptStart                 // A: the prompt begins, the program is done
	InputStart                  // B: the prompt is complete, input starts here
	Executed                    // C: a command starts; its output follows
	Finished                    // D: a command ended
	Cwd                         // P;Cwd=… or OSC 7
	Continuation                // F: the prompt for more of the same command begins
	ContinuationEnd             // G: that prompt is complete

	kinds = iota
)

// Event is a marker's meaning.
type Event struct {
	Kind Kind
	Code *int   // Finished: the exit code, when the marker has one
	Cwd  string // Cwd: the directory

	Again bool // PromptStart: the prompt has come before, and no command was started at it
}

// Classifier turns OSC markers into events for one session. The sequences are
// those of VS Code's shell integration (OSC 633) and FinalTerm's (OSC 133).
type Classifier struct {
	protocol int
	nonce    string // empty: markers are trusted as they are
	turns    *turns // nil: markers carry no number
	cwdKey   string
	letters  map[byte]Kind
}

// standard is the meaning of the protocols' own letters. F is VS Code's start
// of a continuation prompt, and G its end.
var standard = map[byte]Kind{
	'A': PromptStart, 'B': InputStart, 'C': Executed, 'D': Finished, 'F': Continuation, 'G': ContinuationEnd, 'P': Cwd,
}

// NewClassifier prepares the markers that si declares. The nonce is asked for
// only when si requires one.
func NewClassifier(si schema.ShellIntegration, nonce string) *Classifier {
	c := &Classifier{protocol: 633, cwdKey: si.PropertyUpdates.CwdKey, letters: standard}
	if si.Protocol == "osc133" {
		c.protocol = 133
	}
	if si.Nonce == "required" {
		c.nonce = nonce
	}
	if si.Numbered {
		c.turns = &turns{}
	}
	if c.cwdKey == "" {
		c.cwdKey = "Cwd"
	}
	c.declare(si.Markers)
	return c
}

// declare replaces the protocol's letters by those that the adapter names.
func (c *Classifier) declare(m schema.Markers) {
	own := map[byte]Kind{}
	for declared, kind := range map[string]Kind{
		m.PromptStart: PromptStart, m.CommandInputStart: InputStart, m.CommandExecuted: Executed,
		m.CommandFinished: Finished, m.PropertyUpdate: Cwd,
	} {
		if protocol, letter, ok := parseDeclared(declared); ok {
			own[letter] = kind
			if protocol != 0 {
				c.protocol = protocol
			}
		}
	}
	if len(own) == 0 {
		return
	}
	merged := map[byte]Kind{}
	for letter, kind := range standard {
		merged[letter] = kind
	}
	for letter, kind := range own {
		merged[letter] = kind
	}
	c.letters = merged
}

// parseDeclared reads a marker as adapters write it: "A", or the whole escape
// sequence "\x1b]633;A\x07".
func parseDeclared(s string) (protocol int, letter byte, ok bool) {
	if len(s) == 1 {
		return 0, s[0], true
	}
	var number, rest string
	tokens, read := vt.ForText(), func(t *vt.Token) {
		if t.Kind == vt.OSC {
			number, rest, _ = strings.Cut(string(t.Data), ";")
		}
	}
	tokens.Feed([]byte(s), read)
	tokens.Flush(read)
	if rest == "" {
		return 0, 0, false
	}
	protocol, err := strconv.Atoi(number)
	return protocol, rest[0], err == nil
}

// Classify gives a marker its meaning. When trusted is false the marker is
// program output: another protocol's, without this session's nonce, or out of
// its turn, as when a program prints what it has recorded of the session.
func (c *Classifier) Classify(m Marker) (e Event, trusted bool) {
	if m.Protocol == 7 {
		return c.directory(m)
	}
	if m.Protocol != c.protocol {
		return Event{}, false
	}
	params := m.Params
	upper := false
	if c.nonce != "" {
		last := len(params) - 1
		if last < 0 || !strings.EqualFold(params[last], c.nonce) {
			return Event{}, false
		}
		upper = params[last] != c.nonce
		params = params[:last]
	}
	kind, again := c.letters[m.Code], false
	if c.turns != nil {
		before := *c.turns
		var inTurn bool
		if params, inTurn = c.turns.take(kind, params); !inTurn {
			return Event{}, false
		}
		again = before.number == c.turns.number && before.seen[PromptStart] && before.seen[kind]
	}
	switch {
	case kind == Finished && again: // no command ran
		return Event{}, true
	case kind == Finished:
		return Event{Kind: Finished, Code: exitCode(params)}, true
	case kind == Cwd && upper: // the terminal turns letters into capitals (stty olcuc)
		return Event{}, true
	case kind == Cwd:
		return c.property(params), true
	}
	return Event{Kind: kind, Again: again && kind == PromptStart}, true
}

// Interrupted notes that an interrupt was sent to the program: it may print a numbered prompt again.
func (c *Classifier) Interrupted() {
	if c.turns != nil {
		c.turns.interrupt()
	}
}

// directory reads OSC 7 (file://host/path). It carries no nonce, so an adapter
// that requires one does not use it.
func (c *Classifier) directory(m Marker) (Event, bool) {
	if c.nonce != "" {
		return Event{}, false
	}
	path, ok := filePath(strings.Join(m.Params, ";"))
	if !ok {
		return Event{}, false
	}
	return Event{Kind: Cwd, Cwd: path}, true
}

// property reads P;Key=Value. A value may hold semicolons that its writer did
// not escape, so the parameters are joined again.
func (c *Classifier) property(params []string) Event {
	key, value, ok := strings.Cut(strings.Join(params, ";"), "=")
	if !ok || key != c.cwdKey {
		return Event{}
	}
	return Event{Kind: Cwd, Cwd: unescape(value)}
}

func exitCode(params []string) *int {
	if len(params) == 0 {
		return nil
	}
	n, err := strconv.Atoi(params[0])
	if err != nil {
		return nil
	}
	return &n
}
