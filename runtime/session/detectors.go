package session

import (
	"fmt"

	"ripple/runtime/internal/balance"
	"ripple/runtime/internal/mode"
	"ripple/runtime/internal/prompt"
	"ripple/schema"

	"github.com/dlclark/regexp2"
)

// Tags of prompt patterns.
const (
	tagPrimary = iota
	tagContinuation
	tagMode
)

// Indexes of literal markers.
const (
	literalPrimary = iota
	literalContinuation
)

// detectors prepares what the adapter's prompts are recognised by.
func (d *driver) detectors(nonce string) (err error) {
	a := d.adapter
	var patterns []prompt.Pattern
	add := func(key, source string, tag int) {
		if source != "" {
			patterns = append(patterns, prompt.Pattern{Key: key, Source: source, Tag: tag})
		}
	}
	switch a.Prompt.Strategy {
	case schema.PromptShellIntegration:
		si := schema.ShellIntegration{}
		if a.Prompt.ShellIntegration != nil {
			si = *a.Prompt.ShellIntegration
		}
		d.parser, d.classifier = &prompt.Markers{}, prompt.NewClassifier(si, nonce)
		d.continues, d.policy.Confirms = true, si.Confirm
		d.policy.Printed = a.Init.HookType == "none" || a.Init.HookType == "prompt_variable"
		add("prompt.continuation", a.Prompt.Continuation, tagContinuation) // for a program that cannot print F
	case schema.PromptMarker:
		d.markers(nonce, add)
	default:
		add("prompt.primary", a.Prompt.Primary, tagPrimary)
		add("prompt.continuation", a.Prompt.Continuation, tagContinuation)
		d.continues = a.Prompt.Continuation != ""
	}
	if d.policy.Silent, err = silent(a.Prompt.Continuation); err != nil {
		return err
	}
	if a.Ready.WaitForEvent == schema.ReadyRegex || a.Ready.WaitForEvent == schema.ReadyCustom {
		add("ready.pattern", a.Ready.Pattern, tagPrimary)
	}
	if in := a.Input; in.MultilineDetect == schema.DetectBalancedParens && in.BalancedParens != nil {
		d.balance = balance.New(*in.BalancedParens)
	}
	if d.modes, err = mode.New(a.Modes, d.plan.Values); err != nil {
		return err
	}
	for _, b := range d.modes.Boundaries() {
		// Where markers announce the main prompt, its looks alone prove nothing.
		if d.classifier == nil && d.literal == nil || b.Mode != d.modes.Default() {
			add(b.Key, b.Source, tagMode)
		}
	}
	if d.patterns, err = prompt.NewPatterns(patterns); err != nil {
		return err
	}
	d.policy.Learns = len(patterns) > 0 || d.literal != nil || d.policy.Printed // a message may quote a pattern, a prompt may go elsewhere
	d.promptLines = 1
	for _, p := range patterns {
		d.promptLines = max(d.promptLines, prompt.Lines(p.Source))
	}
	if len(a.Prompt.GroupCaptures) > 0 {
		if d.groups, err = prompt.NewPatterns([]prompt.Pattern{{Key: "prompt.primary", Source: a.Prompt.Primary}}); err != nil {
			return err
		}
	}
	if a.Prompt.Primary != "" && a.Output.InputEchoStrategy == schema.EchoFuzzyByte {
		if d.echoPrompt, err = schema.CompilePattern(a.Prompt.Primary); err != nil {
			return fmt.Errorf("prompt.primary: %w", err)
		}
	}
	if a.Output.ErrorPattern != "" {
		if d.errors, err = schema.CompilePattern(a.Output.ErrorPattern); err != nil {
			return fmt.Errorf("output.error_pattern: %w", err)
		}
	}
	return nil
}

// silent says whether a continuation prompt may be empty text.
func silent(continuation string) (bool, error) {
	if continuation == "" {
		return false, nil
	}
	re, err := schema.CompilePattern(continuation)
	if err != nil {
		return false, fmt.Errorf("prompt.continuation: %w", err)
	}
	return re.MatchString("")
}

// markers prepares the marker strategy. A literal that carries the nonce is
// found anywhere in the stream and trusted; one without is a prompt like any
// other: at the end of the stream, and only while the program waits.
func (d *driver) markers(nonce string, add func(key, source string, tag int)) {
	m := schema.Marker{}
	if d.adapter.Init.Marker != nil {
		m = *d.adapter.Init.Marker
	}
	primary, continuation := d.plan.Values["marker"], d.plan.Values["marker_continuation"]
	d.continues = continuation != "" || d.adapter.Prompt.Continuation != ""
	if schema.CarriesNonce(m.Primary) {
		d.literal = prompt.NewLiteral(primary, continuation)
		return
	}
	literal := func(key, text, pattern string, tag int) {
		if seen := prompt.Visible([]byte(text)); seen != "" {
			pattern = regexp2.Escape(seen) + `\z`
		}
		add(key, pattern, tag)
	}
	literal("init.marker.primary", primary, d.adapter.Prompt.Primary, tagPrimary)
	literal("init.marker.continuation", continuation, d.adapter.Prompt.Continuation, tagContinuation)
}

// wanted is the first prompt in the adapter's terms.
func (d *driver) wanted() string {
	ready := d.adapter.Ready
	switch {
	case ready.Pattern != "" && (ready.WaitForEvent == schema.ReadyRegex || ready.WaitForEvent == schema.ReadyCustom):
		return fmt.Sprintf("ready.pattern %q at the end of what the program prints, while it waits for input", ready.Pattern)
	case d.classifier != nil && d.adapter.Prompt.ShellIntegration != nil && d.adapter.Prompt.ShellIntegration.Nonce == "required":
		return "the prompt_start marker (OSC 633;A) with this session's nonce"
	case d.classifier != nil:
		return "the prompt_start marker (OSC 633;A)"
	case d.literal != nil:
		return fmt.Sprintf("the marker %q", d.plan.Values["marker"])
	case d.adapter.Prompt.Primary != "":
		return fmt.Sprintf("a prompt that matches prompt.primary %q while the program waits for input", d.adapter.Prompt.Primary)
	}
	return fmt.Sprintf("the marker %q while the program waits for input", d.plan.Values["marker"])
}
