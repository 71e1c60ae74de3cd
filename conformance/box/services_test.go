//go:build linux

package box

import (
	"bufio"
	"crypto/tls"
	"io"
	"net"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// services are the servers and shared memory on this machine outside of boxes.
type services struct {
	secret         string
	tcp, tcp6, udp int // ports; 0 if there is none
	address        string
	shm            int
	front, tls     string // addresses of the servers that boxes may reach
	openProxy      string // URL of a proxy without restrictions

	mu      sync.Mutex
	further []string
}

func newServices(t *testing.T) *services {
	s := &services{secret: secret, address: address(), shm: newSharedMemory(t)}
	s.tcp = serve(t, "tcp4", "0.0.0.0:0", tell).(*net.TCPAddr).Port
	if l, err := net.Listen("tcp6", "[::1]:0"); err == nil {
		t.Cleanup(func() { l.Close() })
		go tell(l)
		s.tcp6 = l.Addr().(*net.TCPAddr).Port
	}
	s.udp = serveUDP(t)
	s.front = serve(t, "tcp4", "127.0.0.1:0", accept(s.answer)).String()
	s.tls = serve(t, "tcp4", "127.0.0.1:0", accept(answerTLS(t))).String()
	s.openProxy = "http://" + serve(t, "tcp4", "127.0.0.1:0", accept(s.carry)).String()
	return s
}

// address returns an address of this machine other than loopback, or "".
func address() string {
	addresses, err := net.InterfaceAddrs()
	if err != nil {
		return ""
	}
	for _, a := range addresses {
		if ip, ok := a.(*net.IPNet); ok && ip.IP.To4() != nil && !ip.IP.IsLoopback() {
			return ip.IP.String()
		}
	}
	return ""
}

func serve(t *testing.T, network, at string, with func(net.Listener)) net.Addr {
	l, err := net.Listen(network, at)
	require.NoError(t, err)
	t.Cleanup(func() { l.Close() })
	go with(l)
	return l.Addr()
}

// accept calls handle for each connection and then closes it.
func accept(handle func(net.Conn)) func(net.Listener) {
	return func(l net.Listener) {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				handle(c)
				finish(c)
			}()
		}
	}
}

// finish closes a connection after the peer has received all data.
func finish(c net.Conn) {
	if half, ok := c.(interface{ CloseWrite() error }); ok && half.CloseWrite() == nil {
		_, _ = io.Copy(io.Discard, c) // until the peer closes it
	}
	c.Close()
}

// tell sends the secret to every client.
func tell(l net.Listener) {
	accept(func(c net.Conn) { _, _ = io.WriteString(c, "HTTP/1.0 200 OK\r\n\r\n"+secret+"\n") })(l)
}

func serveUDP(t *testing.T) int {
	c, err := net.ListenPacket("udp4", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { c.Close() })
	go func() {
		buffer := make([]byte, 99)
		for {
			_, from, err := c.ReadFrom(buffer)
			if err != nil {
				return
			}
			_, _ = c.WriteTo([]byte(secret), from) // the client may be gone
		}
	}()
	return c.LocalAddr().(*net.UDPAddr).Port
}

// answer is a server that boxes may reach. It answers requests for another host with the secret,
// like a reverse proxy for several hosts.
func (s *services) answer(c net.Conn) {
	var seen strings.Builder
	buffer := make([]byte, 4096)
	for {
		n, err := c.Read(buffer)
		seen.Write(buffer[:n])
		other := strings.Contains(seen.String(), "internal.test")
		if closes := strings.Contains(seen.String(), "Connection: close\r\n"); closes && other {
			s.mu.Lock()
			s.further = append(s.further, seen.String())
			s.mu.Unlock()
		} else if closes && strings.Contains(seen.String(), "\r\n\r\n") || err != nil {
			_, _ = io.WriteString(c, "HTTP/1.0 200 OK\r\n\r\nok\n") // the client may be gone
			return
		}
		if other {
			_, _ = io.WriteString(c, "HTTP/1.0 200 OK\r\n\r\n"+secret+"\n") // as above
			return
		}
	}
}

// smuggled returns the requests for another host that came through a proxy that sends
// "Connection: close".
func (s *services) smuggled() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.further
}

// answerTLS sends the secret to clients that ask for a server name other than tls.test.
func answerTLS(t *testing.T) func(net.Conn) {
	server := httptest.NewTLSServer(nil) // for its certificate
	config := &tls.Config{Certificates: server.TLS.Certificates}
	server.Close()
	t.Cleanup(server.Close)
	return func(c net.Conn) {
		s := tls.Server(c, config)
		if s.Handshake() != nil {
			return
		}
		text := secret
		if s.ConnectionState().ServerName == "tls.test" {
			text = "ok"
		}
		_, _ = io.WriteString(s, text) // the client may be gone
	}
}

// carry is an ordinary proxy. It forwards requests for the servers that boxes may reach
// unchanged, and answers all others with the secret.
func (s *services) carry(c net.Conn) {
	in := bufio.NewReader(c)
	var head strings.Builder
	for !strings.HasSuffix(head.String(), "\r\n\r\n") {
		line, err := in.ReadString('\n')
		head.WriteString(line)
		if err != nil {
			return
		}
	}
	first, _, _ := strings.Cut(head.String(), "\r\n")
	to, send := "", ""
	switch {
	case strings.HasPrefix(first, "CONNECT tls.test:443 "):
		to = s.tls
	case strings.Contains(first, " http://allowed.test/ "):
		to, send = s.front, head.String()
	}
	if strings.HasPrefix(first, "CONNECT ") {
		_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\n\r\n") // on an error, the next call fails, too
	}
	if to == "" {
		_, _ = io.WriteString(c, "HTTP/1.0 200 OK\r\n\r\n"+secret+"\n") // the client may be gone
		return
	}
	server, err := net.Dial("tcp", to)
	if err != nil {
		return
	}
	defer server.Close()
	_, _ = io.WriteString(server, send) // on an error, the next call fails, too
	go func() { _, _ = io.Copy(server, in) }()
	_, _ = io.Copy(c, server) // until either side closes
}
