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

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// Handler serves clients over HTTP (the protocol's "streamable" transport). Each request needs the
// token as "Authorization: Bearer TOKEN", a Host that names this machine itself (so that a web page
// cannot reach it by DNS rebinding), and, if it has an Origin, the one that belongs to that Host.
func (s *Server) Handler(token string) http.Handler {
	inner := sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return s.sdk }, nil)
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
			if refused := checkBody(r); refused != nil {
				w.Header().Set("Content-Type", "application/json")
				w.WriteHeader(http.StatusBadRequest)
				_, _ = w.Write(refused.line()) // the client may be gone
				return
			}
			inner.ServeHTTP(w, r)
		}
	})
}

// checkBody returns a refusal if the body of a request is a batch that is too long or uses an ID twice,
// because the SDK would carry out both calls and answer one. The SDK checks everything else.
func checkBody(r *http.Request) *refusal {
	if r.Method != http.MethodPost {
		return nil
	}
	const limit = sdk.DefaultMaxRequestBodyBytes
	body, err := io.ReadAll(io.LimitReader(r.Body, limit+1))
	r.Body = struct {
		io.Reader
		io.Closer
	}{io.MultiReader(bytes.NewReader(body), r.Body), r.Body}
	if err != nil || len(body) == 0 || len(body) > limit {
		return nil
	}
	if !json.Valid(body) {
		return refusalOf(nil, codeParse, errors.New("the body is not JSON"))
	}
	if !isBatch(body) {
		return nil
	}
	if err := checkBatch(body); err != nil {
		return refusalOf(nil, codeInvalid, err)
	}
	return nil
}

func checkBatch(body []byte) error {
	messages, err := messagesOf(body)
	seen := map[any]bool{}
	for _, one := range messages {
		m, _ := jsonrpc.DecodeMessage(one) // the SDK refuses an invalid message
		id := callID(m)
		if id != nil && seen[id] {
			return fmt.Errorf("two calls of the batch have the id %v", id)
		}
		seen[id] = true
	}
	return err
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
