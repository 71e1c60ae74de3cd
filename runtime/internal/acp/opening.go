package acp

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"example.org/ripple/runtime/event"
	"example.org/ripple/runtime/internal/rpc"
)

// opening is the way from a started agent to a prompted session.
type opening struct {
	*Client
	agent agentInfo
}

// agentInfo is the answer to initialize, as far as it matters here.
type agentInfo struct {
	ProtocolVersion json.Number `json:"protocolVersion"`
	Info            struct {
		Name    string `json:"name"`
		Version string `json:"version"`
	} `json:"agentInfo"`
	Capabilities struct {
		LoadSession bool `json:"loadSession"`
		Session     struct {
			Resume json.RawMessage `json:"resume"`
			Close  json.RawMessage `json:"close"`
		} `json:"sessionCapabilities"`
	} `json:"agentCapabilities"`
	Methods []struct {
		ID   string `json:"id"`
		Type string `json:"type"`
	} `json:"authMethods"`
}

func has(capability json.RawMessage) bool {
	text := string(capability)
	return text != "" && text != "null" && text != "false"
}

func (c *opening) initialized(m rpc.Message) {
	if m.Error != nil {
		c.fail("", "the agent refused to start: "+m.Error.Text())
		return
	}
	if err := json.Unmarshal(m.Result, &c.agent); err != nil {
		c.fail(event.Version, foreign("initialize", m.Result))
		return
	}
	switch v := c.agent.ProtocolVersion.String(); v {
	case "1":
	case "2":
		c.fail(event.Version, "the agent uses version 2 of the Agent Client Protocol, a draft; version 1 is supported")
		return
	default:
		c.fail(event.Version, fmt.Sprintf("the agent uses version %q of the Agent Client Protocol; version 1 is supported", v))
		return
	}
	if c.turn.Login != "" {
		c.login()
		return
	}
	c.openSession()
}

// login uses the declared method. An agent that does not offer it needs none, or
// says itself what it needs when the session begins.
func (c *opening) login() {
	if !slices.Contains(c.methods(), c.turn.Login) {
		c.openSession()
		return
	}
	c.Call("authenticate", map[string]any{"methodId": c.turn.Login}, func(m rpc.Message) {
		if m.Error != nil {
			c.fail(event.Auth, fmt.Sprintf("the login %q failed: %s", c.turn.Login, m.Error.Text()))
			return
		}
		c.openSession()
	})
}

func (c *opening) methods() (ids []string) {
	for _, m := range c.agent.Methods {
		ids = append(ids, m.ID)
	}
	return ids
}

// openSession starts the session or continues it, without its history if the agent
// supports that.
func (c *opening) openSession() {
	params := map[string]any{"cwd": c.turn.Dir, "mcpServers": append([]json.RawMessage{}, c.turn.Servers...)}
	if c.turn.Session == "" {
		c.Call("session/new", params, c.opened)
		return
	}
	params["sessionId"] = c.turn.Session
	switch {
	case has(c.agent.Capabilities.Session.Resume):
		c.Call("session/resume", params, c.opened)
	case c.continues():
		c.replay = true
		c.Call("session/load", params, c.opened)
	default:
		c.fail(event.BadUsage, "the agent cannot continue a session over the Agent Client Protocol: it supports neither session/load nor session/resume")
	}
}

// continues reports whether the agent can continue a session in a later turn.
func (c *opening) continues() bool {
	return has(c.agent.Capabilities.Session.Resume) || c.agent.Capabilities.LoadSession
}

// opened has the session: its model and mode are set, then it is prompted.
func (c *opening) opened(m rpc.Message) {
	c.replay = false
	c.calls = callsByID{} // the ids of a past turn mean other calls now
	if m.Error != nil {
		c.notOpened(m.Error)
		return
	}
	var s sessionInfo
	if err := json.Unmarshal(m.Result, &s); err != nil && string(m.Result) != "null" {
		c.fail("", foreign(c.Method(), m.Result))
		return
	}
	c.session = cmp.Or(c.turn.Session, s.ID)
	if c.session == "" {
		c.fail("", "the agent reported no ID for its session")
		return
	}
	if c.continues() { // the next turn of a loop would fail with the ID of any other session
		c.Emit(event.Event{Type: event.Session, ID: c.session})
	}
	c.choose(s, []choice{
		{what: "model", category: "model", value: c.turn.Model, method: "session/set_model", key: "modelId", has: s.models()},
		{what: "permission mode", category: "mode", value: c.turn.Mode, method: "session/set_mode", key: "modeId", has: s.modes()},
	})
}

func (c *opening) notOpened(e *rpc.Error) {
	switch {
	case e.Code == rpc.CodeLogin:
		message := "nobody is logged in: " + e.Text()
		if ids := c.methods(); len(ids) > 0 {
			message += "; it offers " + strings.Join(ids, ", ")
		}
		c.fail(event.Auth, message)
	case c.turn.Session != "":
		c.fail(event.SessionUnknown, fmt.Sprintf("the agent did not continue session %s: %s", c.turn.Session, e.Text()))
	default:
		c.fail("", "the agent did not start a session: "+e.Text())
	}
}
