package schema

import (
	"path/filepath"
	"slices"
	"strings"
)

// Kinds of warnings.
const (
	KindAbsent      = "absent"      // a section that every adapter should have
	KindReserved    = "reserved"    // a key or value that has no effect
	KindUnused      = "unused"      // a setting that nothing refers to
	KindMismatch    = "mismatch"    // two keys that do not fit together
	KindLoose       = "loose"       // a prompt pattern that matches ordinary text
	KindSlow        = "slow"        // a pattern that takes too long on some text
	KindVacuous     = "vacuous"     // a test that cannot fail
	KindImpossible  = "impossible"  // a test that cannot pass, a prompt that cannot match
	KindMarkerByte  = "marker-byte" // a marker byte that line editors remove
	KindSettle      = "settle"      // a wait for time instead of evidence
	KindName        = "name"        // names that mislead
	KindPlaceholder = "placeholder" // likely a misspelled placeholder
	KindLiteral     = "literal"     // an escape sequence in single quotes, where YAML keeps it as text
	KindScriptText  = "script-text" // a script that breaks when it is staged or typed
)

// Lint reports, as warnings, what is legal in a file but likely wrong. A file
// that does not load gets its errors instead. Scripts come from o.Scripts;
// Options.ForFile gives the directories of a file on disk.
func Lint(source string, data []byte, o Options) []Diagnostic {
	a, d := parseAdapter(source, data, o)
	if a == nil || len(d.diags) > 0 {
		return sortDiagnostics(d.diags)
	}
	rules := []func(*document, *Adapter){
		lintSections, lintName, lintInstall, lintEscapes, lintSamples, lintReserved, lintSettle, lintInit, lintUnused, lintModes, lintCapabilities,
		lintPrompts, lintMarker, lintSlow, lintPlaceholders, lintTests,
	}
	if a.Family == FamilyAgent {
		rules = []func(*document, *Adapter){lintName, lintInstall, lintReserved, lintSlow, lintAgent}
	}
	for _, rule := range rules {
		rule(d, a)
	}
	return sortDiagnostics(d.diags)
}

// warn reports at a value; a pointer that the file does not have is the top.
func (d *document) warn(pointer, kind, format string, args ...any) {
	p := d.valuePosition(pointer)
	d.report(SeverityWarning, p.Line, p.Column, kind, format, args...)
}

// minTests is the number of tests that the schema asks an author for.
const minTests = 5

func lintSections(d *document, a *Adapter) {
	for _, s := range []struct{ name, why string }{
		{"ready", "startup ends as prompt.strategy suggests"},
		{"output", "echo is stripped, nothing else"},
		{"input", "blocks are sent line by line"},
		{"probe", "nothing checks that the adapter works at all"},
		{"samples", "no tests can be derived"},
		{"signals", "the defaults are Ctrl-C and Ctrl-D"},
		{"lifecycle", "the program is ended by a signal only"},
		{"capabilities", "clients see the defaults"},
	} {
		if !d.has("/" + s.name) {
			d.warn("", KindAbsent, "the section %s is missing: %s", s.name, s.why)
		}
	}
	if n := len(a.Tests); n < minTests {
		d.warn("/tests", KindAbsent, "an adapter should have at least %d tests, this one has %d", minTests, n)
	}
}

func lintName(d *document, a *Adapter) {
	base := filepath.Base(d.source)
	if ext := filepath.Ext(base); ext == ".yaml" || ext == ".yml" {
		if stem := strings.TrimSuffix(base, ext); stem != a.Name {
			d.warn("/name", KindName, "name %q differs from the file name %s", a.Name, base)
		}
	}
	seen := []string{a.Name}
	for i, alias := range a.Aliases {
		if slices.Contains(seen, alias) {
			d.warn(indexed("/aliases", i), KindName, "alias %q names the adapter twice", alias)
		}
		seen = append(seen, alias)
	}
}

func lintReserved(d *document, a *Adapter) {
	const deadline = "%s is reserved and has no effect; the caller sets the deadline for startup"
	if a.Ready.TimeoutMS != 0 {
		d.warn("/ready/timeout_ms", KindReserved, deadline, "ready.timeout_ms")
	}
	if a.Lifecycle.ReadyTimeoutMS != 0 {
		d.warn("/lifecycle/ready_timeout_ms", KindReserved, deadline, "lifecycle.ready_timeout_ms")
	}
	if a.Capabilities.UserBusyDetection != "none" {
		d.warn("/capabilities/user_busy_detection", KindReserved, "capabilities.user_busy_detection is reserved and has no effect")
	}
	if a.Input.MultilineDetect == DetectIndentBased {
		d.warn("/input/multiline_detect", KindReserved, "indent_based is reserved: nothing is detected")
	}
}

func lintSettle(d *document, a *Adapter) {
	for pointer, ms := range map[string]int{
		"/ready/settle_before_inject_ms": a.Ready.SettleBeforeInjectMS,
		"/ready/delay_after_inject_ms":   a.Ready.DelayAfterInjectMS,
		"/output/post_prompt_settle_ms":  a.Output.PostPromptSettleMS,
		"/input/chunk_delay_ms":          a.Input.ChunkDelayMS,
	} {
		if ms > 0 {
			d.warn(pointer, KindSettle, "%s waits for a fixed time, which is not needed with a marker or a prompt that can be recognized", keyName(pointer))
		}
	}
	if a.Init.Delivery == DeliverPTYInject {
		return
	}
	for _, name := range []string{"settle_before_inject_ms", "output_settled_min_ms", "output_settled_stable_ms", "output_settled_max_ms"} {
		if d.has("/ready/" + name) {
			d.warn("/ready/"+name, KindUnused, "ready.%s has an effect only with init.delivery: pty_inject", name)
		}
	}
}
