package adaptercmd

import (
	"fmt"
	"strings"

	"example.org/ripple/cmd/ripple/internal/ui"
	"example.org/ripple/schema"
)

// agent describes a coding agent.
func (s description) agent(ad *schema.Adapter) {
	g := ad.Agent
	s.Title("Agent")
	s.Row("display name", g.DisplayName)
	s.Row("min version", g.MinVersion)
	s.Row("auto-detection", detection(g.AutoDetect.Priority))
	s.Row("login variables", strings.Join(g.Auth.Env, ", "))
	if g.Auth.Status != nil {
		s.Row("login status", ui.QuoteAll(g.Auth.Status.Args))
	}
	s.Row("to log in", g.Auth.Hint)
	s.Row("transports", strings.Join(g.Transports(), ", "))
	s.Row("files in home", strings.Join(g.State, ", "))
	s.Row("connects to", strings.Join(g.Hosts, ", "))
	if g.Output.Format != "" {
		s.stdio(g)
	}
	if g.ACP != nil {
		s.acp(g.ACP)
	}

	s.Title("Tools and failures")
	s.Row("tools", strings.Join(g.Tools.Valid, ", "))
	for _, name := range ui.SortedKeys(g.Tools.Canonical) {
		s.Row("  "+name, g.Tools.Canonical[name])
	}
	for _, code := range ui.SortedKeys(g.ExitCodes) {
		s.Row("exit code "+code, g.ExitCodes[code])
	}
	for _, f := range g.Failures {
		s.Row(f.Kind, f.Pattern)
	}
	s.Row("refusal", g.DenialPattern)
	s.Row("advice on refusal", g.DenialHelp)
}

// stdio describes a turn over the standard streams.
func (s description) stdio(g *schema.Agent) {
	s.Title("Turn")
	s.Row("terminal needed", ui.YesNo(g.Transport == schema.TransportPTY))
	s.Row("arguments", ui.QuoteAll(g.Args))
	s.Row("prompt", promptSummary(g.Prompt))
	s.Row("structured output", structured(g.Output))
	s.Row("live output", ui.YesNo(g.Output.Format == schema.FormatNDJSON))
	s.Row("auto-approve", autoApprove(g.Options.PermissionMode))
	s.Row("sessions", sessions(g.Options))
	options := g.Options.ByName()
	for _, name := range []string{"model", "context", "allowed_tools", "permission_mode", "max_turns", "directory"} {
		s.Row(strings.ReplaceAll(name, "_", " "), optionSummary(options[name]))
	}
	for _, name := range ui.SortedKeys(g.Env) {
		s.Row("environment", name+"="+g.Env[name])
	}
	s.Row("not inherited", strings.Join(g.UnsetEnv, ", "))
	s.Row("grace period", fmt.Sprintf("%d ms after its result", g.LingerMS))
}

// acp describes a turn over the protocol.
func (s description) acp(g *schema.AgentACP) {
	s.Title("Turn over the Agent Client Protocol")
	s.Row("program", g.Executable)
	s.Row("arguments", ui.QuoteAll(g.Args))
	s.Row("options by arguments", strings.Join(g.Options, ", "))
	s.Row("options by protocol", "sessions, model, permission mode, where its session offers them")
	s.Row("allowed", strings.Join(g.Permission.Allow, ", "))
	s.Row("refused", strings.Join(g.Permission.Deny, ", "))
	s.Row("other requests", g.Permission.Else)
	s.Row("login with", g.Auth)
	s.Row("client operations", strings.Join(doneFor(g.Client), ", "))
}

// doneFor lists the operations that an agent may delegate to its client.
func doneFor(c schema.AgentClient) (list []string) {
	if c.FS {
		list = append(list, "reading and writing files")
	}
	if c.Terminal {
		list = append(list, "running commands")
	}
	return list
}

func detection(priority int) string {
	if priority == 0 {
		return "never selected automatically"
	}
	return fmt.Sprintf("position %d", priority)
}

func promptSummary(p schema.AgentPrompt) string {
	text := string(p.Deliver)
	if p.Flag != "" {
		text += " after " + p.Flag
	}
	if p.Deliver == schema.PromptArgument {
		text += fmt.Sprintf(", at most %d bytes", p.MaxArgumentBytes)
		if p.Overflow != "" {
			text += ", longer ones by " + string(p.Overflow)
		}
	}
	return text
}

func structured(o schema.AgentOutput) string {
	if o.Format == schema.FormatText {
		return "no (plain text)"
	}
	return o.Format + " on " + o.Stream
}

func autoApprove(o *schema.AgentOption) string {
	if o == nil || o.Default == "" {
		return "no flag"
	}
	if args, known := o.Values[o.Default]; known {
		return ui.QuoteAll(args)
	}
	return ui.QuoteAll(append(append([]string{}, o.Args...), o.Default))
}

func sessions(o schema.AgentOptions) string {
	switch {
	case o.Resume == nil:
		return "no"
	case o.NewSession == nil:
		return "yes, the agent chooses the ID"
	}
	return "yes, the caller can choose the ID"
}

func optionSummary(o *schema.AgentOption) string {
	switch {
	case o == nil:
		return "no"
	case o.Prepend:
		return "before the prompt"
	case len(o.Values) > 0:
		return strings.Join(ui.SortedKeys(o.Values), ", ")
	}
	return ui.QuoteAll(o.Args)
}
