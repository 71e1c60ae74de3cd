package contract

import (
	"context"
	"fmt"
	"strings"
	"time"

	"example.org/ripple/schema"
)

// derived is a test that follows from an adapter's declarations.
type derived struct {
	name      string
	level     int
	needs     []need
	own       bool          // a session of its own
	bare      bool          // the test opens its sessions itself
	timeout   time.Duration // 0: the default
	less      lesser        // nil: only needs decides
	exclusive bool          // counts the open resources of the whole process: nothing else may run
	waits     bool          // mostly sleeps
	run       func(context.Context, *testRun) error
}

// need returns the reason why a test does not apply to an adapter; empty: it applies.
type need func(*schema.Adapter) string

// lesser describes what an adapter declares less of than another one to which a test applies too.
type lesser func(a, other *schema.Adapter) string

// unmet returns the reason why a test does not apply to an adapter; empty: it applies.
func (d derived) unmet(a *schema.Adapter) string {
	for _, n := range d.needs {
		if why := n(a); why != "" {
			return why
		}
	}
	return ""
}

// derivedTests is the whole table, by level. The tests put text into samples of unknown languages,
// so they follow three rules:
//
//   - samples.raw_bytes takes hexadecimal digits for {text}: no language quotes
//     those, so it is the way to make a program print any byte.
//   - samples.print takes {text} inside a quoted string: letters, digits, blanks and
//     .,:-_+=/() mean themselves in every language we know. Nothing else is put
//     there except letters beyond ASCII, where a test is about those.
//   - A program may add to what it prints (a REPL shows the value of a print), so
//     text is looked for between two tokens that appear nowhere else, and not
//     compared with the whole output.
//
// {n} is a whole number; for sleep, seconds. samples.print_lines prints {n} consecutive numbers
// from 0 or 1, one per line; samples.multiline prints {n}+1; samples.read_line prints the line that
// it read, or leaves it to the REPL to print it.
var derivedTests = []derived{
	{name: "starts and ends", level: 1, bare: true, run: startsAndEnds},
	{name: "prints the given text", level: 1, needs: needs(print_), run: printsText},

	{name: "state persists", level: 2, needs: needs(stateful, setVar, getVar), run: statePersists},
	{name: "a multi-line block", level: 2, needs: needs(multiline), run: multilineBlock},
	{name: "usable after an error", level: 2, needs: needs(error_), run: usableAfterError},
	{name: "exit codes as declared", level: 2, needs: needs(exitCodes, print_), less: lessExitCodes, run: exitCodesAsDeclared},
	{name: "cwd as declared", level: 2, needs: needs(cwdTracking, cd), own: true, run: cwdAsDeclared},
	{name: "modes are reached and left", level: 2, needs: needs(leavableModes), bare: true, run: modesReachedAndLeft},
	{name: "empty and comment-only input", level: 2, run: emptyInput},
	{name: "two commands back to back", level: 2, needs: needs(print_), run: backToBack},

	{name: "characters arrive as printed", level: 3, needs: needs(rawBytes), run: charactersArrive},
	{name: "leading blanks and blank lines stay", level: 3, needs: needs(rawBytes), run: blanksStay},
	{name: "1 MB of output", level: 3, needs: needs(printLines), timeout: time.Minute, run: megabyteOut},
	{name: "one line of 64 KB in", level: 3, needs: needs(print_), run: longLineIn},
	{name: "a block of 24 KB in", level: 3, needs: needs(multiline, print_), timeout: slowest, run: longBlockIn},
	{name: "half a block", level: 3, needs: needs(multiline, severalLines, print_), run: halfBlock},
	{name: "prompt look-alike in mid-work", level: 3, needs: needs(rawBytes, print_, sleep), own: true, waits: true, run: promptLookAlike},
	{name: "forged OSC 633", level: 3, needs: needs(rawBytes), run: forgedOSC},
	{name: "forged marker", level: 3, needs: needs(rawBytes, marked), own: true, run: forgedMarker},
	{name: "timeout, interrupt, usable", level: 3, needs: needs(busy, interruptible), own: true, waits: true, run: interrupted},
	{name: "reading a line is reported", level: 3, needs: needs(readLine, kernelTells), own: true, run: readingLine},
	{name: "reading a secret is reported", level: 3, needs: needs(readSecret, kernelTells, echoTells), own: true, run: readingSecret},

	{name: "killed program", level: 4, bare: true, run: killedProgram},
	{name: "close leaves nothing behind", level: 4, needs: needs(procFS), bare: true, exclusive: true, run: closeLeavesNothing},
	{name: "starts and stops leak nothing", level: 4, needs: needs(procFS), bare: true, exclusive: true, run: startsLeakNothing},
}

func needs(list ...need) []need { return list }

// derivedCases returns the cases of the derived tests; those that do not apply to the adapter have
// the reason.
func derivedCases(a *schema.Adapter) []testCase {
	var cases []testCase
	for _, d := range derivedTests {
		c := testCase{name: d.name, kind: KindDerived, level: d.level, own: d.own, bare: d.bare, exclusive: d.exclusive, waits: d.waits, timeout: d.timeout, run: d.run}
		if d.bare {
			c.timeout = startTimeout // starting is part of the test
		}
		c.inapplicable = d.unmet(a)
		cases = append(cases, c)
	}
	return cases
}

func sample(key string, get func(schema.Samples) string) need {
	return func(a *schema.Adapter) string {
		if get(a.Samples) == "" {
			return "samples." + key + " is not declared"
		}
		return ""
	}
}

var (
	print_     = sample("print", func(s schema.Samples) string { return s.Print })
	printLines = sample("print_lines", func(s schema.Samples) string { return s.PrintLines })
	error_     = sample("error", func(s schema.Samples) string { return s.Error })
	busy       = sample("busy", func(s schema.Samples) string { return s.Busy })
	sleep      = sample("sleep", func(s schema.Samples) string { return s.Sleep })
	readLine   = sample("read_line", func(s schema.Samples) string { return s.ReadLine })
	readSecret = sample("read_secret", func(s schema.Samples) string { return s.ReadSecret })
	multiline  = sample("multiline", func(s schema.Samples) string { return s.Multiline })
	setVar     = sample("set_var", func(s schema.Samples) string { return s.SetVar })
	getVar     = sample("get_var", func(s schema.Samples) string { return s.GetVar })
	rawBytes   = sample("raw_bytes", func(s schema.Samples) string { return s.RawBytes })
)

func stateful(a *schema.Adapter) string {
	if !a.Capabilities.Stateful {
		return "capabilities.stateful is false"
	}
	return ""
}

func severalLines(a *schema.Adapter) string {
	if !strings.Contains(a.Samples.Multiline, "\n") {
		return "samples.multiline is one line"
	}
	return ""
}

func exitCodes(a *schema.Adapter) string {
	if a.Capabilities.ExitCode == schema.ExitCodeUnreliable {
		return "capabilities.exit_code is unreliable"
	}
	return ""
}

func cwdTracking(a *schema.Adapter) string {
	switch {
	case !a.Capabilities.CwdTracking:
		return "capabilities.cwd_tracking is false"
	case a.Capabilities.CwdFormat == "windows_native":
		return "capabilities.cwd_format is windows_native: its paths are not those of this system"
	}
	return ""
}

func cd(a *schema.Adapter) string {
	if a.Samples.Cd == "" && a.Capabilities.CdCommand == "" {
		return "neither samples.cd nor capabilities.cd_command is declared"
	}
	return ""
}

func interruptible(a *schema.Adapter) string {
	switch {
	case a.Signals.Interrupt == nil:
		return "signals.interrupt is null: the adapter has no safe interrupt"
	case !a.Capabilities.Interrupt:
		return "capabilities.interrupt is false"
	}
	return ""
}

func marked(a *schema.Adapter) string {
	if a.Prompt.Strategy == schema.PromptRegex {
		return "prompt.strategy is regex: there is no marker to forge"
	}
	return ""
}

func leavableModes(a *schema.Adapter) string {
	if len(a.Modes) == 0 {
		return "no modes are declared"
	}
	if len(visits(a)) == 0 {
		return "no mode has both a test with expect_mode, which enters it, and exit_commands, which leave it"
	}
	return ""
}

func kernelTells(*schema.Adapter) string {
	if !waitingIsKnown {
		return "this system does not report whether a program reads its terminal"
	}
	return ""
}

// echoTells: a secret is recognized by the echo that the program turns off.
func echoTells(a *schema.Adapter) string {
	switch tty := a.Process.TTY; {
	case !tty.Echo:
		return "process.tty.echo is false: a secret looks like any other line"
	case !tty.Canonical:
		return "process.tty.canonical is false: a secret looks like any other line"
	}
	return ""
}

func procFS(*schema.Adapter) string {
	if !processesAreKnown {
		return "processes cannot be listed on this system"
	}
	return ""
}

// inapplicable is returned when a running test finds that it does not apply; its text is the
// reason.
type inapplicable struct{ reason string }

func (e inapplicable) Error() string { return e.reason }

func inapplicablef(format string, args ...any) error {
	return inapplicable{fmt.Sprintf(format, args...)}
}
