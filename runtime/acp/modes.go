package acp

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"example.org/ripple/runtime/event"
	"example.org/ripple/runtime/internal/rpc"
	"example.org/ripple/schema"
)

// mode is a choice of a client for the turns of a session
// (https://agentclientprotocol.com/protocol/v1/session-modes).
type mode struct {
	ID          string `json:"id"`
	Name        string `json:"name"`
	Description string `json:"description"`
}

// Modes of an agent that can ask in the middle of its turn.
const (
	modeAsk   = "ask"
	modeAllow = "allow"
)

// modes are the ones of a single turn: the agent's own, as its adapter has them, and where
// it can ask in its turn whether the client is asked. current is the one that a session
// begins with; "" where there is nothing to choose.
func (o Options) modes() (current string, list []mode) {
	if o.Agent == nil {
		return "", nil
	}
	g := o.Agent.Agent
	if g.Transport == schema.TransportACP || g.Transport == schema.TransportScreen {
		current = modeAsk
		list = []mode{
			{modeAsk, "Ask", "Ask you whenever the agent requests permission"},
			{modeAllow, "Allow everything", "Allow everything that the agent requests"},
		}
	}
	own := g.Options.PermissionMode
	if own == nil || current == "" && own.Default == "" {
		return current, list
	}
	if current == "" {
		current = own.Default
	}
	for _, name := range slices.Sorted(maps.Keys(own.Values)) {
		if name != modeAsk && name != modeAllow {
			list = append(list, mode{name, name, "The agent's own permission mode " + name})
		}
	}
	return current, list
}

// began is the answer to a session that begins.
func (ss *session) began() map[string]any {
	result := map[string]any{"sessionId": ss.id}
	current, list := ss.o.modes()
	if ss.mode = current; current != "" {
		result["modes"] = map[string]any{"currentModeId": current, "availableModes": list}
	}
	return result
}

// setMode chooses the mode of the turns that begin after it.
func (s *Server) setMode(m rpc.Message) *rpc.Error {
	var p struct {
		Session string `json:"sessionId"`
		Mode    string `json:"modeId"`
	}
	if e := read(m, &p); e != nil {
		return e
	}
	ss, e := s.session(p.Session)
	if e != nil {
		return e
	}
	_, list := s.o.modes()
	var names []string
	for _, has := range list {
		names = append(names, has.ID)
	}
	if !slices.Contains(names, p.Mode) {
		return bad("unknown mode %q: use one of %s", p.Mode, strings.Join(names, ", "))
	}
	ss.mode = p.Mode
	s.conn.Reply(m.ID, map[string]any{})
	return nil
}

// permissionMode is the agent's own mode of the session's turns.
func (ss *session) permissionMode() string {
	if current, _ := ss.o.modes(); ss.mode == modeAsk || ss.mode == modeAllow || ss.mode == current {
		return ""
	}
	return ss.mode
}

// askOr asks the client, where the session's mode does not allow everything.
func (ss *session) askOr(allow bool) event.Ask {
	return func(ctx context.Context, q event.Question) (event.Answer, error) {
		if allow && q.Kind == event.AskPermission {
			if a, has := q.Choose("the session's mode", event.AllowOnce, event.AllowAlways); has {
				return a, nil
			}
		}
		return ss.askInTurn(ctx, q, "")
	}
}

// unusedServers says which MCP servers of the client its turns do not have, and why; ""
// for none. Those over stdio are for agents that are talked to over the protocol.
func (ss *session) unusedServers() string {
	var names []string
	for _, raw := range ss.servers {
		var server struct{ Name, Type string }
		if json.Unmarshal(raw, &server) == nil && !(ss.handsOn() && isStdio(server.Type)) {
			names = append(names, server.Name)
		}
	}
	switch {
	case len(names) == 0:
		return ""
	case ss.handsOn():
		return fmt.Sprintf("MCP servers of the editor that are not used: %s. Only servers over stdio are passed on.", strings.Join(names, ", "))
	}
	return fmt.Sprintf("MCP servers of the editor that are not used: %s. Only an agent that uses the Agent Client Protocol gets them, and only in "+
		"single-turn mode. Otherwise, add them to the agent's own configuration.", strings.Join(names, ", "))
}

func isStdio(kind string) bool { return kind == "" || kind == "stdio" }

func (ss *session) handsOn() bool {
	return ss.o.Agent != nil && ss.o.Agent.Agent.Transport == schema.TransportACP
}

// handedOn are the servers that the agent gets.
func (ss *session) handedOn() (list []json.RawMessage) {
	for _, raw := range ss.servers {
		var server struct{ Type string }
		if ss.handsOn() && json.Unmarshal(raw, &server) == nil && isStdio(server.Type) {
			list = append(list, raw)
		}
	}
	return list
}
