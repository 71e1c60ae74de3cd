package record

// Settings are how a run was started: what --resume uses. Like all of the
// record they may be anybody's, and are checked by who reads them.
type Settings struct {
	Agent      string             `json:"agent"`                 // the name of the adapter that was chosen
	Command    string             `json:"command,omitempty"`     // of an agent that ripple.yml describes, to compare
	Model      string             `json:"model,omitempty"`       // "": the agent's own choice
	Transport  string             `json:"transport,omitempty"`   // "": the adapter's own choice
	Prompt     string             `json:"prompt,omitempty"`      // the task itself
	PromptFile string             `json:"prompt_file,omitempty"` // where it is, from the project where it is relative; "" with no prompt either: .ralph/PROMPT.md
	Hats       string             `json:"hats,omitempty"`        // digest of the roles, to compare
	Values     map[string]Setting `json:"values,omitempty"`      // that are not defaults
}

// Setting is a value with its name in the source that it came from, and that source.
type Setting struct {
	Name  string `json:"name"`
	Value string `json:"value"`
	From  string `json:"from"`
}
