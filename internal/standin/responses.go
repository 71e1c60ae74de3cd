package standin

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"
)

// responses is the dialect of POST /v1/responses, as documented at
// https://platform.openai.com/docs/api-reference/responses and …/responses-streaming.
type responses struct{}

func (responses) name() string { return "responses" }

func (responses) parse(_ string, body []byte) (request, error) {
	var in struct {
		Model  string
		Stream bool
		Input  json.RawMessage
		Tools  []responsesTool
		Text   struct {
			Format struct{ Schema map[string]any }
		}
	}
	if err := json.Unmarshal(body, &in); err != nil {
		return request{}, fmt.Errorf("body: %w", err)
	}
	q := request{model: in.Model, stream: in.Stream, schema: in.Text.Format.Schema}
	q.tools = toolsOf(in.Tools)
	var text string
	if json.Unmarshal(in.Input, &text) == nil {
		q.messages = []Message{{Role: "user", Text: text}}
		return q, nil
	}
	var items []struct {
		Type, Role string
		Content    content
		Output     content
		Tools      []responsesTool
	}
	if err := json.Unmarshal(in.Input, &items); err != nil {
		return request{}, fmt.Errorf("input: %w", err)
	}
	for _, item := range items {
		switch {
		case item.Type == "function_call_output":
			q.messages = append(q.messages, Message{Role: "tool", Results: []string{string(item.Output)}})
		case item.Type == "tool_search_output":
			q.tools = append(q.tools, toolsOf(item.Tools)...)
			q.messages = append(q.messages, Message{Role: "tool", Results: []string{strings.Join(q.toolNames(), " ")}})
		case item.Type == "function_call", item.Type == "tool_search_call":
			q.messages = append(q.messages, Message{Role: "assistant"})
		case item.Role != "":
			q.messages = append(q.messages, Message{Role: item.Role, Text: string(item.Content)})
		}
	}
	return q, nil
}

// responsesTool is a function, a namespace of functions, or the search for more functions.
type responsesTool struct {
	Type, Name string
	Parameters map[string]any
	Tools      []responsesTool
}

func toolsOf(list []responsesTool) (tools []tool) {
	for _, t := range list {
		switch t.Type {
		case "function":
			tools = append(tools, tool{Name: t.Name, Schema: t.Parameters})
		case "tool_search":
			tools = append(tools, tool{Name: t.Type, Schema: t.Parameters, search: true})
		case "namespace":
			for _, inner := range toolsOf(t.Tools) {
				inner.space = t.Name
				tools = append(tools, inner)
			}
		}
	}
	return tools
}

// numbered sends events that contain their type and a sequence number.
type numbered struct {
	out *stream
	n   int
}

func (s *numbered) send(kind string, fields map[string]any) { s.out.send(kind, s.event(kind, fields)) }

func (s *numbered) event(kind string, fields map[string]any) map[string]any {
	fields["type"], fields["sequence_number"] = kind, s.n
	s.n++
	return fields
}

func (d responses) stream(out *stream, q request, a reply) {
	s := &numbered{out: out}
	answer := d.response(q, a)
	item := answer["output"].([]any)[0].(map[string]any)
	started := map[string]any{}
	for key, value := range answer {
		started[key] = value
	}
	started["status"], started["output"], started["usage"] = "in_progress", []any{}, nil
	s.send("response.created", map[string]any{"response": started})
	if a.call != nil {
		d.streamCall(s, item, a)
	} else {
		d.streamText(s, item, a)
	}
	s.send("response.output_item.done", map[string]any{"output_index": 0, "item": item})
	s.send("response.completed", map[string]any{"response": answer})
}

func (responses) streamText(s *numbered, item map[string]any, a reply) {
	id := item["id"]
	s.send("response.output_item.added", map[string]any{"output_index": 0, "item": map[string]any{
		"type": "message", "id": id, "role": "assistant", "status": "in_progress", "content": []any{},
	}})
	part := func(text string) map[string]any {
		return map[string]any{"type": "output_text", "text": text, "annotations": []any{}}
	}
	s.send("response.content_part.added", map[string]any{"item_id": id, "output_index": 0, "content_index": 0, "part": part("")})
	for _, p := range pieces(a.text) {
		const kind = "response.output_text.delta"
		s.out.delta(kind, s.event(kind, map[string]any{"item_id": id, "output_index": 0, "content_index": 0, "delta": p}))
	}
	s.send("response.output_text.done", map[string]any{"item_id": id, "output_index": 0, "content_index": 0, "text": a.text})
	s.send("response.content_part.done", map[string]any{"item_id": id, "output_index": 0, "content_index": 0, "part": part(a.text)})
}

func (responses) streamCall(s *numbered, item map[string]any, a reply) {
	id := item["id"]
	if a.call.tool.search {
		s.send("response.output_item.added", map[string]any{"output_index": 0, "item": item})
		return
	}
	s.send("response.output_item.added", map[string]any{"output_index": 0, "item": map[string]any{
		"type": "function_call", "id": id, "call_id": a.call.id, "name": a.call.tool.Name, "arguments": "", "status": "in_progress",
	}})
	for _, p := range pieces(a.call.json()) {
		const kind = "response.function_call_arguments.delta"
		s.out.delta(kind, s.event(kind, map[string]any{"item_id": id, "output_index": 0, "delta": p}))
	}
	s.send("response.function_call_arguments.done", map[string]any{"item_id": id, "output_index": 0, "arguments": a.call.json()})
}

func (d responses) whole(q request, a reply) any { return d.response(q, a) }

func (responses) response(q request, a reply) map[string]any {
	item := map[string]any{
		"type": "message", "id": newID("msg"), "role": "assistant", "status": "completed",
		"content": []any{map[string]any{"type": "output_text", "text": a.text, "annotations": []any{}}},
	}
	if a.call != nil {
		item = map[string]any{
			"type": "function_call", "id": newID("fc"), "call_id": a.call.id, "status": "completed",
			"name": a.call.tool.Name, "arguments": a.call.json(),
		}
		if a.call.tool.space != "" {
			item["namespace"] = a.call.tool.space
		}
		if a.call.tool.search {
			item = map[string]any{
				"type": "tool_search_call", "id": newID("tsc"), "call_id": a.call.id, "status": "completed",
				"execution": "client", "arguments": a.call.arguments,
			}
		}
	}
	return map[string]any{
		"id": newID("resp"), "object": "response", "created_at": time.Now().Unix(), "model": q.model,
		"status": "completed", "output": []any{item}, "error": nil,
		"usage": map[string]any{
			"input_tokens": inputTokens, "input_tokens_details": map[string]any{"cached_tokens": 0},
			"output_tokens": outputTokens, "output_tokens_details": map[string]any{"reasoning_tokens": 0},
			"total_tokens": inputTokens + outputTokens,
		},
	}
}

func (responses) problem(status int, message string) any { return chat{}.problem(status, message) }
