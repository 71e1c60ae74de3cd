package mcp

import (
	"bytes"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// sessionTimeout is how long a client's session over HTTP lasts without a request. A client that comes back later, as after a
// night, starts another one; its consoles are still there.
const sessionTimeout = 24 * time.Hour

// Handler serves clients over HTTP (the protocol's "streamable" transport). Each request needs the
// token as "Authorization: Bearer TOKEN", a Host that names this machine itself (so that a web page
// cannot reach it by DNS rebinding), and, if it has an Origin, the one that belongs to that Host.
func (s *Server) Handler(token string) http.Handler {
	inner := sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return s.sdk }, &sdk.StreamableHTTPOptions{SessionTimeout: sessionTimeout})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		origin := r.Header.Get("Origin")
		scheme, given, _ := strings.Cut(r.Header.Get("Authorization"), " ")
		switch {
		case !local(r.Host):
			http.Error(w, "this server only accepts the host names 127.0.0.1 and localhost", http.StatusForbidden)
		case origin != "" && !localOrigin(origin, r.Host):
			http.Error(w, "requests from other origins are refused", http.StatusForbidden)
		case !strings.EqualFold(scheme, "Bearer") || subtle.ConstantTimeCompare([]byte(strings.TrimLeft(given, " ")), []byte(token)) != 1:
			w.Header().Set("WWW-Authenticate", "Bearer")
			http.Error(w, "the token is missing or wrong", http.StatusUnauthorized)
		default:
			ends, refused := s.accept(r)
			if refused != nil {
				w.Header().Set("Content-Type", "application/json")
				w.WriteHeader(http.StatusBadRequest)
				_, _ = w.Write(refused.line()) // the client may be gone
				return
			}
			defer ends()
			inner.ServeHTTP(w, r)
		}
	})
}

// accept reads the body of a request and takes turns for its calls. The caller calls ends when the request
// has been answered: it ends the turns of calls that the SDK refused. accept refuses a batch that is too
// long, and one that uses an ID twice: the SDK would carry out both calls, but answer only one. The SDK
// checks everything else.
func (s *Server) accept(r *http.Request) (ends func(), refused *refusal) {
	ends = func() {}
	if r.Method != http.MethodPost {
		return ends, nil
	}
	const limit = sdk.DefaultMaxRequestBodyBytes
	body, err := io.ReadAll(io.LimitReader(r.Body, limit+1))
	if err == nil && len(body) > 0 && len(body) <= limit {
		if body, ends, refused = s.acceptBody(body); refused == nil && r.ContentLength >= 0 {
			r.ContentLength = int64(len(body))
		}
	}
	r.Body = struct {
		io.Reader
		io.Closer
	}{io.MultiReader(bytes.NewReader(body), r.Body), r.Body}
	return ends, refused
}

// acceptBody returns the body in the form for the SDK.
func (s *Server) acceptBody(body []byte) (changed []byte, ends func(), refused *refusal) {
	ends = func() {}
	if !json.Valid(body) {
		return body, ends, refusalOf(nil, codeParse, errors.New("the body is not JSON"))
	}
	messages := []json.RawMessage{body}
	if isBatch(body) {
		var err error
		if messages, err = messagesOf(body); err != nil {
			return body, ends, refusalOf(nil, codeInvalid, err)
		}
	}
	calls, seen := make([]*jsonrpc.Request, len(messages)), map[any]bool{}
	for n, one := range messages {
		m, _ := jsonrpc.DecodeMessage(one) // the SDK refuses an invalid message
		id := callID(m)
		if id == nil {
			continue
		}
		if r := wrongNumber(one, id); r != nil {
			return body, ends, r
		}
		if seen[id] {
			return body, ends, refusalOf(nil, codeInvalid, fmt.Errorf("two calls of the batch have the id %v", id))
		}
		calls[n], seen[id] = m.(*jsonrpc.Request), true
	}
	var taken []*turn
	for n, call := range calls {
		if call == nil {
			continue
		}
		line, t := s.turns.take(messages[n], call)
		if t != nil {
			messages[n], taken = line, append(taken, t)
		}
	}
	if len(taken) == 0 {
		return body, ends, nil
	}
	changed = messages[0]
	if isBatch(body) {
		changed = encode(messages)
	}
	return changed, func() {
		for _, t := range taken {
			s.turns.end(t)
		}
	}, nil
}

// Listen opens a loopback port for Handler.
func Listen(address string) (net.Listener, error) {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	if !local(host) {
		return nil, fmt.Errorf("%s is not a loopback address: use 127.0.0.1, ::1 or localhost", address)
	}
	return net.Listen("tcp", address)
}

// local reports whether a host, with or without a port, is a loopback address or localhost.
func local(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	ip := net.ParseIP(strings.Trim(host, "[]"))
	return strings.EqualFold(host, "localhost") || ip != nil && ip.IsLoopback()
}

// localOrigin reports whether an origin is that of this server: pages of other ports of this
// machine belong to other programs.
func localOrigin(origin, host string) bool {
	u, err := url.Parse(origin)
	return err == nil && u.Scheme == "http" && local(u.Host) && strings.EqualFold(u.Host, host)
}
