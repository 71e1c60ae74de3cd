package schema

// AgentScreen says how an agent's own full-screen interface is driven.
type AgentScreen struct {
	Args       []string          `yaml:"args"` // instead of the agent's
	Env        map[string]string `yaml:"env"`
	Options    []string          `yaml:"options"`    // of agent.options, that count here too
	Permission AgentPermission   `yaml:"permission"` // in a turn
	StartMS    int               `yaml:"start_ms"`   // default 120000
	QuietMS    int               `yaml:"quiet_ms"`   // default 400
	Bar        string            `yaml:"bar"`        // pattern of a scroll bar in the last column
	States     []ScreenState     `yaml:"states"`
	Prompt     ScreenPrompt      `yaml:"prompt"`
	Interrupt  []string          `yaml:"interrupt"`
	Leave      []string          `yaml:"leave"`
	Text       ScreenText        `yaml:"text"`
	Session    string            `yaml:"session"` // pattern with the group id
}

// The states of an agent on its screen.
const (
	ScreenReady   = "ready"   // it takes a prompt
	ScreenWorking = "working" // it works
	ScreenAsks    = "asks"    // it asks whether it may do something
	ScreenMenu    = "menu"    // something else is to be answered, or left
	ScreenTrust   = "trust"   // it asks whether a directory is trusted
	ScreenLogin   = "login"   // it asks for a login
	ScreenError   = "error"   // it says that it failed
	ScreenEnded   = "ended"   // it is about to end
)

// ScreenState is a rule: what is to be seen in a state.
type ScreenState struct {
	State    string              `yaml:"state"`
	Rows     []int               `yaml:"rows"`     // first and last; negative: from the last row that is not blank
	Pattern  string              `yaml:"pattern"`  // must match these rows
	Without  string              `yaml:"without"`  // must not match them
	Title    string              `yaml:"title"`    // pattern of the window's title
	Progress *bool               `yaml:"progress"` // OSC 9;4
	QuietMS  int                 `yaml:"quiet_ms"` // 0: the screen's, or when the program waits
	Priority int                 `yaml:"priority"`
	Question string              `yaml:"question"` // pattern of what is asked
	Answers  map[string][]string `yaml:"answers"`  // keys for each
}

// ScreenPrompt says how a prompt is entered.
type ScreenPrompt struct {
	Paste   bool     `yaml:"paste"`   // default true
	Entered string   `yaml:"entered"` // pattern of what stands for a long one
	PauseMS int      `yaml:"pause_ms"`
	Submit  []string `yaml:"submit"`
}

// ScreenText says where the conversation is.
type ScreenText struct {
	Below  string   `yaml:"below"`  // pattern of what stands under it
	Prompt string   `yaml:"prompt"` // pattern of the row that repeats a prompt
	Mark   string   `yaml:"mark"`   // pattern of what stands before a part of an answer
	Drop   []string `yaml:"drop"`   // patterns of rows that are not part of an answer
}
