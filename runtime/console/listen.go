package console

import (
	"errors"
	"net"
	"os"
	"sync"
)

// maxConnections is the maximum number of connections served at a time; further ones are closed,
// so that they do not use up the memory and file descriptors that the session needs.
const maxConnections = 1000

// listen creates a socket to which only this user can connect. The claim of the name removes it.
func listen(path string) (net.Listener, error) {
	l, err := net.Listen("unix", path)
	if err != nil {
		return nil, err
	}
	l.(*net.UnixListener).SetUnlinkOnClose(false) // its path may be that of a newer socket
	if err := os.Chmod(path, 0o600); err != nil { // the directory is already private
		return nil, errors.Join(err, l.Close())
	}
	return &privateListener{l.(*net.UnixListener), make(chan struct{}, maxConnections)}, nil
}

// privateListener accepts only connections from this user's processes.
type privateListener struct {
	*net.UnixListener
	open chan struct{} // one slot per connection
}

func (l *privateListener) Accept() (net.Conn, error) {
	for {
		c, err := l.AcceptUnix()
		if err != nil {
			return nil, err
		}
		if samePeer(c) {
			select {
			case l.open <- struct{}{}:
				return &limitedConn{UnixConn: c, leave: func() { <-l.open }}, nil
			default:
			}
		}
		_ = c.Close() // another user, or too many connections
	}
}

// limitedConn is a connection that releases its slot when closed.
type limitedConn struct {
	*net.UnixConn
	once  sync.Once
	leave func()
}

func (c *limitedConn) Close() error {
	c.once.Do(c.leave)
	return c.UnixConn.Close()
}
