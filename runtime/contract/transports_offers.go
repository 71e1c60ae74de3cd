package contract

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"
)

// acpMessage has the parts of a message of the Agent Client Protocol that show an agent's
// capabilities (https://agentclientprotocol.com/protocol/initialization, …/session-setup).
type acpMessage struct {
	Method string
	Result struct {
		AgentInfo    struct{ Version string }
		Capabilities struct {
			LoadSession bool
			Prompt      map[string]any `json:"promptCapabilities"`
			MCP         map[string]any `json:"mcpCapabilities"`
			Session     map[string]any `json:"sessionCapabilities"`
		} `json:"agentCapabilities"`
		Modes, Models, ConfigOptions any
	}
	Params struct {
		Update struct{ SessionUpdate string }
	}
}

// offered maps updates that an agent sends without declaring the capability to the words for them.
var offered = map[string]string{"plan": "plan", "usage_update": "usage", "available_commands_update": "commands", "agent_thought_chunk": "thoughts"}

// offers returns the agent's declared and shown capabilities, in the words of the protocol, sorted,
// and its version.
func offers(stream []byte) (list []string, version string) {
	set := map[string]bool{}
	for line := range bytes.Lines(stream) {
		var m acpMessage
		if json.Unmarshal(line, &m) != nil {
			continue // another message may have these keys with other values
		}
		if v := m.Result.AgentInfo.Version; v != "" {
			version = v
		}
		c := m.Result.Capabilities
		set["load"] = set["load"] || c.LoadSession
		for prefix, capabilities := range map[string]map[string]any{"": c.Prompt, "mcp-": c.MCP, "session-": c.Session} {
			for name, has := range capabilities {
				known := has != nil && has != false && !strings.HasPrefix(name, "_") // such keys are not part of the protocol
				set[prefix+name] = set[prefix+name] || known
			}
		}
		set["modes"] = set["modes"] || m.Result.Modes != nil
		set["models"] = set["models"] || m.Result.Models != nil
		set["options"] = set["options"] || m.Result.ConfigOptions != nil
		set["asks"] = set["asks"] || m.Method == "session/request_permission"
		if word := offered[m.Params.Update.SessionUpdate]; word != "" {
			set[word] = true
		}
	}
	maps.DeleteFunc(set, func(_ string, has bool) bool { return !has })
	return slices.Sorted(maps.Keys(set)), version
}
