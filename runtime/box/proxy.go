package box

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

// Limits of the proxy.
const (
	maxConnections = 512
	maxHeader      = 64 << 10 // bytes of a request's header or a TLS client hello
	maxDenials     = 1000     // distinct denials that are reported
	dialTimeout    = 30 * time.Second
	headerTimeout  = 30 * time.Second
	lingerTimeout  = time.Second
)

// proxy is the HTTP proxy of one box; it supports CONNECT and connects to the hosts that the
// policy allows. It serves one request per connection, so that every request is checked.
type proxy struct {
	policy *Policy
	denied func(Denial)

	mu    sync.Mutex
	seen  map[Denial]bool
	slots chan struct{}
}

func newProxy(policy *Policy, denied func(Denial)) *proxy {
	return &proxy{policy: policy, denied: denied, seen: map[Denial]bool{}, slots: make(chan struct{}, maxConnections)}
}

// serve accepts connections until the listener is closed, and then closes them. It also closes
// open connections when the context is done, and returns when all are closed.
func (p *proxy) serve(ctx context.Context, l net.Listener) {
	ctx, cancel := context.WithCancel(ctx)
	var open sync.WaitGroup
	defer open.Wait()
	defer cancel()
	for {
		c, err := l.Accept()
		if err != nil {
			return
		}
		p.slots <- struct{}{}
		open.Go(func() {
			defer func() { <-p.slots }()
			defer c.Close()
			stop := context.AfterFunc(ctx, func() { c.Close() })
			defer stop()
			p.handle(ctx, c)
		})
	}
}

// refusal is an error that is sent to the client; it may be a denial.
type refusal struct {
	status int
	denial *Denial
	text   string
}

// Error implements error.
func (r *refusal) Error() string { return r.text }

func malformed(format string, args ...any) error {
	return &refusal{status: http.StatusBadRequest, text: fmt.Sprintf(format, args...)}
}

func deny(host string, port int, format string, args ...any) error {
	d := Denial{Host: host, Port: port, Reason: fmt.Sprintf(format, args...)}
	return &refusal{status: http.StatusForbidden, denial: &d, text: "denied by the box: " + d.String()}
}

// report passes each distinct denial to p.denied once.
func (p *proxy) report(d Denial) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.seen[d] || len(p.seen) >= maxDenials {
		return
	}
	p.seen[d] = true
	if p.denied != nil {
		p.denied(d)
	}
}

func (p *proxy) handle(ctx context.Context, c net.Conn) {
	_ = c.SetReadDeadline(time.Now().Add(headerTimeout)) // on a closed connection, the read fails, too
	in := bufio.NewReader(c)
	req, err := readRequest(in)
	if err == nil {
		_ = c.SetReadDeadline(time.Time{})
		if req.Method == http.MethodConnect {
			err = p.connect(ctx, c, in, req)
		} else {
			err = p.forward(ctx, c, req)
		}
	}
	if r, ok := errors.AsType[*refusal](err); ok {
		if r.denial != nil {
			p.report(*r.denial)
		}
		fmt.Fprintf(c, "HTTP/1.1 %d %s\r\nContent-Type: text/plain; charset=utf-8\r\nConnection: close\r\nContent-Length: %d\r\n\r\n%s\n",
			r.status, http.StatusText(r.status), len(r.text)+1, r.text)
	}
	linger(c)
}

// linger half-closes a connection and drains it, so that the client can read the whole
// response. Closing a connection with unread input could discard the response.
func linger(c net.Conn) {
	half, ok := c.(interface{ CloseWrite() error })
	if !ok || half.CloseWrite() != nil || c.SetReadDeadline(time.Now().Add(lingerTimeout)) != nil {
		return
	}
	_, _ = io.CopyN(io.Discard, c, maxHeader) // the rest of the input is not needed
}

// target parses an authority and returns its host and port if the policy allows them.
func (p *proxy) target(authority string, standard int) (Host, int, error) {
	name, port := authority, standard
	if host, text, err := net.SplitHostPort(authority); err == nil {
		n, err := strconv.ParseUint(text, 10, 16)
		if err != nil || n == 0 {
			return Host{}, 0, malformed("the port is not a number from 1 to 65535")
		}
		name, port = host, int(n)
		if strings.Contains(host, ":") {
			name = "[" + host + "]"
		}
	}
	if len(name) > maxName+len(".") {
		return Host{}, 0, malformed("the host name is longer than %d bytes", maxName)
	}
	normal, err := normalize(name)
	if err != nil {
		return Host{}, 0, deny(name, port, "%v", err)
	}
	host, ok := p.policy.allowed(normal, port)
	if !ok {
		return Host{}, 0, deny(normal, port, "not an allowed host")
	}
	return host, port, nil
}

// dial connects to an allowed host. It checks the address that is actually dialed, so
// DNS rebinding does not bypass the check.
func (p *proxy) dial(ctx context.Context, host Host, port int) (net.Conn, error) {
	d := net.Dialer{Timeout: dialTimeout}
	to := host.Via
	if to == "" {
		to = net.JoinHostPort(host.Name, strconv.Itoa(port))
		d.ControlContext = func(_ context.Context, _, address string, _ syscall.RawConn) error {
			addr, err := netip.ParseAddrPort(address)
			if err != nil || !public(addr.Addr()) {
				return deny(host.Name, port, "its address is not public")
			}
			if local, err := onThisMachine(addr.Addr(), net.InterfaceAddrs); err != nil || local {
				return deny(host.Name, port, "its address is one of this machine, or of a network that it is in")
			}
			return nil
		}
	}
	c, err := d.DialContext(ctx, "tcp", to)
	if err == nil {
		return c, nil
	}
	if r, ok := errors.AsType[*refusal](err); ok {
		return nil, r
	}
	return nil, &refusal{status: http.StatusBadGateway, text: "cannot connect to " + strconv.Quote(host.Name) + ": " + err.Error()}
}

// forward forwards one plain HTTP request and its response.
func (p *proxy) forward(ctx context.Context, c net.Conn, req *http.Request) error {
	if req.URL.Scheme != "http" || req.URL.Host == "" || req.URL.User != nil {
		return malformed("only http: URLs and CONNECT are supported")
	}
	host, port, err := p.target(req.URL.Host, 80)
	if err != nil {
		return err
	}
	if port == 443 && host.Via == "" {
		return deny(host.Name, port, "not encrypted")
	}
	to, err := p.dial(ctx, host, port)
	if err != nil {
		return err
	}
	defer to.Close()
	stop := context.AfterFunc(ctx, func() { to.Close() })
	defer stop()
	for _, name := range strings.Split(req.Header.Get("Connection"), ",") {
		req.Header.Del(strings.TrimSpace(name))
	}
	for _, name := range []string{"Connection", "Proxy-Connection", "Proxy-Authorization", "Keep-Alive", "Upgrade", "Te", "Trailer", "Expect"} {
		req.Header.Del(name)
	}
	req.Close = true // the server ends the response by closing the connection
	if err := req.Write(to); err != nil {
		return err
	}
	_, err = io.Copy(c, to)
	return err
}

// connect serves a CONNECT request. If the client speaks TLS, its server name must be the
// requested host.
func (p *proxy) connect(ctx context.Context, c net.Conn, in *bufio.Reader, req *http.Request) error {
	host, port, err := p.target(req.RequestURI, 0)
	if err != nil {
		return err
	}
	to, err := p.dial(ctx, host, port)
	if err != nil {
		return err
	}
	defer to.Close()
	stop := context.AfterFunc(ctx, func() { to.Close() })
	defer stop()
	if _, err := io.WriteString(c, "HTTP/1.1 200 OK\r\n\r\n"); err != nil {
		return err
	}
	var back sync.WaitGroup
	back.Go(func() {
		_, _ = io.Copy(c, to) // until either connection is closed
		c.Close()
	})
	defer back.Wait()
	hello, err := clientHello(c, in, host, port)
	if err != nil {
		to.Close()
		if r, ok := errors.AsType[*refusal](err); ok && r.denial != nil {
			p.report(*r.denial)
		}
		return nil // the client already has the response to CONNECT
	}
	if _, err := to.Write(hello); err == nil {
		_, _ = io.Copy(to, in)
	}
	if half, ok := to.(*net.TCPConn); ok {
		_ = half.CloseWrite() // it may be closed already
	}
	return nil
}
