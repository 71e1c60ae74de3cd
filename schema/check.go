package schema

import (
	"slices"
	"strings"
	"sync"
)

// adapterRules are those for what the keys of an adapter mean together.
type adapterRules struct{ *document }

// check reports contradictions between keys. It runs on what could be read of
// a file with errors too, so a rule asks for the presence of a key in the
// file, not for its value: a key with an error of its own is present.
func (r adapterRules) check(a *Adapter) {
	r.checkVerified(a)
	r.checkInit(a)
	r.checkScript(a)
	r.checkCommand(a)
	r.checkEnv(a)
	r.checkPrompt(a)
	r.checkOutput(a)
	r.checkInput(a)
	r.checkCapabilities(a)
	r.checkModes(a)
	r.checkTests(a)
	agentRules(r).checkAgent(a)
}

// needs reports a setting that lacks all of the keys of which it needs one.
func (d *document) needs(pointer, setting string, oneOf ...string) {
	names := make([]string, len(oneOf))
	for i, p := range oneOf {
		if d.has(p) {
			return
		}
		names[i] = keyName(strings.TrimPrefix(p, pointer+"/"))
	}
	d.errorPointer(pointer, KindConflict, "%s needs %s", setting, strings.Join(names, " or "))
}

// has reports whether the file sets a key to anything but null.
func (d *document) has(pointer string) bool {
	v := d.places[pointer].value
	return v != nil && !isNull(v)
}

// errorPointer reports an error at a value.
func (d *document) errorPointer(pointer, kind, format string, args ...any) {
	p := d.valuePosition(pointer)
	d.errorAt(p.Line, p.Column, kind, format, args...)
}

func (d *document) valuePosition(pointer string) Position {
	if v := d.places[pointer].value; v != nil {
		return Position{v.Line, v.Column}
	}
	return Position{1, 1}
}

func (r adapterRules) checkVerified(a *Adapter) {
	switch {
	case r.has("/verified") && !a.Verified:
		r.needs("/verified", "verified: false", "/unverified")
	case r.has("/unverified"):
		r.errorPointer("/unverified", KindConflict, "unverified gives the reason for verified: false; set verified: false, or remove unverified")
	}
}

func (r adapterRules) checkInit(a *Adapter) {
	switch a.Init.Strategy {
	case InitShellIntegration:
		r.needs("/init/strategy", "init.strategy: shell_integration", "/init/delivery")
		if r.has("/init/delivery") && a.Init.Delivery != DeliverNone {
			r.needs("/init/strategy", "init.strategy: shell_integration", scriptKeys...)
		}
	case InitMarker:
		r.needs("/init/strategy", "init.strategy: marker", "/init/marker/primary")
	case InitPromptVariable:
		r.needs("/init/strategy", "init.strategy: prompt_variable", "/process/prompt_template")
	case InitRegex:
		r.needs("/init/strategy", "init.strategy: regex", "/prompt/primary")
	case InitNone: // needs nothing
	}
	switch a.Init.Delivery {
	case DeliverPTYInject:
		r.needs("/init/delivery", "init.delivery: pty_inject", scriptKeys...)
	case DeliverRCFile:
		r.needs("/init/delivery", "init.delivery: rc_file", rcVariables...)
		if r.has(rcVariables[0]) && r.has(rcVariables[1]) {
			r.errorPointer(rcVariables[1], KindConflict, "init.rc_file.file_env_var replaces dir_env_var: set only one of them")
		}
		r.needs("/init/delivery", "init.delivery: rc_file", "/init/rc_file/file_name")
		r.needs("/init/delivery", "init.delivery: rc_file", scriptKeys...)
	case DeliverLaunchCommand, DeliverNone: // the command template says what it uses
	}
}

var rcVariables = []string{"/init/rc_file/dir_env_var", "/init/rc_file/file_env_var"}

var scriptKeys = []string{"/init/script", "/init/script_resource", "/integration_script"}

func (r adapterRules) checkScript(*Adapter) {
	var declared []string
	for _, p := range scriptKeys {
		if r.has(p) {
			declared = append(declared, p)
		}
	}
	for _, p := range declared[min(1, len(declared)):] {
		r.errorPointer(p, KindConflict, "%s and %s both declare the integration script; keep one", keyName(declared[0]), keyName(p))
	}
}

// commandNeeds lists what gives a placeholder of the command template a value,
// where it does not always have one.
var commandNeeds = map[string][]string{
	"init_invocation":     {"/init/init_invocation_template"},
	"script_path":         scriptKeys,
	"tempfile_path":       scriptKeys,
	"prompt_template":     {"/process/prompt_template"},
	"marker":              {"/init/marker/primary"},
	"marker_continuation": {"/init/marker/continuation"},
	"history_filter":      {"/input/tempfile/history_filter"},
}

func (r adapterRules) checkCommand(a *Adapter) {
	if v := a.Process.VersionProbe; v != nil {
		r.checkGroup("/process/version/pattern", 1, "process.version.pattern", groupsOf(v.Pattern))
	}
	words, err := SplitCommand(a.Process.CommandTemplate)
	if err != nil {
		return // reported by the format
	}
	for _, w := range words {
		for _, p := range w.Parts {
			if keys := commandNeeds[p.Placeholder]; keys != nil {
				r.needs("/process/command_template", "{"+p.Placeholder+"}", keys...)
			}
		}
	}
}

// checkEnv refuses the nonce in the environment, where every program started
// from the session could read it and forge markers.
func (r adapterRules) checkEnv(a *Adapter) {
	secret := map[string]string{"nonce": "", "nonce_short": ""}
	if m := a.Init.Marker; m != nil {
		for name, text := range map[string]string{"marker": m.Primary, "marker_continuation": m.Continuation} {
			if ContainsNonce(text) {
				secret[name] = ""
			}
		}
	}
	for name, value := range a.Process.Env {
		if Expand(value, secret) != value {
			r.errorPointer("/process/env/"+escape(name), KindConflict,
				"the nonce may not be in the environment, where every program of the session could read it; write it into the script instead (init.script)")
		}
	}
}

func (r adapterRules) checkPrompt(a *Adapter) {
	switch a.Prompt.Strategy {
	case PromptMarker:
		r.needs("/prompt/strategy", "prompt.strategy: marker", "/init/marker/primary", "/prompt/primary")
	case PromptRegex:
		r.needs("/prompt/strategy", "prompt.strategy: regex", "/prompt/primary")
	case PromptShellIntegration: // the protocol is known
	}
	if si := a.Prompt.ShellIntegration; si != nil && si.Numbered && si.Nonce == "" {
		at := "/prompt/shell_integration/numbered"
		r.errorPointer(at, KindConflict, "prompt.shell_integration.numbered needs nonce: required, because any program can print a marker with a number")
	}
	if si := a.Prompt.ShellIntegration; si != nil && si.Numbered && si.Printable {
		at := "/prompt/shell_integration/printable"
		r.errorPointer(at, KindConflict, "prompt.shell_integration.printable has no effect with numbered, because a prompt that is printed again has an old number")
	}
	if r.has("/ready/wait_for_event") && a.Ready.WaitForEvent == ReadyRegex {
		r.needs("/ready/wait_for_event", "ready.wait_for_event: regex", "/ready/pattern", "/prompt/primary")
	}
	if len(a.Prompt.GroupCaptures) > 0 {
		r.needs("/prompt/group_captures", "prompt.group_captures", "/prompt/primary")
	}
	groups := groupsOf(a.Prompt.Primary)
	for i, c := range a.Prompt.GroupCaptures {
		r.checkGroup(indexed("/prompt/group_captures", i)+"/group", c.Group, "prompt.primary", groups)
	}
}

// groupsOf returns a function that returns the numbers of a pattern's groups, or nil if it is empty or does not compile.
func groupsOf(pattern string) func() []int {
	return sync.OnceValue(func() []int {
		re, err := CompilePattern(pattern)
		if pattern == "" || err != nil {
			return nil
		}
		return re.GetGroupNumbers()
	})
}

// checkGroup reports the number of a group that is not one of a pattern's groups, unless these are nil.
func (r adapterRules) checkGroup(pointer string, group int, name string, groups func() []int) {
	if r.has(pointer) && groups() != nil && !slices.Contains(groups(), group) {
		r.errorPointer(pointer, KindConflict, "%s has no group %d", name, group)
	}
}

func (r adapterRules) checkOutput(a *Adapter) {
	if !r.has("/output/input_echo_strategy") || a.Prompt.Strategy == "" {
		return
	}
	at := "/output/input_echo_strategy"
	switch a.Output.InputEchoStrategy {
	case EchoOSCBoundaries:
		if a.Prompt.Strategy != PromptShellIntegration {
			r.errorPointer(at, KindConflict, "output.input_echo_strategy: osc_boundaries needs prompt.strategy: shell_integration")
		}
	case EchoFuzzyByte:
		if a.Prompt.Strategy != PromptShellIntegration {
			r.needs(at, "output.input_echo_strategy: fuzzy_byte_match", "/prompt/primary", "/init/marker/primary")
		}
	case EchoDeterministicByte, EchoNone: // need nothing
	}
}

func (r adapterRules) checkInput(a *Adapter) {
	switch a.Input.MultilineDetect {
	case DetectWrapper:
		r.needs("/input/multiline_detect", "input.multiline_detect: wrapper", "/input/multiline_wrapper")
	case DetectBalancedParens:
		r.needs("/input/multiline_detect", "input.multiline_detect: balanced_parens", "/input/balanced_parens")
	case DetectPromptBased, DetectIndentBased, DetectNone: // need nothing
	}
	switch a.Input.MultilineDelivery {
	case DeliverWrapper:
		r.needs("/input/multiline_delivery", "input.multiline_delivery: wrapper", "/input/multiline_wrapper")
	case DeliverTempfile, DeliverDirect, DeliverHeredoc, DeliverEncodedScriptblock, DeliverBracketedPaste: // need nothing
	}
	if b := a.Input.BalancedParens; b != nil && len(b.Open) != len(b.Close) && len(b.Open)*len(b.Close) > 0 {
		r.errorPointer("/input/balanced_parens/close", KindConflict,
			"input.balanced_parens has %d opening brackets and %d closing ones", len(b.Open), len(b.Close))
	}
}

func (r adapterRules) checkCapabilities(a *Adapter) {
	c := a.Capabilities
	if v := r.places["/signals/interrupt"].value; c.Interrupt && v != nil && isNull(v) {
		r.errorPointer("/capabilities/interrupt", KindConflict, "capabilities.interrupt: true contradicts signals.interrupt: null")
	}
	if r.has("/capabilities/cd_command") {
		r.needs("/capabilities/cd_command", "capabilities.cd_command", "/capabilities/cd_command_quote")
		if c.CdCommand != "" && !strings.Contains(c.CdCommand, "{path}") {
			r.errorPointer("/capabilities/cd_command", KindTemplate, "capabilities.cd_command must contain {path}")
		}
	}
}
