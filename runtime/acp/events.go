package acp

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"

	"example.org/ripple/runtime/event"
	"example.org/ripple/runtime/internal/permit"
)

// event reports an event of the agent to the client.
func (t *teller) event(e event.Event) {
	switch e.Type {
	case event.Text:
		text := e.Text
		if t.turn > 0 { // of a loop, for which the agent writes them
			text = withoutStatus(text)
		}
		t.message(text)
	case event.Reasoning:
		t.aside(e.Text)
	case event.ToolUse:
		t.use(e)
	case event.ToolResult:
		t.result(e.ID, e.IsError, e.Content)
		if t.turn > 0 {
			t.plan("in_progress")
		}
	case event.PermissionDenied:
		if _, known := t.calls[e.ID]; !known {
			t.use(e)
		}
		t.result(e.ID, true, strings.TrimSpace("It was refused. "+e.Detail))
	case event.Usage:
		if e.Tokens != nil {
			t.now = *e.Tokens
			t.usage()
		}
	case event.RateLimited:
		t.aside("The provider reports a limit: " + e.Message)
	case event.Error:
		t.aside(e.Message)
	}
}

func (t *teller) use(e event.Event) {
	t.uses++
	id := fmt.Sprintf("%s-call-%d", t.turnID(), t.uses)
	if t.turn == 0 { // there is one turn a prompt
		id = fmt.Sprintf("%d-call-%d", t.nth, t.uses)
	}
	if t.calls == nil {
		t.calls = map[string]string{}
	}
	t.calls[e.ID] = id
	call := map[string]any{
		"toolCallId": id, "kind": kindOf(e.Tool), "status": "in_progress",
		"title": titleOf(e.Name, string(e.Tool), permit.Subject(event.Question{Input: e.Input})),
	}
	if e.Name != "" {
		call["name"] = e.Name
	}
	if len(e.Input) > 0 {
		call["rawInput"] = event.TruncateInput(e.Input)
	}
	if path := pathOf(e.Input); path != "" {
		if !filepath.IsAbs(path) {
			path = filepath.Join(t.workDir(), path)
		}
		call["locations"] = []any{map[string]any{"path": path}}
	}
	t.update("tool_call", call)
}

// maxResult is the most bytes of a tool's result that are sent.
const maxResult = 64 << 10

func (t *teller) result(id string, failed bool, text string) {
	call, known := t.calls[id]
	if !known {
		return // the call was not reported
	}
	status := "completed"
	if failed {
		status = "failed"
	}
	fields := map[string]any{"toolCallId": call, "status": status}
	if len(text) > maxResult {
		text = strings.ToValidUTF8(text[:maxResult/2], "") + "\n…\n" + strings.ToValidUTF8(text[len(text)-maxResult/2:], "")
	}
	if text != "" {
		fields["content"] = []any{textContent(text)}
	}
	t.update("tool_call_update", fields)
}

// pathOf is the file that a tool is used on, empty for none.
func pathOf(input json.RawMessage) string {
	var in struct {
		FilePath string `json:"file_path"`
		Path     string `json:"path"`
	}
	if json.Unmarshal(input, &in) != nil || in.FilePath == "" {
		return in.Path
	}
	return in.FilePath
}

func textContent(text string) any {
	return map[string]any{"type": "content", "content": map[string]any{"type": "text", "text": text}}
}

// kindOf is the protocol's kind of a tool.
func kindOf(tool event.Tool) string {
	switch tool {
	case "read":
		return "read"
	case "edit", "write":
		return "edit"
	case event.ToolCommand:
		return "execute"
	case "glob", "grep":
		return "search"
	}
	return "other"
}

// withoutStatus leaves out status blocks.
func withoutStatus(text string) string {
	const begin, end = "---RALPH_STATUS---", "---END_RALPH_STATUS---"
	for {
		before, rest, found := strings.Cut(text, begin)
		_, after, closed := strings.Cut(rest, end)
		if !found || !closed {
			return text
		}
		before = strings.TrimSuffix(strings.TrimRight(before, " \n"), "```")
		text = strings.TrimRight(before, "\n") + "\n" + strings.TrimPrefix(strings.TrimLeft(after, "\n"), "```")
	}
}
