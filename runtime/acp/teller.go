package acp

import (
	"cmp"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"example.org/ripple/internal/layout"
	"example.org/ripple/runtime/event"
	"example.org/ripple/runtime/loop/record"
)

// teller reports a loop, or a turn, to the client, as session/update
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
	tasks   []any             // of the plan, as last sent
	waiting string            // the last reported wait
	before  event.Tokens      // of the turns that ended
	now     event.Tokens      // of this one
	spent   event.Tokens      // as last sent
}

// line reports a line of the loop's output.
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

// workDir returns the directory in which the agent works.
func (t *teller) workDir() string { return cmp.Or(t.dir, t.session.dir) }

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

// verified reports the verification commands and their output.
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

// plan sends the tasks of the plan if they have changed; open is the status of the next one.
func (t *teller) plan(open string) {
	tasks, err := record.ReadTasks(t.session.dir, t.workDir())
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

// usage sends tokens and cost. The size of the model's context is not known, which is 0.
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

// message sends a block of the answer. It is a paragraph of its own, for clients that join all
// blocks.
func (t *teller) message(text string) { t.chunk("agent_message_chunk", text) }

// aside sends text that is not part of the answer.
func (t *teller) aside(text string) { t.chunk("agent_thought_chunk", text) }

func (t *teller) chunk(kind, text string) {
	if strings.TrimSpace(text) == "" {
		return
	}
	t.blocks++
	fields := map[string]any{"messageId": fmt.Sprintf("%d-message-%d", t.nth, t.blocks)}
	if t.o.RunTurn == nil {
		text = strings.TrimRight(text, "\n") + "\n\n"
	}
	fields["content"] = map[string]any{"type": "text", "text": text}
	t.update(kind, fields)
}
