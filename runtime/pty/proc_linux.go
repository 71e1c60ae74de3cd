package pty

import (
	"strconv"

	"golang.org/x/sys/unix"
)

// threadFile is a file of one of the leader's threads under /proc. It stays open
// from one look to the next, for opening is most of what a look costs; it reads
// anew each time, and not at all once the thread has gone.
type threadFile struct {
	tid  int
	name string
}

// maxOpen bounds the files of a program with many threads, or with short ones.
const maxOpen = 96

// thread reads a small file about a thread; nothing when that fails (it may be
// gone or another user's). The result is valid until the next call.
func (l *looker) thread(pid, tid int, name string) []byte {
	f := threadFile{tid, name}
	fd, kept := l.open[f]
	if kept && pid == l.leader {
		if n, err := unix.Pread(fd, l.buf[:], 0); err == nil {
			return l.buf[:n]
		}
		_ = unix.Close(fd) // its thread has gone; another one may have the number
		delete(l.open, f)
	}
	file := "/proc/" + strconv.Itoa(pid) + "/task/" + strconv.Itoa(tid) + "/" + name
	if pid != l.leader {
		return l.file(file)
	}
	fd, err := unix.Open(file, unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil
	}
	l.keep(f, fd)
	return l.filled(unix.Read(fd, l.buf[:]))
}

func (l *looker) keep(f threadFile, fd int) {
	if len(l.open) == maxOpen {
		l.closeFiles()
	}
	if l.open == nil {
		l.open = map[threadFile]int{}
	}
	l.open[f] = fd
}

// file is the content of a small file, like that of thread.
func (l *looker) file(name string) []byte {
	fd, err := unix.Open(name, unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil
	}
	defer unix.Close(fd)
	return l.filled(unix.Read(fd, l.buf[:]))
}

func (l *looker) filled(n int, err error) []byte {
	if err != nil {
		return nil
	}
	return l.buf[:n]
}

func (l *looker) closeFiles() {
	for _, fd := range l.open {
		_ = unix.Close(fd) // it was only read
	}
	clear(l.open)
}

// close ends looking; the terminal is closed already.
func (l *looker) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closeFiles()
}
