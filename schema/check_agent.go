package schema

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
)

// EventTypes returns the types that an adapter's events may have, as package event defines them.
// The type ignored is for lines without a meaning.
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

// agentRules are those for an agent section.
type agentRules struct{ *document }

func (r agentRules) checkAgent(a *Adapter) {
	if a.Family != FamilyAgent {
		r.refuseAgentKeys(a)
		return
	}
	for _, section := range sessionOnly {
		if r.has("/" + section) {
			r.errorPointer("/"+section, KindConflict, "%s applies to programs with a prompt, but this adapter has family: agent; remove it", section)
		}
	}
	if a.Agent == nil {
		return // reported as missing
	}
	r.checkTransports(a.Agent)
	r.checkAgentPrompt(a.Agent)
	r.checkAgentOptions(a.Agent)
	r.checkAgentOutput(a.Agent)
	r.checkScreen(a.Agent)
	for i := range a.Tests {
		r.checkAgentTest(a, i)
	}
}

// checkTransports requires, for each transport, either all keys or none.
func (r agentRules) checkTransports(a *Agent) {
	for _, key := range []string{"prompt", "output"} {
		if !r.has("/agent/"+key) && (a.ACP == nil && a.Transport != TransportScreen || r.has("/agent/prompt") || r.has("/agent/output")) {
			r.errorPointer("/agent", KindMissing, "agent needs the key %q", key)
		}
	}
	switch {
	case a.Transport == TransportACP && a.ACP == nil:
		r.errorPointer("/agent/transport", KindConflict, "transport: acp needs the key acp")
	case a.Transport == TransportScreen && a.Screen == nil:
		r.errorPointer("/agent/transport", KindConflict, "transport: screen needs the key screen")
	case a.ACP != nil && !r.has("/agent/output") && a.Transport != TransportACP && a.Transport != TransportScreen:
		r.errorPointer("/agent/acp", KindConflict, "an agent without prompt and output can use only acp; set transport: acp")
	}
	if a.Screen != nil {
		r.checkKept(a, "/agent/screen/options", a.Screen.Options)
	}
	if a.ACP == nil {
		return
	}
	r.checkKept(a, "/agent/acp/options", a.ACP.Options)
	for _, key := range []string{"version", "install"} {
		if r.has("/agent/acp/"+key) && a.ACP.Executable == "" {
			r.errorPointer("/agent/acp/"+key, KindConflict, "%s describes acp.executable, which is not set; process.%s describes process.executable", key, key)
		}
	}
}

// checkKept wants options that are named to be there.
func (r agentRules) checkKept(a *Agent, at string, names []string) {
	for i, name := range names {
		if _, has := a.Options.ByName()[name]; !has {
			r.errorPointer(indexed(at, i), KindConflict, "the agent has no options.%s", name)
		}
	}
}

func (r agentRules) refuseAgentKeys(a *Adapter) {
	if r.has("/agent") && a.Family != "" {
		r.errorPointer("/agent", KindConflict, "agent needs family: agent")
	}
	for i := range a.Tests {
		for _, key := range []string{"transcript", "turn", "expect_events", "expect_failure", "expect_argv", "expect_stdin", "expect_usage", "ways"} {
			if at := indexed("/tests", i) + "/" + key; r.has(at) && a.Family != "" {
				r.errorPointer(at, KindConflict, "%s applies only to tests of family agent", key)
			}
		}
	}
}

func (r agentRules) checkAgentPrompt(a *Agent) {
	const at = "/agent/prompt"
	file := a.Prompt.Deliver == PromptFile || a.Prompt.Overflow == PromptFile
	switch {
	case r.has(at+"/file_flag") && !file:
		r.errorPointer(at+"/file_flag", KindConflict, "file_flag needs deliver: file or overflow: file")
	case r.has(at+"/overflow") && a.Prompt.Deliver != PromptArgument:
		r.errorPointer(at+"/overflow", KindConflict, "overflow is for prompts that are passed as an argument, but deliver is %s", a.Prompt.Deliver)
	}
	if r.has(at+"/stdin_args") && a.Prompt.Deliver != PromptStdin && a.Prompt.Overflow != PromptStdin {
		r.errorPointer(at+"/stdin_args", KindConflict, "stdin_args needs deliver: stdin or overflow: stdin")
	}
	if a.Transport == TransportPTY && (a.Prompt.Deliver == PromptStdin || a.Prompt.Overflow == PromptStdin) {
		r.errorPointer("/agent/transport", KindConflict, "a prompt on standard input needs transport: pipe; a terminal has no end of input")
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

func (r agentRules) checkAgentOptions(a *Agent) {
	options := a.Options.ByName()
	for _, name := range slices.Sorted(maps.Keys(options)) {
		o, at := options[name], "/agent/options/"+name
		want := optionPlaceholder(name, o)
		if !o.Prepend && len(o.Args) == 0 && len(o.Values) == 0 && !r.has(at+"/limit") {
			r.errorPointer(at, KindConflict, "options.%s needs args, values or prepend: true", name)
		}
		if o.Prepend && (len(o.Args) > 0 || len(o.Values) > 0) {
			r.errorPointer(at, KindConflict, "options.%s either goes before the prompt or is passed as arguments, not both", name)
		}
		for i, arg := range o.Args {
			r.checkOptionArg(at, name, want, arg, i)
		}
		if _, ok := o.Values[o.Default]; o.Default != "" && len(o.Values) > 0 && !ok {
			r.errorPointer(at+"/default", KindConflict, "options.%s has no values for its default %s", name, quoted(o.Default))
		}
	}
	if o := a.Options.AllowedTools; o != nil {
		r.checkToolList(o, a.Options.PermissionMode)
	}
}

// checkToolList wants a program to stand alone, and the modes that a list of tools
// is kept in to be the agent's.
func (r agentRules) checkToolList(o *AgentToolList, mode *AgentOption) {
	const at = "/agent/options/allowed_tools"
	if o.Limit != "" && (o.Prepend || o.Each || o.Join != "" || len(o.Args) > 0 || len(o.Values) > 0) {
		r.errorPointer(at+"/limit", KindConflict, "limit cannot be combined with args, values, each, join or prepend")
	}
	for i, m := range o.PermissionModes {
		p := indexed(at+"/permission_modes", i)
		if mode == nil {
			r.errorPointer(p, KindConflict, "the agent has no options.permission_mode")
		} else if _, ok := mode.Values[m]; len(mode.Values) > 0 && !ok {
			r.errorPointer(p, KindConflict, "options.permission_mode has no value %s%s", quoted(m), Suggest(m, slices.Sorted(maps.Keys(mode.Values))))
		}
	}
}

// checkOptionArg reports a placeholder that the option has not.
func (r agentRules) checkOptionArg(at, name, want, arg string, i int) {
	for _, m := range placeholder().FindAllString(arg, -1) {
		if m == "{"+want+"}" {
			continue
		}
		p := at + "/args/" + fmt.Sprint(i)
		if !r.has(p) { // the short form
			p = indexed(at, i)
		}
		r.errorPointer(p, KindTemplate, "unknown placeholder %s; options.%s has {%s}", m, name, want)
	}
}

func (r agentRules) checkAgentOutput(a *Agent) {
	const at = "/agent/output"
	switch {
	case a.Output.Format == FormatText && r.has(at+"/events"):
		r.errorPointer(at+"/events", KindConflict, "events is a jq program for JSON output; remove it, or set format: ndjson")
	case a.Output.Format == FormatText && a.Output.Finish == "required" && r.has(at+"/finish"):
		r.errorPointer(at+"/finish", KindConflict, "plain text has no finished event")
	case a.Output.Format == FormatNDJSON || a.Output.Format == FormatJSON:
		r.needs(at+"/format", "output.format: "+a.Output.Format, at+"/events")
	}
	if a.Transport == TransportPTY && a.Output.Stream == "stderr" {
		r.errorPointer(at+"/stream", KindConflict, "a terminal has one stream; stream: stderr needs transport: pipe")
	}
}

func (r agentRules) checkAgentTest(a *Adapter, i int) {
	t, at := a.Tests[i], indexed("/tests", i)
	for _, key := range []string{"eval", "setup", "setup_sequence"} {
		if r.has(at + "/" + key) {
			r.errorPointer(at+"/"+key, KindConflict, "%s applies to programs with a prompt; a test of family agent has transcript, turn or ways", key)
		}
	}
	switch {
	case r.has(at+"/transcript") && r.has(at+"/turn"):
		r.errorPointer(at+"/turn", KindConflict, "a test has either a transcript or a turn")
	case t.Transports != nil:
		r.checkTestedTransports(a.Agent, t.Transports, at)
	case r.has(at + "/transcript"):
		r.needs(at, "a transcript", at+"/expect_events", at+"/expect_failure")
	case r.has(at + "/turn"):
		r.needs(at, "a turn", at+"/expect_argv", at+"/expect_usage")
	case t.Name != "":
		r.needs(at, fmt.Sprintf("test %q", t.Name), at+"/transcript", at+"/turn", at+"/ways")
	}
	for j, e := range t.ExpectEvents {
		name, _ := e["type"].(string)
		if !slices.Contains(EventTypes(), name) {
			what := "an event needs a type"
			if name != "" {
				what = fmt.Sprintf("there is no event of type %s%s", quoted(name), Suggest(name, EventTypes()))
			}
			r.errorPointer(indexed(at+"/expect_events", j), KindEnum, "%s; one of %s", what, strings.Join(EventTypes(), ", "))
		}
	}
}

// checkTestedTransports reports keys that do not go with ways, files outside the home directory,
// and differences of transports that the agent does not have.
func (r agentRules) checkTestedTransports(g *Agent, w *AgentTransports, at string) {
	for _, key := range []string{"transcript", "turn", "expect_events", "expect_failure", "expect_argv", "expect_stdin", "expect_usage"} {
		if r.has(at + "/" + key) {
			r.errorPointer(at+"/"+key, KindConflict, "%s cannot be combined with ways: ripple itself defines the turns and their expected results", key)
		}
	}
	for _, path := range slices.Sorted(maps.Keys(w.Home)) {
		if !filepath.IsLocal(path) {
			r.errorPointer(at+"/ways/home/"+escape(path), KindConflict, "%s is not a path within the home directory", quoted(path))
		}
	}
	transports := g.Transports()
	for i, d := range w.Differs {
		if p := indexed(at+"/ways/differs", i) + "/way"; !slices.Contains(transports, d.Transport) {
			r.errorPointer(p, KindConflict, "the agent has no transport %s; it has %s", d.Transport, strings.Join(transports, ", "))
		} else if d.Transport == transports[0] {
			r.errorPointer(p, KindConflict, "%s is the agent's first transport, with which the others are compared", d.Transport)
		}
	}
}
