package acp

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"sort"
	"strings"

	"example.org/ripple/runtime/event"
	"example.org/ripple/runtime/internal/rpc"
)

// maxCalls is how many calls are remembered.
const maxCalls = 10_000

// callsByID are the uses of tools in a turn, by their ids.
type callsByID map[string]*call

// call is one use of a tool, as far as it was reported. A use becomes an event when it
// begins: until then its input arrives in pieces.
type call struct {
	name, title, kind string
	tool              event.Tool
	input             json.RawMessage
	content, output   json.RawMessage
	printed           strings.Builder // on a terminal of the agent's
	path              string
	place             int // in the order in which calls are reported
	begun, ended      bool
}

// take handles a tool_call or a tool_call_update. A call that has ended and is reported
// again is a new one with the same id, unless nothing in it is new.
func (cs callsByID) take(c *Client, u update) {
	if old := cs[u.ID]; old != nil && old.ended {
		if u.Kind != "tool_call" || old.repeats(u) {
			return
		}
		delete(cs, u.ID)
	}
	cl := cs.merge(c, u)
	switch u.Status {
	case "in_progress":
		cs.announce(c, u.ID)
	case "completed", "failed":
		cs.announce(c, u.ID)
		cl.ended = true
		c.Emit(event.Event{Type: event.ToolResult, ID: u.ID, IsError: u.Status == "failed", Content: cl.result(c.Printed)})
		cl.content, cl.output = nil, nil
		cl.printed.Reset()
	}
}

// forget keeps the memory of an endless turn small: calls that have ended go first, and
// when none has, all.
func (cs callsByID) forget(c *Client) {
	if len(cs) < maxCalls {
		return
	}
	for id, cl := range cs {
		if cl.ended {
			delete(cs, id)
		}
	}
	if len(cs) > maxCalls/2 {
		cs.announceAll(c)
		clear(cs)
	}
}

func (cl *call) repeats(u update) bool {
	return (u.Title == "" || u.Title == cl.title) && (u.RawInput == nil || bytes.Equal(compact(u.RawInput), cl.input))
}

// merge adds what an update reports about a call.
func (cs callsByID) merge(c *Client, u update) *call {
	cl := cs[u.ID]
	if cl == nil {
		cs.forget(c)
		c.told++
		cl = &call{place: c.told}
		cs[u.ID] = cl
	}
	meta := ownMeta(u.Meta)
	set(&cl.name, u.Name, meta.name)
	set(&cl.title, u.Title)
	set(&cl.kind, u.ToolKind)
	if t := c.Tool(cl.title); cl.name == "" && t != "" && t != event.ToolOther {
		cl.name = cl.title // some send the name as the title, and no kind
	}
	if len(u.Locations) > 0 {
		set(&cl.path, u.Locations[0].Path)
	}
	if in := compact(u.RawInput); len(in) > 0 && string(in) != "null" && (string(in) != "{}" || cl.input == nil) {
		cl.input = in
	}
	if has(u.Content) {
		cl.content = u.Content
	}
	if has(u.RawOutput) {
		cl.output = u.RawOutput
	}
	if cl.printed.Len() < maxPrinted {
		cl.printed.WriteString(meta.printed)
	}
	cl.tool = toolOf(c, cl)
	return cl
}

// maxPrinted is how much of a terminal's output is kept, in bytes.
const maxPrinted = 1 << 20

func set(to *string, values ...string) {
	for _, v := range values {
		if v != "" {
			*to = v
			return
		}
	}
}

func compact(raw json.RawMessage) json.RawMessage {
	var b bytes.Buffer
	if len(raw) == 0 || json.Compact(&b, raw) != nil {
		return nil
	}
	return b.Bytes()
}

// meta is what agents put into _meta by custom: the tool's own name under toolName,
// at the top or under the agent's name, and what a command printed.
type meta struct{ name, printed string }

func ownMeta(raw json.RawMessage) (m meta) {
	var all map[string]json.RawMessage
	if json.Unmarshal(raw, &all) != nil {
		return m
	}
	_ = json.Unmarshal(all["toolName"], &m.name) // absent, or something else
	for key, v := range all {
		var within struct {
			ToolName string `json:"toolName"`
			Data     string `json:"data"`
		}
		if json.Unmarshal(v, &within) != nil {
			continue
		}
		set(&m.name, m.name, within.ToolName)
		if strings.HasPrefix(key, "terminal_output") {
			m.printed += within.Data
		}
	}
	return m
}

// kinds are the protocol's kinds of tools in common names
// (https://agentclientprotocol.com/protocol/v1/tool-calls).
var kinds = map[string]event.Tool{"read": "read", "edit": "edit", "execute": event.ToolCommand, "search": "grep"}

// toolOf is the common name of a call's tool: by its own name where the adapter
// knows it, else by its kind.
func toolOf(c *Client, cl *call) event.Tool {
	if t := c.Tool(cl.name); t != "" && t != event.ToolOther {
		return t
	}
	if t, known := kinds[cl.kind]; known {
		return t
	}
	return event.ToolOther
}

// announce reports that a call has begun.
func (cs callsByID) announce(c *Client, id string) {
	cl := cs[id]
	if cl == nil || cl.begun {
		return
	}
	cl.begun = true
	c.Emit(event.Event{Type: event.ToolUse, ID: id, Tool: cl.tool, Name: cl.called(), Input: cl.given()})
}

// announceAll reports the calls that were announced and never began.
func (cs callsByID) announceAll(c *Client) {
	ids := slices.Collect(maps.Keys(cs))
	sort.Slice(ids, func(i, j int) bool { return cs[ids[i]].place < cs[ids[j]].place })
	for _, id := range ids {
		cs.announce(c, id)
	}
}

// called is the name of the tool: its own, else its kind.
func (cl *call) called() (name string) {
	set(&name, cl.name, cl.kind, cl.title)
	return name
}

// given is the input; of an agent that keeps it to itself, what else says which use
// it was.
func (cl *call) given() json.RawMessage {
	if len(cl.input) > 0 && string(cl.input) != "{}" {
		return cl.input
	}
	said := map[string]string{}
	if cl.title != "" {
		said["title"] = cl.title
	}
	if cl.path != "" {
		said["path"] = cl.path
	}
	if len(said) == 0 {
		return cl.input
	}
	return bytes.TrimSpace(rpc.Encode(said))
}

// result is the result of a call: the part that the model sees, else the agent's own
// output.
func (cl *call) result(printed func(terminal string) string) string {
	if text := cl.text(printed); text != "" {
		return text
	}
	if cl.printed.Len() > 0 {
		return strings.ToValidUTF8(cl.printed.String(), "\ufffd")
	}
	var text string
	if json.Unmarshal(cl.output, &text) == nil {
		return text
	}
	var own map[string]json.RawMessage
	if json.Unmarshal(cl.output, &own) == nil {
		for _, key := range []string{"output", "text", "content", "error"} {
			if json.Unmarshal(own[key], &text) == nil && text != "" {
				return text
			}
		}
	}
	return string(cl.output)
}

// text returns the content that was reported.
func (cl *call) text(printed func(terminal string) string) string {
	var list []struct {
		Type     string          `json:"type"`
		Content  json.RawMessage `json:"content"`
		Path     string          `json:"path"`
		Terminal string          `json:"terminalId"`
	}
	if json.Unmarshal(cl.content, &list) != nil {
		return ""
	}
	var parts []string
	for _, item := range list {
		text := ""
		switch item.Type {
		case "content":
			text = blockText(item.Content)
		case "diff":
			text = "[changed " + item.Path + "]"
		case "terminal":
			text = printed(item.Terminal)
		}
		if text != "" {
			parts = append(parts, text)
		}
	}
	return strings.Join(parts, "\n")
}
