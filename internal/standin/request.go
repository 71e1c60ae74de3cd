package standin

import (
	"crypto/rand"
	"encoding/json"
	"slices"
	"strings"

	"example.org/ripple/internal/lazyregexp"
)

// Message is one message of a conversation, whatever the dialect.
type Message struct {
	Role    string   `json:"role"` // "user", "assistant", or another role of the client
	Text    string   `json:"text,omitempty"`
	Results []string `json:"results,omitempty"` // results of tools
}

// request is a client's request.
type request struct {
	model    string
	stream   bool
	messages []Message
	tools    []tool
	schema   map[string]any // the JSON Schema of the answer; nil for prose
}

// tool is a tool that a request offers.
type tool struct {
	Name   string
	Schema map[string]any // of its arguments
	space  string         // the client's group of tools that has it, in a dialect with such groups
	search bool           // it is the client's search for tools that are not offered
}

// reply is a text or a tool call.
type reply struct {
	text string
	call *call
}

type call struct {
	id        string
	tool      tool
	arguments map[string]any
}

// The reported cost of every answer, in tokens.
const (
	inputTokens  = 100
	outputTokens = 20
)

func (a reply) kind() string {
	if a.call != nil {
		return "call"
	}
	return "text"
}

// json returns the call's arguments as a JSON document.
func (c call) json() string { return document(c.arguments) }

// document returns a value as JSON on one line; a string is returned unchanged.
func document(v any) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(v) // the values consist of maps, lists, strings and numbers
	return strings.TrimSuffix(b.String(), "\n")
}

// shellNames lists the names of tools that run a command line, in different clients.
var shellNames = lazyregexp.New(`(?i)^(bash|shell|exec_command|run_shell_command|execute_command|run_terminal_cmd|terminal)$`)

// commandNames lists the names of the argument that has the command line.
var commandNames = lazyregexp.New(`^(command|cmd|script)$`)

// shell returns the shell tool; its name is empty if none is offered.
func (q request) shell() tool {
	for _, t := range q.tools {
		if shellNames().MatchString(t.Name) {
			return t
		}
	}
	return tool{}
}

// tool returns the tool of this name, offered or not. A side request has none.
func (q request) tool(name string) tool {
	if len(q.tools) == 0 {
		return tool{}
	}
	if i := slices.IndexFunc(q.tools, func(t tool) bool { return t.Name == name }); i >= 0 {
		return q.tools[i]
	}
	return tool{Name: name}
}

// served returns the tool that a server announced under this name, with the client's name for it.
func (q request) served(name string) (tool, bool) {
	for _, t := range q.tools {
		if strings.HasSuffix(t.Name, name) {
			return t, true
		}
	}
	return tool{}, false
}

func (q request) toolNames() []string {
	var names []string
	for _, t := range q.tools {
		names = append(names, t.Name)
	}
	return names
}

// turns returns the number of the user's turns (consecutive messages are one turn), and the
// results of tools since the last turn.
func (q request) turns() (turns int, results []string) {
	before := ""
	for _, m := range q.messages {
		role := m.Role
		switch {
		case len(m.Results) > 0:
			role = "tool"
		case role == "user":
			if before != role {
				turns++
			}
			results = nil
		case role != "assistant":
			continue // text that the client added
		}
		results = append(results, m.Results...)
		before = role
	}
	return turns, results
}

// arguments returns the arguments of a call that runs a command line: the schema of the tool
// determines which argument has it, and other required arguments get a value.
func (t tool) arguments(command string) map[string]any {
	properties, _ := t.Schema["properties"].(map[string]any)
	key := "command"
	for name := range properties {
		if commandNames().MatchString(name) {
			key = name
		}
	}
	args := map[string]any{}
	required, _ := t.Schema["required"].([]any)
	for _, name := range required {
		if name, ok := name.(string); ok {
			property, _ := properties[name].(map[string]any)
			args[name] = instance(property)
		}
	}
	args[key] = command
	return args
}

// smallest returns the smallest document that a JSON Schema accepts.
func smallest(schema map[string]any) string { return document(instance(schema)) }

func instance(schema map[string]any) any {
	if values, ok := schema["enum"].([]any); ok && len(values) > 0 {
		return values[0]
	}
	kind, _ := schema["type"].(string)
	switch strings.ToLower(kind) { // one dialect writes types in capitals
	case "object":
		object := map[string]any{}
		properties, _ := schema["properties"].(map[string]any)
		for name, property := range properties {
			p, _ := property.(map[string]any)
			object[name] = instance(p)
		}
		return object
	case "array":
		return []any{}
	case "integer", "number":
		if low, ok := schema["minimum"].(float64); ok {
			return low
		}
		return 1
	case "boolean":
		return false
	}
	return "standin"
}

// newID returns a new identifier.
func newID(kind string) string { return kind + "_" + strings.ToLower(rand.Text()) }
