package acp

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"ripple/runtime/event"
	"ripple/runtime/internal/permit"
	"ripple/runtime/loop/layout"
	"ripple/runtime/loop/record"
)

// teller tells the client of a loop, or of a turn, as session/update
// (https://agentclientprotocol.com/protocol/v1/prompt-turn#3-agent-reports-output).
type teller struct {
	*session
	nth     int // prompt of the session: ids are its own
	turn    int
	calls   map[string]string // the protocol's ids of uses of tools, by the agent's
	uses    int               // so far in the turn
	blocks  int               // of text so far
	checks  int               // of --verify so far
	busy    bool              // a turn is under way
	dir     string            // of a working tree of its own; empty: the session's
	tasks   []any             // of the plan, as told last
	waiting string            // what was told of a wait
	before  event.Tokens      // of the turns that ended
	now     event.Tokens      // of this one
	spent   event.Tokens      // as told last
}

// line tells of a line of the loop's.
func (t *teller) line(b []byte, v said) {
	switch v.Type {
	case record.TurnStarted:
		t.turnStarted(v)
	case record.TurnEnded:
		t.turnEnded(v)
	case "verifying":
		t.checks++
		t.update("tool_call", map[string]any{
			"toolCallId": t.check(), "title": "Verify: " + record.OneLine(v.Text, 200), "kind": "execute", "status": "in_progress",
		})
	case record.Verified:
		t.verified(v)
	case "waiting":
		if v.Text != t.waiting {
			t.waiting = v.Text
			t.aside("Waiting " + v.Text)
		}
	case "note", record.Guided:
		t.aside(v.Text)
	case record.Committed:
		t.aside("Committed: " + v.Text)
	case record.Decided:
		t.aside("By a rule: " + v.Text)
	default:
		var e event.Event
		if json.Unmarshal(b, &e) == nil {
			t.event(e)
		}
	}
}

func (t *teller) turnStarted(v said) {
	t.turn, t.calls, t.uses, t.waiting, t.now = v.Turn, nil, 0, "", event.Tokens{}
	t.busy = true
	if v.Branch != "" {
		t.dir = filepath.Join(t.session.dir, filepath.FromSlash(layout.Worktree(v.Branch)))
	}
	t.plan("in_progress")
	t.update("tool_call", map[string]any{
		"toolCallId": t.turnID(), "title": titleOf(fmt.Sprintf("Turn %d", v.Turn), "", v.Task), "kind": "think", "status": "in_progress",
	})
}

func (t *teller) turnID() string { return fmt.Sprintf("%d-turn-%d", t.nth, t.turn) }
func (t *teller) check() string  { return fmt.Sprintf("%d-verify-%d", t.nth, t.checks) }

func (t *teller) turnEnded(v said) {
	text := strings.TrimSpace(v.Text)
	if text == "" {
		text = "ended"
	}
	title := record.OneLine(fmt.Sprintf("Turn %d: %s", v.Turn, strings.TrimPrefix(text, fmt.Sprintf("turn %d: ", v.Turn))), 200)
	t.update("tool_call_update", map[string]any{"toolCallId": t.turnID(), "title": title, "status": "completed"})
	t.before, t.now = t.before.Add(t.now), event.Tokens{}
	if v.CostUSD > 0 {
		t.before.CostUSD = v.CostUSD
	}
	t.usage()
	t.busy = false
	t.plan("in_progress")
}

// verified tells of the commands that verify, and what they printed.
func (t *teller) verified(v said) {
	status := "completed"
	var content []any
	for _, verdict := range v.Verdicts {
		text := verdict.String()
		if !verdict.OK {
			status = "failed"
		} else if verdict.Tail != "" {
			text += ": " + verdict.Tail
		}
		content = append(content, textContent(text))
	}
	t.update("tool_call_update", map[string]any{"toolCallId": t.check(), "status": status, "content": content})
}

// plan tells the boxes of the plan, when they are others than before; open is the status
// of the one that is next.
func (t *teller) plan(open string) {
	dir := t.dir
	if dir == "" {
		dir = t.session.dir
	}
	tasks, err := record.ReadTasks(layout.PlanIn(t.session.dir, dir))
	if err != nil {
		return // the loop itself says what is wrong
	}
	list := []any{}
	for _, task := range tasks {
		status := "completed"
		if !task.Done {
			status = "pending"
			if open != "" {
				status, open = open, ""
			}
		}
		list = append(list, map[string]any{"content": task.Text, "priority": "medium", "status": status})
	}
	if len(list) == 0 && t.busy {
		return // the agent may be writing it
	}
	same := slices.EqualFunc(list, t.tasks, func(a, b any) bool {
		x, y := a.(map[string]any), b.(map[string]any)
		return x["content"] == y["content"] && x["status"] == y["status"]
	})
	if !same {
		t.tasks = list
		t.update("plan", map[string]any{"entries": list})
	}
}

// event tells what the agent does.
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
		t.aside("Limited by the provider: " + e.Message)
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
		call["rawInput"] = event.BoundInput(e.Input)
	}
	if path := pathOf(e.Input); path != "" {
		if !filepath.IsAbs(path) {
			path = filepath.Join(t.session.dir, path)
		}
		call["locations"] = []any{map[string]any{"path": path}}
	}
	t.update("tool_call", call)
}

// maxResult is how much of what a tool returned is told, in bytes.
const maxResult = 64 << 10

func (t *teller) result(id string, failed bool, text string) {
	call, known := t.calls[id]
	if !known {
		return // of nothing that was told
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

// usage tells tokens and cost. How many tokens the model could take is not known, which
// is 0.
func (t *teller) usage() {
	all := t.before.Add(t.now)
	if all == t.spent {
		return
	}
	t.spent = all
	fields := map[string]any{"used": all.Input + all.Output, "size": 0}
	if all.CostUSD > 0 {
		fields["cost"] = map[string]any{"amount": all.CostUSD, "currency": "USD"}
	}
	t.update("usage_update", fields)
}

// message tells a block of the answer. Of an agent of others it is a paragraph of its own
// for clients that join all there is.
func (t *teller) message(text string) { t.chunk("agent_message_chunk", text) }

// aside tells what is no part of the answer.
func (t *teller) aside(text string) { t.chunk("agent_thought_chunk", text) }

func (t *teller) chunk(kind, text string) {
	if strings.TrimSpace(text) == "" {
		return
	}
	t.blocks++
	fields := map[string]any{"messageId": fmt.Sprintf("%d-message-%d", t.nth, t.blocks)}
	if t.o.Play == nil {
		text = strings.TrimRight(text, "\n") + "\n\n"
	}
	fields["content"] = map[string]any{"type": "text", "text": text}
	t.update(kind, fields)
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
	case event.Command:
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
