//go:build unix

package ui

import "syscall"

// nonBlock keeps the opening of a pipe from waiting for its reader.
const nonBlock = syscall.O_NONBLOCK

// openable returns how many of n files could be opened. It does not use Go's Open, which would start
// the runtime parts that fail without them.
func openable(n int) (int, error) {
	var files []int
	defer func() {
		for _, fd := range files {
			_ = syscall.Close(fd) // nothing was read or written
		}
	}()
	for len(files) < n {
		// exists on every system, even without /dev
		fd, err := syscall.Open("/", syscall.O_RDONLY|syscall.O_CLOEXEC, 0)
		if err != nil {
			return len(files), err
		}
		files = append(files, fd)
	}
	return n, nil
}
