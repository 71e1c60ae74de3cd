package acp

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"example.org/ripple/runtime/event"
	"example.org/ripple/runtime/internal/rpc"
)

// Work is what an agent wants of its client's machine
// (https://agentclientprotocol.com/protocol/v1/file-system and …/terminals). Method says
// which fields mean something.
type Work struct {
	Method string `json:"-"`

	Path    string `json:"path"`
	Line    *int   `json:"line"` // from 1; nil: the first
	Limit   *int   `json:"limit"`
	Content string `json:"content"`

	Terminal string   `json:"terminalId"`
	Command  string   `json:"command"`
	Args     []string `json:"args"`
	Env      []struct {
		Name  string `json:"name"`
		Value string `json:"value"`
	} `json:"env"`
	Dir  string `json:"cwd"`
	Keep *int   `json:"outputByteLimit"`
}

// Methods of Work.
const (
	ReadFile        = "fs/read_text_file"
	WriteFile       = "fs/write_text_file"
	CreateTerminal  = "terminal/create"
	TerminalOutput  = "terminal/output"
	WaitForExit     = "terminal/wait_for_exit"
	KillTerminal    = "terminal/kill"
	ReleaseTerminal = "terminal/release"
)

var (
	fileMethods     = []string{ReadFile, WriteFile}
	terminalMethods = []string{CreateTerminal, TerminalOutput, WaitForExit, KillTerminal, ReleaseTerminal}
)

// Question is the use of a tool that this work is, as rules see it.
func (w Work) Question() event.Question {
	tool, input := event.ToolCommand, map[string]string{"command": strings.Join(append([]string{w.Command}, w.Args...), " ")}
	switch w.Method {
	case ReadFile:
		tool, input = "read", map[string]string{"path": w.Path}
	case WriteFile:
		tool, input = "write", map[string]string{"path": w.Path}
	}
	return event.Question{Kind: event.AskPermission, Tool: tool, Name: w.Method, Input: rpc.Encode(input)}
}

// work has what the agent wants done, once, unless the turn is over.
func (c *Client) work(m rpc.Message, line []byte) {
	w := Work{Method: m.Method}
	if err := json.Unmarshal(m.Params, &w); err != nil || w.Line != nil && *w.Line < 0 || w.Limit != nil && *w.Limit < 0 {
		c.Refuse(m.ID, rpc.CodeBadParams, "invalid parameters for "+m.Method)
		c.unknown(m.Method, line)
		return
	}
	id := string(m.ID)
	switch {
	case c.working[id]: // it came twice: it has one answer
	case c.Cut:
		c.Refuse(m.ID, rpc.CodeBadParams, "the message is too long: it did not arrive whole, and nothing was done")
	case c.finished, c.cancelled && slices.Contains([]string{WriteFile, CreateTerminal}, m.Method):
		c.Refuse(m.ID, rpc.CodeCancelled, "the turn is over")
	case len(c.working) >= maxOpen:
		c.Refuse(m.ID, rpc.CodeInternal, fmt.Sprintf("%d requests are open, the maximum", maxOpen))
	default:
		c.working[id] = true
		c.Do(id, w)
	}
}

// Done answers what Do was called for; e is nil where it worked. One that the agent has
// taken back has its answer.
func (c *Client) Done(id string, result any, e *rpc.Error) {
	if !c.working[id] {
		return
	}
	delete(c.working, id)
	if e != nil {
		c.Fail(json.RawMessage(id), e)
		return
	}
	c.Reply(json.RawMessage(id), result)
}

// undo is work that the agent takes back.
func (c *Client) undo(id json.RawMessage) {
	if c.working[string(id)] {
		delete(c.working, string(id))
		c.Refuse(id, rpc.CodeCancelled, "withdrawn")
	}
}
