package acp

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"example.org/ripple/runtime/internal/rpc"
)

// methods are the requests of a client that are answered
// (https://agentclientprotocol.com/protocol/v1/schema).
var methods = map[string]func(*Server, rpc.Message) *rpc.Error{
	"initialize":       (*Server).initialize,
	"session/new":      (*Server).newSession,
	"session/load":     func(s *Server, m rpc.Message) *rpc.Error { return s.goOn(m, true) },
	"session/resume":   func(s *Server, m rpc.Message) *rpc.Error { return s.goOn(m, false) },
	"session/list":     (*Server).list,
	"session/close":    (*Server).closeSession,
	"session/set_mode": (*Server).setMode,
	"session/prompt":   (*Server).prompt,
	// A notification, which some send as a request.
	"session/cancel": func(s *Server, m rpc.Message) *rpc.Error {
		s.notification(m)
		s.conn.Reply(m.ID, map[string]any{})
		return nil
	},
}

// request answers a request, or sees to it that it will be.
func (s *Server) request(m rpc.Message) {
	do, known := methods[m.Method]
	switch {
	case !known:
		s.conn.Refuse(m.ID, rpc.CodeNoMethod, "unknown method "+m.Method)
	case !s.greeted && m.Method != "initialize":
		s.conn.Refuse(m.ID, rpc.CodeNoRequest, "initialize must be the first request")
	default:
		if e := do(s, m); e != nil {
			s.conn.Fail(m.ID, e)
		}
	}
}

// notification takes what wants no answer; what is not known means nothing.
func (s *Server) notification(m rpc.Message) {
	var p struct {
		Session string          `json:"sessionId"`
		Request json.RawMessage `json:"requestId"`
	}
	if json.Unmarshal(m.Params, &p) != nil {
		return
	}
	switch m.Method {
	case "session/cancel":
		if ss := s.sessions[p.Session]; ss != nil && ss.open != nil {
			ss.open.cancel()
		}
	case "$/cancel_request":
		for _, ss := range s.sessions {
			if ss.open != nil && string(ss.open.id) == string(p.Request) {
				ss.open.cancel()
			}
		}
	}
}

// bad is the error of parameters that cannot be used.
func bad(format string, args ...any) *rpc.Error {
	return &rpc.Error{Code: rpc.CodeBadParams, Message: fmt.Sprintf(format, args...)}
}

// read takes the parameters of a request apart.
func read(m rpc.Message, into any) *rpc.Error {
	if err := json.Unmarshal(m.Params, into); err != nil {
		return bad("invalid parameters for %s: %v", m.Method, err)
	}
	return nil
}

// initialize opens the connection. Of versions of the protocol the client gets the one
// that is spoken here, and goes if it does not speak it
// (https://agentclientprotocol.com/protocol/v1/initialization#version-negotiation).
func (s *Server) initialize(m rpc.Message) *rpc.Error {
	var p struct {
		Version *int `json:"protocolVersion"`
	}
	if e := read(m, &p); e != nil {
		return e
	}
	if p.Version == nil || *p.Version < 0 {
		return bad("protocolVersion is missing: it must be a number; %d is supported", protocolVersion)
	}
	s.greeted = true
	can := map[string]any{
		"loadSession":         s.o.Agent == nil,
		"promptCapabilities":  map[string]any{"image": false, "audio": false, "embeddedContext": true},
		"sessionCapabilities": map[string]any{"close": map[string]any{}},
	}
	if s.o.Agent == nil {
		can["sessionCapabilities"] = map[string]any{"close": map[string]any{}, "list": map[string]any{}, "resume": map[string]any{}}
	}
	s.conn.Reply(m.ID, map[string]any{
		"protocolVersion": protocolVersion, "agentCapabilities": can, "authMethods": []any{},
		"agentInfo": map[string]any{"name": "ripple", "title": "ripple", "version": s.o.Version},
	})
	return nil
}

// place is where a session works, and what the client would have it use.
type place struct {
	Session string            `json:"sessionId"`
	Dir     string            `json:"cwd"`
	Servers []json.RawMessage `json:"mcpServers"`
}

func (s *Server) place(m rpc.Message) (p place, e *rpc.Error) {
	if e := read(m, &p); e != nil {
		return p, e
	}
	if !filepath.IsAbs(p.Dir) {
		return p, bad("cwd must be an absolute path, not %q", p.Dir)
	}
	if info, err := os.Stat(p.Dir); err != nil || !info.IsDir() {
		return p, bad("cwd: not a directory: %s", p.Dir)
	}
	return p, nil
}

func (s *Server) log(format string, args ...any) {
	if s.o.Log != nil {
		fmt.Fprintf(s.o.Log, "ripple: "+format+"\n", args...) // for readers of the log
	}
}
