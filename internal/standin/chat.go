package standin

import (
	"encoding/json"
	"fmt"
	"time"
)

// chat is the dialect of POST /v1/chat/completions, as documented at
// https://platform.openai.com/docs/api-reference/chat and …/chat-streaming.
type chat struct{}

func (chat) name() string { return "chat" }

func (chat) parse(_ string, body []byte) (request, error) {
	var in struct {
		Model    string
		Stream   bool
		Messages []struct {
			Role    string
			Content content
		}
		Tools []struct {
			Function struct {
				Name       string
				Parameters map[string]any
			}
		}
		ResponseFormat struct {
			JSONSchema struct{ Schema map[string]any } `json:"json_schema"`
		} `json:"response_format"`
	}
	if err := json.Unmarshal(body, &in); err != nil {
		return request{}, fmt.Errorf("body: %w", err)
	}
	q := request{model: in.Model, stream: in.Stream, schema: in.ResponseFormat.JSONSchema.Schema}
	for _, t := range in.Tools {
		q.tools = append(q.tools, tool{Name: t.Function.Name, Schema: t.Function.Parameters})
	}
	for _, m := range in.Messages {
		switch m.Role {
		case "system", "developer":
		case "tool":
			q.messages = append(q.messages, Message{Role: m.Role, Results: []string{string(m.Content)}})
		default:
			q.messages = append(q.messages, Message{Role: m.Role, Text: string(m.Content)})
		}
	}
	return q, nil
}

func (d chat) stream(out *stream, q request, a reply) {
	id, created := newID("chatcmpl"), time.Now().Unix()
	chunk := func(delta map[string]any, finish any) map[string]any {
		return map[string]any{
			"id": id, "object": "chat.completion.chunk", "created": created, "model": q.model,
			"choices": []any{map[string]any{"index": 0, "delta": delta, "finish_reason": finish}},
		}
	}
	toolCall := func(fields map[string]any) map[string]any {
		fields["index"] = 0
		return map[string]any{"tool_calls": []any{fields}}
	}
	finish := "stop"
	if a.call != nil {
		finish = "tool_calls"
		first := toolCall(map[string]any{"id": a.call.id, "type": "function", "function": map[string]any{"name": a.call.tool.Name, "arguments": ""}})
		first["role"], first["content"] = "assistant", nil
		out.send("", chunk(first, nil))
		for _, p := range pieces(a.call.json()) {
			out.delta("", chunk(toolCall(map[string]any{"function": map[string]any{"arguments": p}}), nil))
		}
	} else {
		out.send("", chunk(map[string]any{"role": "assistant", "content": ""}, nil))
		for _, p := range pieces(a.text) {
			out.delta("", chunk(map[string]any{"content": p}, nil))
		}
	}
	out.send("", chunk(map[string]any{}, finish))
	last := chunk(nil, nil)
	last["choices"], last["usage"] = []any{}, d.usage()
	out.send("", last)
	out.write([]byte("data: [DONE]\n\n"))
}

func (d chat) whole(q request, a reply) any {
	message, finish := map[string]any{"role": "assistant", "content": a.text}, "stop"
	if a.call != nil {
		finish = "tool_calls"
		message = map[string]any{"role": "assistant", "content": nil, "tool_calls": []any{map[string]any{
			"id": a.call.id, "type": "function", "function": map[string]any{"name": a.call.tool.Name, "arguments": a.call.json()},
		}}}
	}
	return map[string]any{
		"id": newID("chatcmpl"), "object": "chat.completion", "created": time.Now().Unix(), "model": q.model,
		"choices": []any{map[string]any{"index": 0, "message": message, "finish_reason": finish}}, "usage": d.usage(),
	}
}

func (chat) usage() map[string]any {
	return map[string]any{"prompt_tokens": inputTokens, "completion_tokens": outputTokens, "total_tokens": inputTokens + outputTokens}
}

func (chat) problem(status int, message string) any {
	return map[string]any{"error": map[string]any{"message": message, "type": kindOf(status), "param": nil, "code": kindOf(status)}}
}
