package schema

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// EventTypes are the types that an adapter's events may have, as runtime/event
// defines them; ignored is a line that means nothing.
func EventTypes() []string {
	return []string{
		"session", "text", "reasoning", "tool_use", "tool_result", "usage", "rate_limited",
		"permission_denied", "error", "finished", "unknown", "ignored",
	}
}

// sessionOnly are the sections about a session with a prompt, which an agent
// that takes one turn has not.
var sessionOnly = []string{
	"ready", "init", "prompt", "output", "input", "modes", "commands", "signals", "lifecycle", "capabilities",
	"probe", "samples", "integration_script",
}

func (d *document) checkAgent(a *Adapter) {
	if a.Family != FamilyAgent {
		d.refuseAgentKeys(a)
		return
	}
	for _, section := range sessionOnly {
		if d.has("/" + section) {
			d.errorPointer("/"+section, KindConflict, "%s is about a session with a prompt, which family agent has not", section)
		}
	}
	if a.Agent == nil {
		return // reported as missing
	}
	d.checkAgentPrompt(a.Agent)
	d.checkAgentOptions(a.Agent)
	d.checkAgentOutput(a.Agent)
	for i := range a.Tests {
		d.checkAgentTest(a, i)
	}
}

func (d *document) refuseAgentKeys(a *Adapter) {
	if d.has("/agent") && a.Family != "" {
		d.errorPointer("/agent", KindConflict, "agent needs family: agent")
	}
	for i := range a.Tests {
		for _, key := range []string{"transcript", "turn", "expect_events", "expect_failure", "expect_argv", "expect_stdin", "expect_usage"} {
			if at := indexed("/tests", i) + "/" + key; d.has(at) && a.Family != "" {
				d.errorPointer(at, KindConflict, "%s is for tests of family agent", key)
			}
		}
	}
}

func (d *document) checkAgentPrompt(a *Agent) {
	const at = "/agent/prompt"
	file := a.Prompt.Deliver == PromptFile || a.Prompt.Overflow == PromptFile
	switch {
	case d.has(at+"/file_flag") && !file:
		d.errorPointer(at+"/file_flag", KindConflict, "file_flag needs deliver: file or overflow: file")
	case d.has(at+"/overflow") && a.Prompt.Deliver != PromptArgument:
		d.errorPointer(at+"/overflow", KindConflict, "overflow is for prompts that go as an argument, deliver is %s", a.Prompt.Deliver)
	}
	if d.has(at+"/stdin_args") && a.Prompt.Deliver != PromptStdin && a.Prompt.Overflow != PromptStdin {
		d.errorPointer(at+"/stdin_args", KindConflict, "stdin_args needs deliver: stdin or overflow: stdin")
	}
	if a.Transport == TransportPTY && (a.Prompt.Deliver == PromptStdin || a.Prompt.Overflow == PromptStdin) {
		d.errorPointer("/agent/transport", KindConflict, "a prompt on standard input needs transport: pipe; a terminal has no end of input")
	}
}

// optionPlaceholder names the placeholder of each option.
func optionPlaceholder(name string, o *AgentOption) string {
	switch name {
	case "new_session", "resume":
		return "session_id"
	case "allowed_tools":
		if o.Each {
			return "tool"
		}
		return "tools"
	case "permission_mode":
		return "mode"
	case "max_turns":
		return "n"
	case "directory":
		return "dir"
	}
	return name // model, context
}

// ByName returns the options that the agent has, by the names of their keys.
func (o AgentOptions) ByName() map[string]*AgentOption {
	all := map[string]*AgentOption{
		"model": o.Model, "new_session": o.NewSession, "resume": o.Resume, "context": o.Context,
		"permission_mode": o.PermissionMode, "max_turns": o.MaxTurns, "directory": o.Directory,
	}
	if o.AllowedTools != nil {
		all["allowed_tools"] = &o.AllowedTools.AgentOption
	}
	maps.DeleteFunc(all, func(_ string, v *AgentOption) bool { return v == nil })
	return all
}

func (d *document) checkAgentOptions(a *Agent) {
	options := a.Options.ByName()
	for _, name := range slices.Sorted(maps.Keys(options)) {
		o, at := options[name], "/agent/options/"+name
		want := optionPlaceholder(name, o)
		if !o.Prepend && len(o.Args) == 0 && len(o.Values) == 0 && !d.has(at+"/limit") {
			d.errorPointer(at, KindConflict, "options.%s needs args, values or prepend: true", name)
		}
		if o.Prepend && (len(o.Args) > 0 || len(o.Values) > 0) {
			d.errorPointer(at, KindConflict, "options.%s goes before the prompt or as arguments, not both", name)
		}
		for i, arg := range o.Args {
			d.checkOptionArg(at, name, want, arg, i)
		}
		if _, ok := o.Values[o.Default]; o.Default != "" && len(o.Values) > 0 && !ok {
			d.errorPointer(at+"/default", KindConflict, "options.%s has no values for its default %s", name, quoted(o.Default))
		}
	}
	if o := a.Options.AllowedTools; o != nil {
		d.checkToolList(o, a.Options.PermissionMode)
	}
}

// checkToolList wants a program to stand alone, and the modes that a list of tools
// is kept in to be the agent's.
func (d *document) checkToolList(o *AgentToolList, mode *AgentOption) {
	const at = "/agent/options/allowed_tools"
	if o.Limit != "" && (o.Prepend || o.Each || o.Join != "" || len(o.Args) > 0 || len(o.Values) > 0) {
		d.errorPointer(at+"/limit", KindConflict, "limit makes all of the option: args, values, each, join and prepend have no place beside it")
	}
	for i, m := range o.PermissionModes {
		p := indexed(at+"/permission_modes", i)
		if mode == nil {
			d.errorPointer(p, KindConflict, "the agent has no options.permission_mode")
		} else if _, ok := mode.Values[m]; len(mode.Values) > 0 && !ok {
			d.errorPointer(p, KindConflict, "options.permission_mode has no value %s%s", quoted(m), Suggest(m, slices.Sorted(maps.Keys(mode.Values))))
		}
	}
}

// checkOptionArg reports a placeholder that the option has not.
func (d *document) checkOptionArg(at, name, want, arg string, i int) {
	for _, m := range placeholder().FindAllString(arg, -1) {
		if m == "{"+want+"}" {
			continue
		}
		p := at + "/args/" + fmt.Sprint(i)
		if !d.has(p) { // the short form
			p = indexed(at, i)
		}
		d.errorPointer(p, KindTemplate, "unknown placeholder %s; options.%s has {%s}", m, name, want)
	}
}

func (d *document) checkAgentOutput(a *Agent) {
	const at = "/agent/output"
	switch {
	case a.Output.Format == FormatText && d.has(at+"/events"):
		d.errorPointer(at+"/events", KindConflict, "events is a program for JSON; format: text has none")
	case a.Output.Format == FormatText && a.Output.Finish == "required" && d.has(at+"/finish"):
		d.errorPointer(at+"/finish", KindConflict, "plain text has no finished event")
	case a.Output.Format == FormatNDJSON || a.Output.Format == FormatJSON:
		d.needs(at+"/format", "output.format: "+a.Output.Format, at+"/events")
	}
	if a.Transport == TransportPTY && a.Output.Stream == "stderr" {
		d.errorPointer(at+"/stream", KindConflict, "a terminal has one stream; stream: stderr needs transport: pipe")
	}
}

func (d *document) checkAgentTest(a *Adapter, i int) {
	t, at := a.Tests[i], indexed("/tests", i)
	for _, key := range []string{"eval", "setup", "setup_sequence"} {
		if d.has(at + "/" + key) {
			d.errorPointer(at+"/"+key, KindConflict, "%s is for sessions; a test of family agent has transcript or turn", key)
		}
	}
	switch {
	case d.has(at+"/transcript") && d.has(at+"/turn"):
		d.errorPointer(at+"/turn", KindConflict, "a test has either a transcript or a turn")
	case d.has(at + "/transcript"):
		d.needs(at, "a transcript", at+"/expect_events", at+"/expect_failure")
	case d.has(at + "/turn"):
		d.needs(at, "a turn", at+"/expect_argv", at+"/expect_usage")
	case t.Name != "":
		d.needs(at, fmt.Sprintf("test %q", t.Name), at+"/transcript", at+"/turn")
	}
	for j, e := range t.ExpectEvents {
		name, _ := e["type"].(string)
		if !slices.Contains(EventTypes(), name) {
			what := "an event needs a type"
			if name != "" {
				what = fmt.Sprintf("there is no event of type %s%s", quoted(name), Suggest(name, EventTypes()))
			}
			d.errorPointer(indexed(at+"/expect_events", j), KindEnum, "%s; one of %s", what, strings.Join(EventTypes(), ", "))
		}
	}
}
