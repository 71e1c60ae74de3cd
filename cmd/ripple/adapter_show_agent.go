package main

import (
	"fmt"
	"strings"

	"ripple/schema"
)

// agent shows what a user of a coding agent wants to know.
func (s sheet) agent(ad *schema.Adapter) {
	g := ad.Agent
	s.title("Agent")
	s.row("display name", g.DisplayName)
	s.row("min version", g.MinVersion)
	s.row("auto-detection", detection(g.AutoDetect.Priority))
	s.row("login by", strings.Join(g.Auth.Env, ", "))
	if g.Auth.Status != nil {
		s.row("login status", quoteAll(g.Auth.Status.Args))
	}
	s.row("to log in", g.Auth.Hint)

	s.title("Turn")
	s.row("terminal needed", yesNo(g.Transport == schema.TransportPTY))
	s.row("arguments", quoteAll(g.Args))
	s.row("prompt", promptSummary(g.Prompt))
	s.row("structured output", structured(g.Output))
	s.row("live output", yesNo(g.Output.Format == schema.FormatNDJSON))
	s.row("auto-approve", autoApprove(g.Options.PermissionMode))
	s.row("sessions", sessions(g.Options))
	options := g.Options.ByName()
	for _, name := range []string{"model", "context", "allowed_tools", "permission_mode", "max_turns", "directory"} {
		s.row(strings.ReplaceAll(name, "_", " "), optionSummary(options[name]))
	}
	for _, name := range sortedKeys(g.Env) {
		s.row("environment", name+"="+g.Env[name])
	}
	s.row("may linger", fmt.Sprintf("%d ms after its result", g.LingerMS))

	s.title("Tools and failures")
	s.row("tools", strings.Join(g.Tools.Valid, ", "))
	for _, name := range sortedKeys(g.Tools.Canonical) {
		s.row("  "+name, g.Tools.Canonical[name])
	}
	for _, code := range sortedKeys(g.ExitCodes) {
		s.row("exit code "+code, g.ExitCodes[code])
	}
	for _, f := range g.Failures {
		s.row(f.Kind, f.Pattern)
	}
	s.row("refusal", g.DenialPattern)
	s.row("when refused", g.DenialHelp)
}

func detection(priority int) string {
	if priority == 0 {
		return "never chosen unasked"
	}
	return fmt.Sprintf("place %d", priority)
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
		return quoteAll(args)
	}
	return quoteAll(append(append([]string{}, o.Args...), o.Default))
}

func sessions(o schema.AgentOptions) string {
	switch {
	case o.Resume == nil:
		return "no"
	case o.NewSession == nil:
		return "yes, the agent gives the id"
	}
	return "yes, the id can be chosen"
}

func optionSummary(o *schema.AgentOption) string {
	switch {
	case o == nil:
		return "no"
	case o.Prepend:
		return "before the prompt"
	case len(o.Values) > 0:
		return strings.Join(sortedKeys(o.Values), ", ")
	}
	return quoteAll(o.Args)
}
