package box

import (
	"bufio"
	"crypto/tls"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/ripple/internal/testkit"
)

// proxied is a running proxy that tests send raw requests to.
type proxied struct {
	address string
	mu      sync.Mutex
	denials []Denial
}

func (p *proxied) denied() []Denial {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.denials)
}

func newProxied(t *testing.T, policy Policy) *proxied {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	p := &proxied{address: l.Addr().String()}
	done := make(chan struct{})
	go func() {
		newProxy(&policy, func(d Denial) {
			p.mu.Lock()
			defer p.mu.Unlock()
			p.denials = append(p.denials, d)
		}).serve(t.Context(), l)
		close(done)
	}()
	t.Cleanup(func() { l.Close(); <-done })
	return p
}

// ask sends a request and returns the whole response.
func (p *proxied) ask(t *testing.T, request string) string {
	c, err := net.Dial("tcp", p.address)
	require.NoError(t, err)
	defer c.Close()
	_, err = io.WriteString(c, request)
	require.NoError(t, err)
	require.NoError(t, c.(*net.TCPConn).CloseWrite())
	answer, err := io.ReadAll(c)
	require.NoError(t, err)
	return string(answer)
}

// connect opens a connection with CONNECT.
func (p *proxied) connect(t *testing.T, authority string) net.Conn {
	c, err := net.Dial("tcp", p.address)
	require.NoError(t, err)
	t.Cleanup(func() { c.Close() })
	_, err = fmt.Fprintf(c, "CONNECT %s HTTP/1.1\r\nHost: %[1]s\r\n\r\n", authority)
	require.NoError(t, err)
	line, err := bufio.NewReaderSize(io.LimitReader(c, int64(len("HTTP/1.1 200 OK\r\n\r\n"))), 64).ReadString('\n')
	require.NoError(t, err)
	require.Equal(t, "HTTP/1.1 200 OK\r\n", line)
	return c
}

func via(s *httptest.Server) string { return s.Listener.Addr().String() }

func TestProxyForwards(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		fmt.Fprintf(w, "%s %s %s %q", r.Method, r.Host, r.URL, body)
	}))
	defer server.Close()
	p := newProxied(t, Policy{Hosts: []Host{{Name: "model.test", Port: 80, Via: via(server)}}})
	answer := p.ask(t, "POST http://model.test/x?y HTTP/1.1\r\nHost: other.test\r\nContent-Length: 2\r\nConnection: close, X-Hop\r\nX-Hop: 1\r\n\r\nhiGET http://other.test/ HTTP/1.1\r\nHost: other.test\r\n\r\n")
	assert.Contains(t, answer, `POST model.test /x?y "hi"`)
	assert.Equal(t, 1, strings.Count(answer, "HTTP/1.1"), "one request per connection is served")
	answer = p.ask(t, "POST http://MODEL.test./ HTTP/1.1\r\nHost: MODEL.test.\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n")
	assert.Contains(t, answer, `"hi"`)
	assert.Empty(t, p.denied())
}

// The proxy does not forward requests that servers could parse in different ways.
func TestProxyRefusesAmbiguousRequests(t *testing.T) {
	p := newProxied(t, Policy{AnyHost: true})
	for name, header := range map[string]string{
		"two lengths":         "Content-Length: 1\r\nContent-Length: 2\r\n",
		"length and chunks":   "Content-Length: 4\r\nTransfer-Encoding: chunked\r\n",
		"unknown encoding":    "Transfer-Encoding: xchunked\r\n",
		"two encodings":       "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n",
		"two hosts":           "Host: b.test\r\n",
		"space before colon":  "Transfer-Encoding : chunked\r\n",
		"folded line":         "X: a\r\n b\r\n",
		"bare line feed":      "X: a\nTransfer-Encoding: chunked\r\n",
		"NUL":                 "X: a\x00b\r\n",
		"header without end":  strings.Repeat("X: y\r\n", maxHeader/6+1),
		"line without an end": "X: " + strings.Repeat("y", maxHeader),
	} {
		assert.Contains(t, p.ask(t, "POST http://a.test/ HTTP/1.1\r\nHost: a.test\r\n"+header+"\r\n"), "HTTP/1.1 400 ", name)
	}
	for _, line := range []string{
		"GET / HTTP/1.1", "GET ftp://a.test/ HTTP/1.1", "GET http://u@a.test/ HTTP/1.1", "CONNECT a.test:0 HTTP/1.1", "CONNECT a.test:99999 HTTP/1.1", "nonsense",
	} {
		assert.Contains(t, p.ask(t, line+"\r\nHost: a.test\r\n\r\n"), "HTTP/1.1 400 ", line)
	}
}

func TestProxyDenies(t *testing.T) {
	p := newProxied(t, Policy{Hosts: []Host{{Name: "ok.test"}, {Name: "localhost"}, {Name: "127.0.0.1"}, {Name: "169.254.169.254"}}})
	for authority, want := range map[string]Denial{
		"no.test:443":         {"no.test", 443, "not an allowed host"},
		"NO.test.:444":        {"no.test", 444, "not an allowed host"},
		"ok.test:22":          {"ok.test", 22, "not an allowed host"},
		"x.ok.test:443":       {"x.ok.test", 443, "not an allowed host"},
		"2130706433:443":      {"2130706433", 443, `"2130706433" is neither a host name nor an address: write an address like 192.0.2.1`},
		"localhost:443":       {"localhost", 443, "its address is not public"},
		"localhost.:80":       {"localhost", 80, "its address is not public"},
		"127.0.0.1:443":       {"127.0.0.1", 443, "its address is not public"},
		"169.254.169.254:80":  {"169.254.169.254", 80, "its address is not public"},
		"[::ffff:7f00:1]:443": {"127.0.0.1", 443, "its address is not public"},
	} {
		for range 2 {
			assert.Contains(t, p.ask(t, "CONNECT "+authority+" HTTP/1.1\r\nHost: x\r\n\r\n"), "HTTP/1.1 403 ", authority)
		}
		assert.Contains(t, p.denied(), want, authority)
	}
	assert.Len(t, p.denied(), 9, "each is reported once")
}

// A program in a box does not choose how long the denials are, which a loop records and puts into prompts.
func TestLengthOfDenials(t *testing.T) {
	server := httptest.NewServer(http.NotFoundHandler())
	defer server.Close()
	p := newProxied(t, Policy{AnyHost: true, Hosts: []Host{{Name: "a.test", Port: 443, Via: via(server)}}})
	long := strings.Repeat("a.", 2000) + "test"
	assert.Contains(t, p.ask(t, "CONNECT "+long+":443 HTTP/1.1\r\nHost: x\r\n\r\n"), "HTTP/1.1 400 ")
	assert.Contains(t, p.ask(t, "GET http://"+long+"/ HTTP/1.1\r\nHost: x\r\n\r\n"), "HTTP/1.1 400 ")
	assert.Empty(t, p.denied())
	c := tls.Client(p.connect(t, "a.test:443"), &tls.Config{ServerName: long, MinVersion: tls.VersionTLS12})
	assert.Error(t, c.Handshake())
	require.Eventually(t, func() bool { return len(p.denied()) == 1 }, testkit.Patience(10*time.Second), time.Millisecond)
	assert.Less(t, len(p.denied()[0].Reason), 300)
}

// A connection to an allowed host cannot be used to reach another host at the same address.
func TestProxyComparesTheServerName(t *testing.T) {
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "secret") }))
	server.Config.ErrorLog = log.New(io.Discard, "", 0) // connections that are closed early
	server.StartTLS()
	defer server.Close()
	p := newProxied(t, Policy{Hosts: []Host{{Name: "ok.test", Port: 443, Via: via(server)}, {Name: "ok.test", Port: 8443, Via: via(server)}}})
	for _, port := range []string{"443", "8443"} {
		for _, name := range []string{"other.test", "", "x.ok.test"} {
			c := tls.Client(p.connect(t, "ok.test:"+port), &tls.Config{ServerName: name, InsecureSkipVerify: true})
			assert.Error(t, c.Handshake(), name)
		}
		c := tls.Client(p.connect(t, "ok.test:"+port), &tls.Config{ServerName: "OK.test", InsecureSkipVerify: true})
		require.NoError(t, c.Handshake())
		_, err := io.WriteString(c, "GET / HTTP/1.0\r\n\r\n")
		require.NoError(t, err)
		answer, _ := io.ReadAll(c)
		assert.Contains(t, string(answer), "secret")
	}
	assert.Len(t, p.denied(), 6)
}
