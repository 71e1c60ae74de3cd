package standin

import (
	"fmt"
	"strings"
)

// speaker is a client of one dialect: how a conversation is asked and how an
// answer is read.
type speaker struct {
	path, whole string          // of a call that streams, and of one that does not
	body        string          // with places for streaming, the messages and the tools
	messages    map[rune]string // u(ser), a(ssistant), c(all), r(esult)
	tool        string          // with places for its name and its schema
	read        func(v any) said
	readWhole   func(v any) said
	last        string // how the last event begins
	message     []any  // where an error document has its message
}

// said is what one event, or a document, says.
type said struct{ text, name, args string }

func (s said) plus(o said) said { return said{s.text + o.text, s.name + o.name, s.args + o.args} }

// ask is a request: conversation has a letter for each message.
func (s speaker) ask(stream bool, conversation string, tools ...string) string {
	var messages []string
	for _, letter := range conversation {
		messages = append(messages, s.messages[letter])
	}
	var offers []string
	for _, name := range tools {
		offers = append(offers, fmt.Sprintf(s.tool, name, `{"type":"object","properties":{"command":{"type":"string"},"wait":{"type":"integer"}},"required":["command","wait"]}`))
	}
	return strings.NewReplacer("STREAM", fmt.Sprint(stream), "MESSAGES", strings.Join(messages, ","), "TOOLS", strings.Join(offers, ",")).Replace(s.body)
}

// dig follows keys and indices into decoded JSON; nil when there is nothing.
func dig(v any, steps ...any) any {
	for _, step := range steps {
		switch step := step.(type) {
		case string:
			m, _ := v.(map[string]any)
			v = m[step]
		case int:
			l, _ := v.([]any)
			if step >= len(l) {
				return nil
			}
			v = l[step]
		}
	}
	return v
}

func str(v any, steps ...any) string { s, _ := dig(v, steps...).(string); return s }

// arguments are the arguments of a call that come as an object.
func arguments(v any) string {
	m, _ := v.(map[string]any)
	if len(m) == 0 {
		return ""
	}
	return call{arguments: m}.json()
}

var speakers = map[string]speaker{
	"messages": {
		path: "/v1/messages?beta=true", whole: "/v1/messages",
		body: `{"model":"m","stream":STREAM,"system":"be kind","messages":[MESSAGES],"tools":[TOOLS]}`,
		messages: map[rune]string{
			'u': `{"role":"user","content":[{"type":"text","text":"hi"}]}`,
			'a': `{"role":"assistant","content":"hello"}`,
			'c': `{"role":"assistant","content":[{"type":"tool_use","id":"1","name":"Bash","input":{}}]}`,
			'r': `{"role":"user","content":[{"type":"tool_result","tool_use_id":"1","content":[{"type":"text","text":"it ran"}]}]}`,
		},
		tool: `{"name":"%s","input_schema":%s}`,
		read: func(v any) said {
			return said{str(v, "delta", "text"), str(v, "content_block", "name"), str(v, "delta", "partial_json")}
		},
		readWhole: func(v any) said {
			block := dig(v, "content", 0)
			return said{str(block, "text"), str(block, "name"), arguments(dig(block, "input"))}
		},
		last: `{"type":"message_stop"`, message: []any{"error", "message"},
	},
	"responses": {
		path: "/v1/responses", whole: "/responses",
		body: `{"model":"m","stream":STREAM,"instructions":"be kind","input":[MESSAGES],"tools":[TOOLS]}`,
		messages: map[rune]string{
			'u': `{"type":"message","role":"user","content":[{"type":"input_text","text":"hi"}]}`,
			'a': `{"type":"message","role":"assistant","content":[{"type":"output_text","text":"hello"}]}`,
			'c': `{"type":"function_call","call_id":"1","name":"exec_command","arguments":"{}"}`,
			'r': `{"type":"function_call_output","call_id":"1","output":"it ran"}`,
		},
		tool: `{"type":"function","name":"%s","parameters":%s}`,
		read: func(v any) said {
			switch str(v, "type") {
			case "response.output_text.delta":
				return said{text: str(v, "delta")}
			case "response.function_call_arguments.delta":
				return said{args: str(v, "delta")}
			case "response.output_item.done":
				return said{name: str(v, "item", "name")}
			}
			return said{}
		},
		readWhole: func(v any) said {
			item := dig(v, "output", 0)
			return said{str(item, "content", 0, "text"), str(item, "name"), str(item, "arguments")}
		},
		last: `{"response":{`, message: []any{"error", "message"},
	},
	"chat": {
		path: "/v1/chat/completions", whole: "/chat/completions",
		body: `{"model":"m","stream":STREAM,"messages":[{"role":"system","content":"be kind"},MESSAGES],"tools":[TOOLS]}`,
		messages: map[rune]string{
			'u': `{"role":"user","content":"hi"}`,
			'a': `{"role":"assistant","content":[{"type":"text","text":"hello"}]}`,
			'c': `{"role":"assistant","content":null,"tool_calls":[{"id":"1","function":{"name":"bash","arguments":"{}"}}]}`,
			'r': `{"role":"tool","tool_call_id":"1","content":"it ran"}`,
		},
		tool: `{"type":"function","function":{"name":"%s","parameters":%s}}`,
		read: func(v any) said {
			delta := dig(v, "choices", 0, "delta")
			f := dig(delta, "tool_calls", 0, "function")
			return said{str(delta, "content"), str(f, "name"), str(f, "arguments")}
		},
		readWhole: func(v any) said {
			message := dig(v, "choices", 0, "message")
			f := dig(message, "tool_calls", 0, "function")
			return said{str(message, "content"), str(f, "name"), str(f, "arguments")}
		},
		last: `[DONE]`, message: []any{"error", "message"},
	},
	"contents": {
		path: "/v1beta/models/m:streamGenerateContent?alt=sse", whole: "/v1beta/models/m:generateContent",
		body: `{"contents":[MESSAGES],"tools":[{"functionDeclarations":[TOOLS]}]}`,
		messages: map[rune]string{
			'u': `{"role":"user","parts":[{"text":"hi"}]}`,
			'a': `{"role":"model","parts":[{"thought":true,"text":"hm"},{"text":"hello"}]}`,
			'c': `{"role":"model","parts":[{"functionCall":{"name":"run_shell_command","args":{}}}]}`,
			'r': `{"role":"user","parts":[{"functionResponse":{"name":"run_shell_command","response":{"output":"it ran"}}}]}`,
		},
		tool:      `{"name":"%s","parametersJsonSchema":%s}`,
		read:      readCandidate,
		readWhole: readCandidate,
		last:      `{"candidates":[{"content":{"parts":[`, message: []any{"error", "message"},
	},
}

func readCandidate(v any) said {
	part := dig(v, "candidates", 0, "content", "parts", 0)
	return said{str(part, "text"), str(part, "functionCall", "name"), arguments(dig(part, "functionCall", "args"))}
}
