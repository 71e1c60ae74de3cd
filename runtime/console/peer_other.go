//go:build !linux && !darwin

package console

import "net"

// samePeer is left to the directory's mode where the kernel is not asked.
func samePeer(*net.UnixConn) bool { return true }
