package pty

import (
	"bytes"
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

// stat is what a look wants of proc_pid_stat(5).
type stat struct {
	state          byte
	group, threads int
}

// busy says that it runs or waits for a disk.
func (s stat) busy() bool { return s.state == 'R' || s.state == 'D' }

// parseStat reads a stat line; the name in it may hold anything, parentheses and
// blanks included.
func parseStat(line []byte) stat {
	const state, group, threads = 0, 2, 17 // counted from the one behind the name
	var s stat
	n := 0
	for f := range bytes.FieldsSeq(line[bytes.LastIndexByte(line, ')')+1:]) {
		var err error
		switch n {
		case state:
			s.state = f[0]
		case group:
			s.group, err = strconv.Atoi(string(f))
		case threads:
			if s.threads, err = strconv.Atoi(string(f)); err == nil {
				return s
			}
		}
		if err != nil {
			break
		}
		n++
	}
	return stat{}
}

// parseSyscall reads "nr arg0 … arg5 sp pc"; see proc_pid_syscall(5).
func parseSyscall(line []byte) (nr int, args [6]uint64, stack uint64, ok bool) {
	f := bytes.Fields(line)
	if len(f) < 8 {
		return 0, args, 0, false
	}
	nr, err := strconv.Atoi(string(f[0]))
	hex := func(field []byte) uint64 {
		n, e := strconv.ParseUint(string(bytes.TrimPrefix(field, []byte("0x"))), 16, 64)
		if err == nil {
			err = e
		}
		return n
	}
	for i := range args {
		args[i] = hex(f[i+1])
	}
	stack = hex(f[7])
	return nr, args, stack, err == nil
}
