//go:build !linux && !darwin

package console

import "net"

// samePeer relies on the directory's mode on systems whose kernel is not asked.
func samePeer(*net.UnixConn) bool { return true }
