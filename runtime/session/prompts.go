package session

import (
	"fmt"
	"strings"

	"example.org/ripple/runtime/internal/prompt"
	"example.org/ripple/schema"

	"github.com/dlclark/regexp2"
)

// prompts says how the program's prompts are recognized.
type prompts struct {
	markers  *schema.ShellIntegration // nil: OSC markers mean nothing
	nonce    string
	literals []string // markers that carry the nonce, by index; nil: none
	patterns *prompt.Patterns
	lines    int // how many lines a prompt may span

	primary   *prompt.Patterns // the primary prompt, where its groups have names
	groups    []schema.GroupCapture
	continues bool   // continuation prompts can be recognized
	wanted    string // the first prompt, in the adapter's terms
}

// printable reports whether a command may print the prompt with its markers.
func (pr *prompts) printable() bool { return pr.markers != nil && pr.markers.Printable }

// numbered reports whether each prompt has a number.
func (pr *prompts) numbered() bool { return pr.markers != nil && pr.markers.Numbered }

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

// patternList collects the patterns that are tried at the end of the stream.
type patternList []prompt.Pattern

func (l *patternList) add(key, source string, tag int) {
	if source != "" {
		*l = append(*l, prompt.Pattern{Key: key, Source: source, Tag: tag})
	}
}

// compilePrompts prepares the recognition of the adapter's prompts; the modes have been compiled
// before.
func (p *program) compilePrompts(a *schema.Adapter, nonce string) (err error) {
	var list patternList
	pr := &p.prompts
	pr.nonce = nonce
	switch a.Prompt.Strategy {
	case schema.PromptShellIntegration:
		si := schema.ShellIntegration{}
		if a.Prompt.ShellIntegration != nil {
			si = *a.Prompt.ShellIntegration
		}
		pr.markers, pr.continues, p.policy.Confirms = &si, true, si.Confirm || si.Printable
		p.policy.Printed = a.Init.HookType == "none" || a.Init.HookType == "prompt_variable"
		list.add("prompt.continuation", a.Prompt.Continuation, tagContinuation) // for a program that cannot print F
	case schema.PromptMarker:
		p.compileMarkers(a, &list)
	default:
		list.add("prompt.primary", a.Prompt.Primary, tagPrimary)
		list.add("prompt.continuation", a.Prompt.Continuation, tagContinuation)
		pr.continues = a.Prompt.Continuation != ""
	}
	if p.policy.Silent, err = silent(a.Prompt.Continuation); err != nil {
		return err
	}
	if waitsForPattern(a.Ready) {
		list.add("ready.pattern", a.Ready.Pattern, tagPrimary)
	}
	p.addModes(&list)
	if pr.patterns, err = prompt.NewPatterns(list); err != nil {
		return err
	}
	// A message may quote a pattern, and a prompt may go elsewhere.
	p.policy.Learns = len(list) > 0 || pr.literals != nil || p.policy.Printed
	pr.lines = 1
	for _, pat := range list {
		pr.lines = max(pr.lines, prompt.Lines(pat.Source))
	}
	pr.wanted = p.wanted(a)
	if !a.PassesScript() {
		pr.wanted += fmt.Sprintf("; nothing passes the integration script to the program: init.delivery is %s", a.Init.Delivery)
	}
	return pr.compileGroups(a)
}

func waitsForPattern(r schema.Ready) bool {
	return r.WaitForEvent == schema.ReadyRegex || r.WaitForEvent == schema.ReadyCustom
}

// addModes adds the prompts of modes. If markers announce the main prompt, matching its pattern
// alone is not sufficient.
func (p *program) addModes(list *patternList) {
	if p.modes == nil {
		return
	}
	announced := p.prompts.markers != nil || p.prompts.literals != nil
	for _, b := range p.modes.Boundaries() {
		if !announced || b.Mode != p.modes.Default() {
			list.add(b.Key, b.Source, tagMode)
		}
	}
}

func (pr *prompts) compileGroups(a *schema.Adapter) (err error) {
	if pr.groups = a.Prompt.GroupCaptures; len(pr.groups) > 0 {
		pr.primary, err = prompt.NewPatterns([]prompt.Pattern{{Key: "prompt.primary", Source: a.Prompt.Primary}})
	}
	return err
}

// silent reports whether a continuation prompt may be empty text.
func silent(continuation string) (bool, error) {
	if continuation == "" {
		return false, nil
	}
	re, err := compilePattern("prompt.continuation", continuation)
	if err != nil {
		return false, err
	}
	return re.MatchString("")
}

// compileMarkers prepares the marker strategy. A literal that carries the nonce is recognized
// anywhere in the stream and trusted; one without a nonce is a prompt like any other, recognized
// only at the end of the stream while the program waits.
func (p *program) compileMarkers(a *schema.Adapter, list *patternList) {
	m := schema.Marker{}
	if a.Init.Marker != nil {
		m = *a.Init.Marker
	}
	primary, continuation := p.values["marker"], p.values["marker_continuation"]
	p.prompts.continues = continuation != "" || a.Prompt.Continuation != ""
	if w := a.Input.MultilineWrapper; w != nil {
		p.policy.Promptless = w.Trigger == "always" && strings.Contains(w.Close, "{marker}")
	}
	if schema.ContainsNonce(m.Primary) {
		p.prompts.literals = []string{literalPrimary: primary, literalContinuation: continuation}
		return
	}
	literal := func(key, text, pattern string, tag int) {
		if seen := prompt.Visible([]byte(text)); seen != "" {
			pattern = regexp2.Escape(seen) + `\z`
		}
		list.add(key, pattern, tag)
	}
	literal("init.marker.primary", primary, a.Prompt.Primary, tagPrimary)
	literal("init.marker.continuation", continuation, a.Prompt.Continuation, tagContinuation)
}

// wanted describes the first prompt in the adapter's terms.
func (p *program) wanted(a *schema.Adapter) string {
	pr := &p.prompts
	switch {
	case a.Ready.Pattern != "" && waitsForPattern(a.Ready):
		return fmt.Sprintf("ready.pattern %q at the end of the program's output, while it waits for input", a.Ready.Pattern)
	case pr.markers != nil && pr.markers.Nonce == "required":
		return "the prompt_start marker (OSC 633;A) with this session's nonce"
	case pr.markers != nil:
		return "the prompt_start marker (OSC 633;A)"
	case pr.literals != nil:
		return fmt.Sprintf("the marker %q", p.values["marker"])
	case a.Prompt.Primary != "":
		return fmt.Sprintf("a prompt that matches prompt.primary %q while the program waits for input", a.Prompt.Primary)
	}
	return fmt.Sprintf("the marker %q while the program waits for input", p.values["marker"])
}
