package loopcmd

import (
	_ "embed"

	"example.org/ripple/runtime/loop/config"
	"example.org/ripple/runtime/registry"
	"example.org/ripple/schema"
)

const customName = "custom" // the backend that ripple.yml itself defines

//go:embed custom.jq
var customEvents string

// customAgent returns the adapter of an agent that is defined only in ripple.yml: its input is a
// prompt; its output is text, or JSON with a session that can be continued.
func customAgent(c *config.Config) *registry.Entry {
	a := &schema.Adapter{
		Schema: 1, Name: customName, Version: "0.0.0", Description: "the agent of ripple.yml", Family: schema.FamilyAgent, Verified: true,
		Source: "ripple.yml",
		Process: schema.Process{
			Executable: c.Command, CommandTemplate: `"{shell_path}"`, InheritEnvironment: true,
			TTY: schema.TTY{Cols: 200, Rows: 50, Term: "xterm-256color"},
		},
		Agent: &schema.Agent{
			DisplayName: c.Command, Transport: schema.TransportPipe, Args: c.Args, LingerMS: 5000,
			Prompt: schema.AgentPrompt{Deliver: schema.PromptArgument, Flag: c.PromptFlag, MaxArgumentBytes: 100_000, Overflow: schema.PromptStdin},
			Output: schema.AgentOutput{Format: schema.FormatText, Stream: "stdout", Finish: "optional"},
		},
	}
	if c.PromptMode == "stdin" {
		a.Agent.Prompt.Deliver = schema.PromptStdin
	}
	if c.TTY {
		a.Agent.Transport, a.Agent.Prompt.Overflow = schema.TransportPTY, ""
	}
	if c.JSON {
		a.Agent.Output.Format, a.Agent.Output.Events = schema.FormatNDJSON, customEvents
	}
	if c.ResumeArgs != nil {
		a.Agent.Options.Resume = &schema.AgentOption{Args: c.ResumeArgs}
	}
	return &registry.Entry{Adapter: a, Name: a.Name, Path: a.Source, Origin: registry.OriginProject}
}
