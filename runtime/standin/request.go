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
	Role    string   `json:"role"` // "user", "assistant", or as the client said
	Text    string   `json:"text,omitempty"`
	Results []string `json:"results,omitempty"` // what tools said
}

// request is what a client asked.
type request struct {
	model    string
	stream   bool
	messages []Message
	tools    []tool
	schema   map[string]any // the JSON Schema of the answer; nil for prose
}

// tool is one that a request offers.
type tool struct {
	Name   string
	Schema map[string]any // of its arguments
	space  string         // what the client put it into, by the dialect that has such
	search bool           // the client's own, which finds tools that are not offered
}

// reply is text or a call of a tool.
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

// json is the call's arguments as a document.
func (c call) json() string { return document(c.arguments) }

// document is a value as JSON, on one line; text stays as it is.
func document(v any) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(v) // all of them are made of maps, lists, strings and numbers
	return strings.TrimSuffix(b.String(), "\n")
}

// shellNames are the names that clients give to the tool that runs a command line.
var shellNames = lazyregexp.New(`(?i)^(bash|shell|exec_command|run_shell_command|execute_command|run_terminal_cmd|terminal)$`)

// commandNames are the names of its argument that is the command line.
var commandNames = lazyregexp.New(`^(command|cmd|script)$`)

// shell is the shell tool; one without a name when none is offered.
func (q request) shell() tool {
	for _, t := range q.tools {
		if shellNames().MatchString(t.Name) {
			return t
		}
	}
	return tool{}
}

// tool is the one of this name, offered or not. A side request has none.
func (q request) tool(name string) tool {
	if len(q.tools) == 0 {
		return tool{}
	}
	if i := slices.IndexFunc(q.tools, func(t tool) bool { return t.Name == name }); i >= 0 {
		return q.tools[i]
	}
	return tool{Name: name}
}

// served is the tool that some server calls so, under the name that the client gave it.
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

// turns counts the user's turns (messages that follow each other are one), and
// gives what tools said since the last of them.
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
			continue // the client's own words
		}
		results = append(results, m.Results...)
		before = role
	}
	return turns, results
}

// arguments is a call's arguments that run a command line: it goes where the
// tool's schema has a place for it, and what else is required gets a value.
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

// smallest is the smallest document that a JSON Schema takes.
func smallest(schema map[string]any) string { return document(instance(schema)) }

func instance(schema map[string]any) any {
	if values, ok := schema["enum"].([]any); ok && len(values) > 0 {
		return values[0]
	}
	kind, _ := schema["type"].(string)
	switch strings.ToLower(kind) { // one dialect writes them in capitals
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

// newID is a fresh identifier.
func newID(kind string) string { return kind + "_" + strings.ToLower(rand.Text()) }
