package standin

import (
	"encoding/json"
	"fmt"
	"net/http"
	"path"
	"strings"
)

// contents is the dialect of POST /v1beta/models/MODEL:generateContent and
// :streamGenerateContent, as documented at https://ai.google.dev/api/generate-content.
type contents struct{}

func (contents) name() string { return "contents" }

func (contents) parse(call string, body []byte) (request, error) {
	type declaration struct {
		Name                 string
		Parameters           map[string]any
		ParametersJSONSchema map[string]any `json:"parametersJsonSchema"`
	}
	var in struct {
		Contents []struct {
			Role  string
			Parts []struct {
				Text             string
				Thought          bool
				FunctionResponse *struct{ Response json.RawMessage }
			}
		}
		Tools []struct {
			FunctionDeclarations []declaration
		}
		GenerationConfig struct {
			ResponseSchema     map[string]any
			ResponseJSONSchema map[string]any `json:"responseJsonSchema"`
		}
	}
	if err := json.Unmarshal(body, &in); err != nil {
		return request{}, fmt.Errorf("body: %w", err)
	}
	model, method, _ := strings.Cut(path.Base(call), ":")
	q := request{model: model, stream: method == "streamGenerateContent", schema: in.GenerationConfig.ResponseSchema}
	if q.schema == nil {
		q.schema = in.GenerationConfig.ResponseJSONSchema
	}
	for _, t := range in.Tools {
		for _, f := range t.FunctionDeclarations {
			schema := f.Parameters
			if schema == nil {
				schema = f.ParametersJSONSchema
			}
			q.tools = append(q.tools, tool{Name: f.Name, Schema: schema})
		}
	}
	for _, c := range in.Contents {
		message := Message{Role: c.Role}
		if c.Role == "model" {
			message.Role = "assistant"
		}
		for _, p := range c.Parts {
			if !p.Thought {
				message.Text += p.Text
			}
			if p.FunctionResponse != nil {
				message.Results = append(message.Results, string(p.FunctionResponse.Response))
			}
		}
		q.messages = append(q.messages, message)
	}
	return q, nil
}

func (d contents) stream(out *stream, q request, a reply) {
	if a.call != nil {
		out.delta("", d.chunk(q, d.part(a), "STOP"))
		return
	}
	for _, p := range pieces(a.text) {
		out.delta("", d.chunk(q, map[string]any{"text": p}, ""))
	}
	out.send("", d.chunk(q, map[string]any{"text": ""}, "STOP"))
}

func (d contents) whole(q request, a reply) any { return d.chunk(q, d.part(a), "STOP") }

func (contents) part(a reply) map[string]any {
	if a.call != nil {
		return map[string]any{"functionCall": map[string]any{"id": a.call.id, "name": a.call.tool.Name, "args": a.call.arguments}}
	}
	return map[string]any{"text": a.text}
}

// chunk is one document of a stream, or a whole answer; finish may be empty.
func (contents) chunk(q request, part map[string]any, finish string) map[string]any {
	candidate := map[string]any{"index": 0, "content": map[string]any{"role": "model", "parts": []any{part}}}
	if finish != "" {
		candidate["finishReason"] = finish
	}
	return map[string]any{
		"candidates": []any{candidate}, "modelVersion": q.model, "responseId": newID("resp"),
		"usageMetadata": map[string]any{
			"promptTokenCount": inputTokens, "candidatesTokenCount": outputTokens, "totalTokenCount": inputTokens + outputTokens,
		},
	}
}

func (contents) problem(status int, message string) any {
	names := map[int]string{
		http.StatusBadRequest: "INVALID_ARGUMENT", http.StatusUnauthorized: "UNAUTHENTICATED",
		http.StatusForbidden: "PERMISSION_DENIED", http.StatusNotFound: "NOT_FOUND",
		http.StatusTooManyRequests: "RESOURCE_EXHAUSTED", http.StatusServiceUnavailable: "UNAVAILABLE",
	}
	name, ok := names[status]
	if !ok {
		name = "INTERNAL"
	}
	return map[string]any{"error": map[string]any{"code": status, "message": message, "status": name}}
}
