package console

import (
	"errors"
	"net"
	"os"
	"sync"
)

// mostConnections are served at once; who comes beyond is turned away, so that they take
// neither the memory nor the files that the program's session needs.
const mostConnections = 1000

// listen makes a socket that only this user can connect to.
func listen(path string) (net.Listener, error) {
	l, err := net.Listen("unix", path)
	if err != nil {
		return nil, err
	}
	if err := os.Chmod(path, 0o600); err != nil { // the directory is private already
		return nil, errors.Join(err, l.Close())
	}
	return &ours{l.(*net.UnixListener), make(chan struct{}, mostConnections)}, nil
}

// ours accepts connections of this user's processes only.
type ours struct {
	*net.UnixListener
	open chan struct{} // a place for each connection
}

func (l *ours) Accept() (net.Conn, error) {
	for {
		c, err := l.AcceptUnix()
		if err != nil {
			return nil, err
		}
		if samePeer(c) {
			select {
			case l.open <- struct{}{}:
				return &counted{UnixConn: c, leave: func() { <-l.open }}, nil
			default:
			}
		}
		_ = c.Close() // a stranger, or one too many
	}
}

// counted is a connection that gives its place back.
type counted struct {
	*net.UnixConn
	once  sync.Once
	leave func()
}

func (c *counted) Close() error {
	c.once.Do(c.leave)
	return c.UnixConn.Close()
}
