package proctree

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Complete reports whether whole trees can be found and guarded on this system.
const Complete = true

// SetSubreaper makes this process adopt its descendants' orphans, so that they stay its descendants.
// The setting lasts until this process ends; children do not inherit it.
func SetSubreaper() error {
	return os.NewSyscallError("become a subreaper", unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0))
}

func isSubreaper() bool {
	var on int32
	// Not unix.Prctl, which takes the address as a number: the variable may move meanwhile.
	_, _, err := unix.RawSyscall(unix.SYS_PRCTL, unix.PR_GET_CHILD_SUBREAPER, uintptr(unsafe.Pointer(&on)), 0)
	return err == 0 && on != 0
}

// ReaperPID returns the ID of the process that adopts orphans below this one: this process after
// SetSubreaper, or the keeper that Guard started. It returns 0 if another program adopts them.
func ReaperPID() int {
	if keeper := keeperID.Load(); keeper != 0 {
		return int(keeper)
	}
	if isSubreaper() {
		return os.Getpid()
	}
	return 0
}

// Find identifies a process by its id; it returns false if there is none or only a zombie.
func Find(pid int) (Process, bool) {
	e, ok := stat(pid)
	if !ok || e.zombie() {
		return Process{PID: pid}, false
	}
	return e.Process, true
}

// StoppedGroup returns the process group of a process that is stopped, as by SIGSTOP or Ctrl-Z on its terminal; 0 if
// it is not stopped.
func StoppedGroup(pid int) int {
	e, ok := stat(pid)
	if !ok || e.state != 'T' && e.state != 't' {
		return 0
	}
	group, err := unix.Getpgid(pid)
	if err != nil {
		return 0 // it ended
	}
	return group
}

// Continue sends SIGCONT to a process group.
func Continue(group int) error { return unix.Kill(-group, unix.SIGCONT) }

// Descendants lists the living descendants of a process, itself excluded, in no particular order.
// Zombies are left out.
func Descendants(pid int) []Process {
	var list []Process
	s, _ := scan()
	for member := range s.descend(map[int]bool{pid: true}) {
		if e, ok := s[member]; ok && member != pid && !e.zombie() {
			list = append(list, e.Process)
		}
	}
	return list
}

// entry is the content of /proc/PID/stat.
type entry struct {
	Process
	state        byte
	parent, sess int
	threads      int
}

// zombie reports whether a process has ended. A process of which only the first thread has ended
// has the same state: the other threads live on, and have the children that they started.
func (e entry) zombie() bool { return (e.state == 'Z' || e.state == 'X') && e.threads <= 1 }

// snapshot holds all processes by id.
type snapshot map[int]entry

// scan reads all of /proc. It is not atomic: a process that forks after the listing and ends before
// its turn hides its child. whole is false if a process ended in this way; a process that ended and
// was not reaped is listed as a zombie.
func scan() (s snapshot, whole bool) {
	dir, err := os.Open("/proc")
	if err != nil {
		return nil, true // another scan would not find more
	}
	defer dir.Close()
	names, _ := dir.Readdirnames(-1) // names read before an error count
	s, whole = make(snapshot, len(names)), true
	for _, name := range names {
		if pid, err := strconv.Atoi(name); err == nil {
			e, ok := stat(pid)
			if ok {
				s[pid] = e
			}
			whole = whole && ok
		}
	}
	return s, whole
}

func stat(pid int) (entry, bool) {
	var buf [1024]byte
	fd, err := unix.Open("/proc/"+strconv.Itoa(pid)+"/stat", unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return entry{}, false // it ended
	}
	defer unix.Close(fd)
	n, err := unix.Read(fd, buf[:])
	if err != nil {
		return entry{}, false
	}
	return parseStat(pid, buf[:n])
}

// parseStat parses proc_pid_stat(5). The name may contain anything, including parentheses and
// blanks.
func parseStat(pid int, line []byte) (e entry, ok bool) {
	open, end := bytes.IndexByte(line, '('), bytes.LastIndexByte(line, ')')
	if open < 0 || end < open {
		return e, false
	}
	const state, parent, session, threads, start = 0, 1, 3, 17, 19 // after the name
	f := bytes.Fields(line[end+1:])
	if len(f) <= start {
		return e, false
	}
	var errs [4]error
	e.PID, e.Name, e.state = pid, string(line[open+1:end]), f[state][0]
	e.parent, errs[0] = strconv.Atoi(string(f[parent]))
	e.sess, errs[1] = strconv.Atoi(string(f[session]))
	e.Start, errs[2] = strconv.ParseUint(string(f[start]), 10, 64)
	e.threads, errs[3] = strconv.Atoi(string(f[threads]))
	return e, errs == [4]error{}
}

// descend adds all descendants to a set of ids.
func (s snapshot) descend(set map[int]bool) map[int]bool {
	for grown := true; grown; {
		grown = false
		for pid, e := range s {
			if !set[pid] && set[e.parent] {
				set[pid], grown = true, true
			}
		}
	}
	return set
}

// beforeExec reports whether a process is a copy of this one on its way to exec: until
// then it holds every file that this process had open when it forked, including the
// terminals of other programs.
func beforeExec(pid int) bool {
	theirs, err1 := os.Readlink("/proc/" + strconv.Itoa(pid) + "/exe")
	ours, err2 := os.Readlink("/proc/self/exe")
	return err1 == nil && err2 == nil && theirs == ours
}

// HasOpen reports whether a process has a file open. Without /proc this is unknown, and the result is true for any process
// ID. The error is that of reading the list of files of a process, as of another user's.
func HasOpen(pid int, file fs.FileInfo) (bool, error) {
	if _, err := os.Stat("/proc/self/fd"); err != nil {
		return pid > 0, nil
	}
	dir := "/proc/" + strconv.Itoa(pid) + "/fd"
	fds, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil // it ended
	}
	for _, fd := range fds {
		if info, err := os.Stat(filepath.Join(dir, fd.Name())); err == nil && os.SameFile(info, file) {
			return true, nil
		}
	}
	return false, err
}

// holds reports whether a process has a file open.
func holds(pid int, file string) bool {
	dir := "/proc/" + strconv.Itoa(pid) + "/fd"
	fds, err := os.ReadDir(dir)
	if err != nil {
		return false // ended, or another user's
	}
	for _, fd := range fds {
		if link, err := os.Readlink(dir + "/" + fd.Name()); err == nil && link == file {
			return true
		}
	}
	return false
}
