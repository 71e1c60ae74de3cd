package console

import (
	"net"
	"net/http"
	"os"
	"time"

	"example.org/ripple/runtime/console/place"
)

// doorLook is the interval at which a host checks whether its socket is still there.
const doorLook = 3 * time.Second

// door is where clients reach a host: its claim, which is renewed if the socket or its lock was removed,
// and the socket. After the start only the goroutine of host.serve uses it.
type door struct {
	claim    *place.Claim
	getenv   func(string) string
	listener net.Listener
	server   *http.Server
	failure  string // of the last attempt to make the socket again, which is logged once
}

// open reports whether clients find the socket and its lock. While the lock is there, no other console
// makes a socket of that name.
func (d *door) open() bool {
	_, err := os.Lstat(d.claim.Files.Socket)
	return err == nil && d.claim.HasLock()
}

// reopen makes the socket again. Connections of the previous one go on.
func (d *door) reopen(name string) error {
	_ = d.listener.Close() // it is closed already if the previous attempt failed
	if err := d.claim.Renew(d.getenv, name); err != nil {
		return err
	}
	l, err := listen(d.claim.Files.Socket)
	if err != nil {
		return err
	}
	d.listener = l
	go func() { _ = d.server.Serve(l) }() // until it is closed by reopen or the server ends
	return nil
}

// keepReachable makes the socket again if it was removed, as the system does with a user's runtime
// directory at a logout and other programs do with old files in /tmp.
func (h *host) keepReachable(d *door) {
	if d.open() {
		return
	}
	if err := d.reopen(h.spec.Name); err != nil {
		if d.failure != err.Error() {
			d.failure = err.Error()
			h.log.Warn("the socket was removed and cannot be made again", "error", err)
		}
		return
	}
	d.failure = ""
	h.mu.Lock()
	h.socket = d.claim.Files.Socket
	h.mu.Unlock()
	h.log.Info("the socket was removed and is made again", "socket", d.claim.Files.Socket)
	h.save() // which leads clients to it
}
