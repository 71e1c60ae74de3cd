package pty

import (
	"bytes"
	"strconv"

	"golang.org/x/sys/unix"
)

// threadFile is a file of one of the leader's threads under /proc. It stays open between
// reads, because opening it is most of the cost; each read returns current content, or
// fails once the thread has ended.
type threadFile struct {
	tid  int
	name string
}

// maxOpen bounds the open files for programs with many or short-lived threads.
const maxOpen = 96

// thread reads a small file about a thread; it returns nil if that fails (the thread may have ended
// or belong to another user). The result is valid until the next call.
func (l *prober) thread(pid, tid int, name string) []byte {
	f := threadFile{tid, name}
	fd, kept := l.open[f]
	if kept && pid == l.leader {
		if n, err := unix.Pread(fd, l.buf[:], 0); err == nil {
			return l.buf[:n]
		}
		_ = unix.Close(fd) // its thread has ended; another one may have the id
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

func (l *prober) keep(f threadFile, fd int) {
	if len(l.open) == maxOpen {
		l.closeFiles()
	}
	if l.open == nil {
		l.open = map[threadFile]int{}
	}
	l.open[f] = fd
}

// file returns the content of a small file, like thread.
func (l *prober) file(name string) []byte {
	fd, err := unix.Open(name, unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil
	}
	defer unix.Close(fd)
	return l.filled(unix.Read(fd, l.buf[:]))
}

func (l *prober) filled(n int, err error) []byte {
	if err != nil {
		return nil
	}
	return l.buf[:n]
}

func (l *prober) closeFiles() {
	for _, fd := range l.open {
		_ = unix.Close(fd) // it was only read
	}
	clear(l.open)
}

// close closes the files; the terminal has been closed before.
func (l *prober) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closeFiles()
}

// stat is the used part of proc_pid_stat(5).
type stat struct {
	state               byte
	group, tty, threads int
}

// busy reports whether the thread runs or waits for a disk.
func (s stat) busy() bool { return s.state == 'R' || s.state == 'D' }

// parseStat parses a stat line; the name in it may contain anything, including parentheses and
// blanks.
func parseStat(line []byte) stat {
	const state, group, tty, threads = 0, 2, 4, 17 // counted from the field after the name
	var s stat
	n := 0
	for f := range bytes.FieldsSeq(line[bytes.LastIndexByte(line, ')')+1:]) {
		var err error
		switch n {
		case state:
			s.state = f[0]
		case group:
			s.group, err = strconv.Atoi(string(f))
		case tty:
			s.tty, err = strconv.Atoi(string(f))
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

// denied reports whether the kernel hides the thread's state: this user may not trace it; see
// "Ptrace access mode checking" in ptrace(2).
func denied(pid, tid int) bool {
	fd, err := unix.Open("/proc/"+strconv.Itoa(pid)+"/task/"+strconv.Itoa(tid)+"/syscall", unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err == nil {
		defer unix.Close(fd)
		var b [1]byte
		_, err = unix.Read(fd, b[:])
	}
	return err == unix.EACCES || err == unix.EPERM
}

// foreign reports whether a group exists that is otherwise invisible: /proc may be mounted that way
// (hidepid).
func foreign(group int) bool { return unix.Kill(-group, 0) == unix.EPERM }

// waitID combines a thread's id with the number of times it has gone to sleep, from its status; see
// proc_pid_status(5).
func waitID(tid int, status []byte) uint64 {
	_, count, _ := bytes.Cut(status, []byte("\nvoluntary_ctxt_switches:"))
	line, _, _ := bytes.Cut(count, []byte("\n"))
	sleeps, _ := strconv.ParseUint(string(bytes.TrimSpace(line)), 10, 64) // 0 if it is not a number: then waits cannot be distinguished
	return uint64(tid)<<32 + sleeps
}
