package record

// Settings describe how a run was started, so that it can be resumed. Like the rest of the record
// they are not trusted: readers check them.
type Settings struct {
	Agent      string             `json:"agent"`                 // name of the chosen adapter
	Command    string             `json:"command,omitempty"`     // command of an agent that ripple.yml describes, to detect a change
	Model      string             `json:"model,omitempty"`       // "": the agent's own choice
	Transport  string             `json:"transport,omitempty"`   // "": the adapter's own choice
	Prompt     string             `json:"prompt,omitempty"`      // the task itself
	PromptFile string             `json:"prompt_file,omitempty"` // file of the task; a relative path starts at the project; "" without Prompt: .ralph/PROMPT.md
	Hats       string             `json:"hats,omitempty"`        // digest of the hats, to detect a change
	Values     map[string]Setting `json:"values,omitempty"`      // settings that do not have their defaults, by name
	ByAgent    bool               `json:"by_agent,omitempty"`    // a loop or an agent started or continued it, not the user

	// AdapterFiles has the digests of the adapters that were named by their paths, by path.
	AdapterFiles map[string]string `json:"adapter_files,omitempty"`
}

// Setting is a value, its name in the source that it came from, and that source.
type Setting struct {
	Name  string `json:"name"`
	Value string `json:"value"`
	From  string `json:"from"`
}
