package acp

import (
	"strings"

	"example.org/ripple/runtime/internal/rpc"
)

// block is a piece of a prompt (https://agentclientprotocol.com/protocol/v1/content).
type block struct {
	Type     string `json:"type"`
	Text     string `json:"text"`
	URI      string `json:"uri"`
	Name     string `json:"name"`
	Resource struct {
		URI  string  `json:"uri"`
		Text *string `json:"text"`
	} `json:"resource"`
}

// promptText returns a prompt as the agent receives it. Resources that it refers to are
// named; embedded resources are appended.
func promptText(blocks []block) (string, *rpc.Error) {
	var text, carried strings.Builder
	for i, b := range blocks {
		switch {
		case b.Type == "text":
			text.WriteString(b.Text)
		case b.Type == "resource_link":
			text.WriteString("@" + strings.TrimPrefix(b.URI, "file://"))
		case b.Type == "resource" && b.Resource.Text != nil:
			path := strings.TrimPrefix(b.Resource.URI, "file://")
			text.WriteString("@" + path)
			carried.WriteString("\n\n" + path + ":\n\n" + fenced(*b.Resource.Text))
		default:
			return "", bad("prompt[%d]: unsupported content type %q: use text, resource_link, or a resource with text", i, b.Type)
		}
	}
	all := strings.ReplaceAll(strings.ToValidUTF8(text.String()+carried.String(), "\ufffd"), "\x00", "\ufffd")
	if strings.TrimSpace(all) == "" {
		return "", bad("the prompt is empty")
	}
	return all, nil
}

// fenced returns text between fences that are longer than any in it.
func fenced(text string) string {
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	return fence + "\n" + strings.TrimSuffix(text, "\n") + "\n" + fence
}
