package mcp

import (
	"crypto/subtle"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// Handler serves clients over HTTP (the protocol's "streamable" transport). Each
// request needs the token as "Authorization: Bearer TOKEN", a Host that is this
// machine's own (so that no web page can reach it by a name of its own, DNS
// rebinding), and, from a browser, an Origin that is.
func (s *Server) Handler(token string) http.Handler {
	inner := sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return s.sdk }, nil)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		origin := r.Header.Get("Origin")
		given, bearer := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
		switch {
		case !local(r.Host):
			http.Error(w, "this server answers to 127.0.0.1 and localhost only", http.StatusForbidden)
		case origin != "" && !localOrigin(origin):
			http.Error(w, "pages of other origins are refused", http.StatusForbidden)
		case !bearer || subtle.ConstantTimeCompare([]byte(given), []byte(token)) != 1:
			w.Header().Set("WWW-Authenticate", "Bearer")
			http.Error(w, "the token is missing or wrong", http.StatusUnauthorized)
		default:
			inner.ServeHTTP(w, r)
		}
	})
}

// Listen opens a port for Handler; only the machine itself reaches it.
func Listen(address string) (net.Listener, error) {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	if !local(host) {
		return nil, fmt.Errorf("%s is not this machine alone: 127.0.0.1, ::1 and localhost are", address)
	}
	return net.Listen("tcp", address)
}

// local says whether a host, with or without a port, is this machine by an address
// of the loopback or as localhost.
func local(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	ip := net.ParseIP(strings.Trim(host, "[]"))
	return strings.EqualFold(host, "localhost") || ip != nil && ip.IsLoopback()
}

func localOrigin(origin string) bool {
	u, err := url.Parse(origin)
	return err == nil && local(u.Host)
}
