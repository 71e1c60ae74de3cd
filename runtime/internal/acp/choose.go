package acp

import (
	"fmt"
	"strings"

	"example.org/ripple/runtime/event"
	"example.org/ripple/runtime/internal/rpc"
)

// sessionInfo is the answer to session/new, session/load or session/resume. Models
// were a part of the protocol before they became an option of a session
// (https://agentclientprotocol.com/protocol/v1/session-config-options).
type sessionInfo struct {
	ID     string `json:"sessionId"`
	Models struct {
		Available []struct {
			ID   string `json:"modelId"`
			Name string `json:"name"`
		} `json:"availableModels"`
	} `json:"models"`
	Modes struct {
		Available []struct {
			ID   string `json:"id"`
			Name string `json:"name"`
		} `json:"availableModes"`
	} `json:"modes"`
	Options []configOption `json:"configOptions"`
}

type configOption struct {
	ID       string `json:"id"`
	Category string `json:"category"`
	Values   []struct {
		value
		Group []value `json:"options"`
	} `json:"options"`
}

// value is something that can be chosen.
type value struct {
	ID   string `json:"value"`
	Name string `json:"name"`
}

func (v value) is(wanted string) bool {
	return v.ID == wanted || strings.EqualFold(v.Name, wanted) || strings.HasSuffix(v.ID, "#"+wanted)
}

func (s sessionInfo) models() (list []value) {
	for _, m := range s.Models.Available {
		list = append(list, value{m.ID, m.Name})
	}
	return list
}

func (s sessionInfo) modes() (list []value) {
	for _, m := range s.Modes.Available {
		list = append(list, value{m.ID, m.Name})
	}
	return list
}

// option is the session's option of a category, with its values.
func (s sessionInfo) option(category string) (id string, list []value) {
	for _, o := range s.Options {
		if o.Category != category {
			continue
		}
		for _, v := range o.Values {
			list = append(append(list, v.value), v.Group...)
		}
		return o.ID, list
	}
	return "", nil
}

// choice is a setting that the caller requests for a session.
type choice struct {
	what, category, value string
	method, key           string  // the way that has a method of its own
	has                   []value // that way
}

// choose makes the choices, one after another, and then prompts.
func (c *opening) choose(s sessionInfo, list []choice) {
	if len(list) == 0 {
		c.prompt()
		return
	}
	first, rest := list[0], list[1:]
	if first.value == "" {
		c.choose(s, rest)
		return
	}
	then := func(m rpc.Message) {
		if m.Error != nil {
			c.fail(event.BadUsage, fmt.Sprintf("the agent rejects the %s %q: %s", first.what, first.value, m.Error.Text()))
			return
		}
		c.choose(s, rest)
	}
	id, values := s.option(first.category)
	for _, v := range values {
		if v.ID != "" && v.is(first.value) {
			c.Call("session/set_config_option", map[string]any{"sessionId": c.session, "configId": id, "value": v.ID}, then)
			return
		}
	}
	for _, v := range first.has {
		if v.is(first.value) {
			c.Call(first.method, map[string]any{"sessionId": c.session, first.key: v.ID}, then)
			return
		}
	}
	c.fail(event.BadUsage, first.missing(append(values, first.has...)))
}

// shown is how many names a message lists.
const shown = 20

func (f choice) missing(values []value) string {
	if len(values) == 0 {
		return fmt.Sprintf("the agent offers no choice of %s over the Agent Client Protocol; requested: %q", f.what, f.value)
	}
	var ids []string
	seen := map[string]bool{}
	for _, v := range values {
		if v.ID != "" && !seen[v.ID] {
			ids, seen[v.ID] = append(ids, v.ID), true
		}
	}
	more := ""
	if len(ids) > shown {
		ids, more = ids[:shown], ", …"
	}
	return fmt.Sprintf("the agent has no %s %q; it has %s%s", f.what, f.value, strings.Join(ids, ", "), more)
}
