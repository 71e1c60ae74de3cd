package schema

// AgentScreen describes how an agent's own full-screen interface is driven.
type AgentScreen struct {
	Args       []string          `yaml:"args"` // instead of agent.args
	Env        map[string]string `yaml:"env"`
	Options    []string          `yaml:"options"`    // keys of agent.options that also apply here
	Permission AgentPermission   `yaml:"permission"` // during a turn
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

// States of an agent on its own screen.
const (
	ScreenReady   = "ready"   // it accepts a prompt
	ScreenWorking = "working" // it is working
	ScreenAsks    = "asks"    // it asks for permission
	ScreenMenu    = "menu"    // it shows a menu, which must be answered or left
	ScreenTrust   = "trust"   // it asks whether a directory is trusted
	ScreenLogin   = "login"   // it asks for a login
	ScreenError   = "error"   // it reports a failure
	ScreenEnded   = "ended"   // it is about to end
)

// ScreenState is a rule that recognizes a state by the screen's content.
type ScreenState struct {
	State    string              `yaml:"state"`
	Rows     []int               `yaml:"rows"`     // first and last; negative: from the last row that is not blank
	Pattern  string              `yaml:"pattern"`  // must match these rows
	Without  string              `yaml:"without"`  // must not match them
	Title    string              `yaml:"title"`    // pattern of the window's title
	Progress *bool               `yaml:"progress"` // OSC 9;4
	QuietMS  int                 `yaml:"quiet_ms"` // 0: agent.screen.quiet_ms, or until the program waits
	Priority int                 `yaml:"priority"`
	Question string              `yaml:"question"` // pattern of the question's text
	Answers  map[string][]string `yaml:"answers"`  // keys to type for each answer
}

// ScreenPrompt describes how a prompt is entered.
type ScreenPrompt struct {
	Paste   bool     `yaml:"paste"`   // bracketed paste instead of typing; default true
	Entered string   `yaml:"entered"` // pattern of the text that the screen shows instead of a long prompt
	PauseMS int      `yaml:"pause_ms"`
	Submit  []string `yaml:"submit"`
}

// ScreenText describes where on the screen the conversation is.
type ScreenText struct {
	Below  string   `yaml:"below"`  // pattern of the text below it
	Prompt string   `yaml:"prompt"` // pattern of the row that repeats a prompt
	Mark   string   `yaml:"mark"`   // pattern of the text before a part of an answer
	Drop   []string `yaml:"drop"`   // patterns of rows that are not part of an answer
}
