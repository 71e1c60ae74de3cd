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
	socket   os.FileInfo // of the listener; nil: its file was removed at once
	server   *http.Server
	failure  string // of the last attempt to make the socket again, which is logged once
}

// listen makes the socket.
func (d *door) listen() error {
	l, err := listen(d.claim.Files.Socket)
	if err != nil {
		return err
	}
	d.listener = l
	d.socket, _ = os.Lstat(d.claim.Files.Socket)
	return nil
}

// open reports whether clients find the socket and its lock. While the lock is there, no other console
// makes a socket of that name.
func (d *door) open() bool { return d.hasSocket() && d.claim.HasLock() }

// hasSocket reports whether the socket is still where clients look for it.
func (d *door) hasSocket() bool { return names(d.claim.Files.Socket, d.socket) }

// names reports whether a path is that of a file.
func names(path string, file os.FileInfo) bool {
	named, err := os.Lstat(path)
	return err == nil && os.SameFile(named, file)
}

// reopen makes the socket again, after it has claimed the place for it: if that fails, a socket that works
// stays. Connections of the previous one go on.
func (d *door) reopen(name string) error {
	path, socket, previous := d.claim.Files.Socket, d.socket, d.listener
	if err := d.claim.Renew(d.getenv, name, socket); err != nil {
		return err
	}
	if d.hasSocket() { // only its lock was removed
		return nil
	}
	if err := d.listen(); err != nil {
		return err
	}
	if names(path, socket) { // the place has changed
		_ = os.Remove(path)
	}
	_ = previous.Close()                                          // no client finds it now
	go func(l net.Listener) { _ = d.server.Serve(l) }(d.listener) // until it is closed by reopen or the server ends
	return nil
}

// keepReachable makes the socket and the directory of results again if they were removed, as the system does with a user's
// runtime directory at a logout and users and other programs do with old files.
func (h *host) keepReachable(d *door) {
	if d.claim.HasRecord() && d.open() {
		return
	}
	if err := h.makeReachable(d); err != nil {
		if d.failure != err.Error() {
			d.failure = err.Error()
			h.log.Warn("the socket, its lock or the results were removed and cannot be made again", "error", err)
		}
		return
	}
	d.failure = ""
	h.mu.Lock()
	h.socket = d.claim.Files.Socket
	h.mu.Unlock()
	h.log.Info("the socket, its lock or the results were removed, and are made again", "socket", d.claim.Files.Socket)
	h.save() // which leads clients to it
}

// makeReachable makes what was removed again.
func (h *host) makeReachable(d *door) error {
	if !d.claim.HasRecord() {
		if err := d.claim.RenewRecord(); err != nil {
			return err
		}
		if err := h.record.renew(); err != nil {
			return err
		}
	}
	if d.open() {
		return nil
	}
	return d.reopen(h.spec.Name)
}
