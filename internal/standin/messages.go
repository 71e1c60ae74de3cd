package standin

import (
	"encoding/json"
	"fmt"
)

// messages is the dialect of POST /v1/messages, as documented at
// https://docs.anthropic.com/en/api/messages and …/messages-streaming.
type messages struct{}

func (messages) name() string { return "messages" }

func (messages) parse(_ string, body []byte) (request, error) {
	var in struct {
		Model    string
		Stream   bool
		Messages []struct {
			Role    string
			Content json.RawMessage
		}
		Tools []struct {
			Name        string
			InputSchema map[string]any `json:"input_schema"`
		}
		OutputConfig struct {
			Format struct{ Schema map[string]any }
		} `json:"output_config"`
	}
	if err := json.Unmarshal(body, &in); err != nil {
		return request{}, fmt.Errorf("body: %w", err)
	}
	q := request{model: in.Model, stream: in.Stream, schema: in.OutputConfig.Format.Schema}
	for _, t := range in.Tools {
		q.tools = append(q.tools, tool{Name: t.Name, Schema: t.InputSchema})
	}
	for _, m := range in.Messages {
		message := Message{Role: m.Role}
		var blocks []struct {
			Type, Text string
			Content    content
		}
		if json.Unmarshal(m.Content, &message.Text) != nil {
			if err := json.Unmarshal(m.Content, &blocks); err != nil {
				return request{}, fmt.Errorf("content of a message: %w", err)
			}
		}
		for _, b := range blocks {
			message.Text += b.Text
			if b.Type == "tool_result" {
				message.Results = append(message.Results, string(b.Content))
			}
		}
		q.messages = append(q.messages, message)
	}
	return q, nil
}

func (d messages) stream(out *stream, q request, a reply) {
	message := d.message(q, a)
	block := message["content"].([]any)[0].(map[string]any)
	stop := message["stop_reason"]
	message["content"], message["stop_reason"] = []any{}, nil
	out.send("message_start", map[string]any{"type": "message_start", "message": message})

	deltas := []map[string]any{}
	if a.call != nil {
		block["input"] = map[string]any{}
		for _, p := range pieces(a.call.json()) {
			deltas = append(deltas, map[string]any{"type": "input_json_delta", "partial_json": p})
		}
	} else {
		block["text"] = ""
		for _, p := range pieces(a.text) {
			deltas = append(deltas, map[string]any{"type": "text_delta", "text": p})
		}
	}
	out.send("content_block_start", map[string]any{"type": "content_block_start", "index": 0, "content_block": block})
	for _, delta := range deltas {
		out.delta("content_block_delta", map[string]any{"type": "content_block_delta", "index": 0, "delta": delta})
	}
	out.send("content_block_stop", map[string]any{"type": "content_block_stop", "index": 0})
	out.send("message_delta", map[string]any{
		"type": "message_delta", "delta": map[string]any{"stop_reason": stop, "stop_sequence": nil},
		"usage": map[string]any{"output_tokens": outputTokens},
	})
	out.send("message_stop", map[string]any{"type": "message_stop"})
}

func (d messages) whole(q request, a reply) any { return d.message(q, a) }

func (messages) message(q request, a reply) map[string]any {
	block, stop := map[string]any{"type": "text", "text": a.text}, "end_turn"
	if a.call != nil {
		block, stop = map[string]any{"type": "tool_use", "id": a.call.id, "name": a.call.tool.Name, "input": a.call.arguments}, "tool_use"
	}
	return map[string]any{
		"id": newID("msg"), "type": "message", "role": "assistant", "model": q.model,
		"content": []any{block}, "stop_reason": stop, "stop_sequence": nil,
		"usage": map[string]any{"input_tokens": inputTokens, "output_tokens": outputTokens, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0},
	}
}

func (messages) problem(status int, message string) any {
	return map[string]any{"type": "error", "error": map[string]any{"type": kindOf(status), "message": message}}
}
