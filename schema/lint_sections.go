package schema

import (
	"fmt"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"example.org/ripple/internal/lazyregexp"
)

// writtenEscape is what YAML makes one character of in double quotes only.
var writtenEscape = lazyregexp.New(`\\(x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|[abefnrtv0])`)

// lintEscapes looks at keys that are sent to the program byte for byte.
func lintEscapes(d *document, a *Adapter) {
	for _, pointer := range []string{
		"/process/line_ending", "/input/line_ending", "/output/line_ending", "/input/clear_line", "/prompt/continuation_escape",
		"/signals/interrupt", "/signals/interrupt_confirm", "/signals/eof", "/signals/suspend", "/init/marker/primary", "/init/marker/continuation",
	} {
		if !d.has(pointer) {
			continue
		}
		value := d.places[pointer].value
		if key := namedKey(value.Value); key != "" {
			d.warn(pointer, KindLiteral, `%s is sent as these %d characters; for that key write %s`, quoted(value.Value), len(value.Value), key)
		}
		if value.Style&yaml.DoubleQuotedStyle != 0 {
			continue // a backslash that is left there was meant
		}
		if e := writtenEscape().FindString(value.Value); e != "" {
			d.warn(pointer, KindLiteral, `%s is sent as %d characters; write it in double quotes to send the one character that it stands for`, e, len(e))
		}
	}
	if a.Input.LineEnding == "" {
		d.warn("/process/line_ending", KindMismatch, "without a line ending no line is ever submitted")
	}
}

// caretKey matches common notations of a control key, such as ^C and Ctrl-C.
var caretKey = lazyregexp.New(`^(?:\^|(?i:ctrl|c)[-+])([A-Za-z@\[\\\]^_])$`)

// namedKey returns how a key that is written as a name (ESC, Ctrl-C) must be written; empty: the
// text names no key.
func namedKey(text string) string {
	signals := map[string]string{
		"INT": `"\x03"`, "QUIT": `"\x1c"`, "TSTP": `"\x1a"`,
		"ESC": `"\x1b"`, "ESCAPE": `"\x1b"`, "ENTER": `"\r"`, "RETURN": `"\r"`, "EOF": `"\x04"`,
	}
	upper := strings.ToUpper(strings.Trim(text, "<>"))
	if key, known := signals[strings.TrimPrefix(upper, "SIG")]; known {
		return key
	}
	if m := caretKey().FindStringSubmatch(strings.Trim(text, "<>")); m != nil {
		return fmt.Sprintf(`"\x%02x"`, strings.ToUpper(m[1])[0]&0x1f)
	}
	return ""
}

// lintInstall: a launcher that is made is to be found.
func lintInstall(d *document, a *Adapter) {
	if i := a.Process.Install; i != nil && i.Maven != nil {
		if tried := append([]string{a.Process.Executable}, a.Process.ExecutableCandidates...); !slices.Contains(tried, i.Maven.Command) {
			d.warn("/process/install/maven/command", KindMismatch, "ripple does not look for %s: it is neither process.executable nor one of its candidates", i.Maven.Command)
		}
	}
}

// lintSamples: a sample is a template, which makes each use of it different.
func lintSamples(d *document, _ *Adapter) {
	for _, s := range []struct{ name, placeholder string }{
		{"print", "{text}"}, {"print_lines", "{n}"}, {"sleep", "{n}"}, {"set_var", "{n}"}, {"raw_bytes", "{text}"}, {"cd", "{path}"},
	} {
		pointer := "/samples/" + s.name
		if d.has(pointer) && !strings.Contains(d.places[pointer].value.Value, s.placeholder) {
			d.warn(pointer, KindPlaceholder, "samples.%s has no %s", s.name, s.placeholder)
		}
	}
}

func lintInit(d *document, a *Adapter) {
	at := "/init/script_resource"
	for _, p := range scriptKeys {
		if d.has(p) {
			at = p
		}
	}
	if a.Script == "" {
		return
	}
	if !strings.HasSuffix(a.Script, "\n") {
		d.warn(at, KindScriptText, "the integration script does not end with a line break; its last line may not run")
	}
	if !a.PassesScript() {
		d.warn(at, KindUnused, "nothing passes the integration script to the program: init.delivery is %s and process.command_template does not name it", a.Init.Delivery)
	}
}

// PassesScript reports whether the program gets the integration script, if there is one.
func (a *Adapter) PassesScript() bool {
	if a.Script == "" || a.Init.Delivery != DeliverNone && a.Init.Delivery != DeliverLaunchCommand {
		return true
	}
	t := a.Process.CommandTemplate + a.Init.InitInvocationTemplate
	inCommand := strings.Contains(t, "{tempfile_path}") || strings.Contains(t, "{script_path}") || strings.Contains(t, "{path}")
	used := inCommand || strings.Contains(a.Process.CommandTemplate, "{init_invocation}")
	for _, v := range a.Process.Env {
		used = used || strings.Contains(v, "{tempfile_path}") || strings.Contains(v, "{script_path}")
	}
	return used
}

// lintUnused reports sections that their switch leaves without effect.
func lintUnused(d *document, a *Adapter) {
	for _, s := range []struct {
		pointer string
		used    bool
		by      string
	}{
		{"/init/rc_file", a.Init.Delivery == DeliverRCFile, "init.delivery: rc_file"},
		{"/input/balanced_parens", a.Input.MultilineDetect == DetectBalancedParens, "input.multiline_detect: balanced_parens"},
		{"/input/multiline_wrapper", a.Input.MultilineDelivery == DeliverWrapper || a.Input.MultilineDelivery == DeliverHeredoc || a.Input.MultilineDetect == DetectWrapper, "input.multiline_delivery: wrapper"},
		{"/prompt/shell_integration", a.Prompt.Strategy == PromptShellIntegration, "prompt.strategy: shell_integration"},
		{"/capabilities/user_busy_detection_params", a.Capabilities.UserBusyDetection == "process_polling", "capabilities.user_busy_detection: process_polling"},
	} {
		if d.has(s.pointer) && !s.used {
			d.warn(s.pointer, KindUnused, "%s has an effect only with %s", keyName(s.pointer), s.by)
		}
	}
	if c := a.Commands; c != nil {
		for i, name := range c.Scope {
			if !slices.Contains(modeNames(a), name) {
				d.warn(indexed("/commands/scope", i), KindMismatch, "mode %q is not declared in modes%s", name, Suggest(name, modeNames(a)))
			}
		}
	}
	if a.Input.MultilineDelivery == DeliverTempfile && (a.Input.Tempfile == nil || a.Input.Tempfile.InvocationTemplate == "") {
		d.warn("/input/multiline_delivery", KindMismatch, "multiline_delivery: tempfile without input.tempfile.invocation_template: nothing runs the file, so blocks are sent line by line")
	}
	if t := a.Input.Tempfile; t != nil && t.InvocationTemplate != "" && !strings.Contains(t.InvocationTemplate, "{path}") && !strings.Contains(t.InvocationTemplate, "{tempfile_path}") {
		d.warn("/input/tempfile/invocation_template", KindMismatch, "input.tempfile.invocation_template has no {path}: it cannot run the file")
	}
}

// lintModes: the v1 text wants level_capture of what is nested, and files of that time go without.
func lintModes(d *document, a *Adapter) {
	for i, m := range a.Modes {
		if m.Nested && m.LevelCapture == nil {
			d.warn(indexed("/modes", i)+"/nested", KindMismatch, "nested: true without level_capture: the nesting depth is unknown")
		}
	}
}

func lintCapabilities(d *document, a *Adapter) {
	auto := slices.ContainsFunc(a.Modes, func(m Mode) bool { return m.AutoEnter })
	idle := slices.Contains(a.Lifecycle.RestartOn, "idle_timeout")
	event := a.Ready.WaitForEvent
	custom := d.has("/ready/wait_for_event") && d.places["/ready/wait_for_event"].value.Value == string(ReadyCustom)
	for _, m := range []struct {
		wrong         bool
		pointer, says string
	}{
		{a.Capabilities.AutoModes && !auto, "/capabilities/auto_modes", "capabilities.auto_modes is true, but no mode has auto_enter"},
		{!a.Capabilities.AutoModes && auto, "/capabilities", "a mode has auto_enter, but capabilities.auto_modes is false"},
		{a.Capabilities.MetaCommands && a.Commands == nil, "/capabilities/meta_commands", "capabilities.meta_commands is true, but the section commands is missing"},
		{a.Capabilities.CwdTracking && a.Capabilities.CwdFormat == "none", "/capabilities/cwd_tracking", "capabilities.cwd_tracking is true, but cwd_format is none"},
		{!a.Capabilities.CwdTracking && a.Capabilities.CwdFormat != "none", "/capabilities/cwd_format", "capabilities.cwd_format has an effect only with cwd_tracking: true"},
		{idle && a.Lifecycle.IdleTimeoutMS == 0, "/lifecycle/restart_on", "restart_on: idle_timeout never happens without lifecycle.idle_timeout_ms"},
		{!idle && a.Lifecycle.IdleTimeoutMS > 0, "/lifecycle/idle_timeout_ms", "lifecycle.idle_timeout_ms has an effect only with restart_on: [idle_timeout]"},
		{event == ReadyPromptStart && a.Prompt.Strategy != PromptShellIntegration, "/ready/wait_for_event", "prompt_start is reported only with prompt.strategy: shell_integration"},
		{custom && a.Ready.Pattern == "", "/ready/wait_for_event", "custom has no effect without ready.pattern; startup ends with the first prompt"},
		{event == ReadyMarker && a.Prompt.Strategy != PromptMarker, "/ready/wait_for_event", "marker is reported only with prompt.strategy: marker"},
		{len(a.Modes) > 0 && !slices.ContainsFunc(a.Modes, func(m Mode) bool { return m.Default }), "/modes", "no mode has default: true"},
	} {
		if m.wrong {
			d.warn(m.pointer, KindMismatch, "%s", m.says)
		}
	}
}
