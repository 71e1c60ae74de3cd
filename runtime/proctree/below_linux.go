package proctree

import (
	"bytes"
	"os"
	"slices"
	"strconv"

	"golang.org/x/sys/unix"
)

// childrenFile is the list's name. Tests give it another: then there is none.
var childrenFile = "children"

// passes bounds how often below starts again while processes end under its eyes.
const passes = 8

// below reads a process and all below it, by the kernel's lists of children
// (/proc/PID/task/TID/children): of a few processes, where scan reads all of the
// machine's. listed is false where the kernel keeps no such lists.
//
// An ended process hands its children to the adopter, perhaps after the adopter's
// list was read; so that list is read anew as long as one has ended meanwhile. A
// process is looked at after its list was read: alive then, it had them all.
//
// Of what this process started itself leader alone counts, unless it adopts: the rest
// are other trees, and each of our threads has a list of its own.
func below(adopter, leader int) (s snapshot, whole, listed bool) {
	s = snapshot{}
	self := os.Getpid()
	ended := map[int]bool{}
	whole = true
	if _, there := stat(leader); !there {
		ended[leader] = true // it has handed on what it had before any list was read
	}
	for range passes {
		fewer := len(ended)
		for todo := []int{adopter}; len(todo) > 0; todo = todo[1:] {
			pid := todo[0]
			list, all := []int{leader}, true
			if pid != self || pid == adopter {
				list, all = children(pid)
			}
			if !all && pid == adopter {
				return nil, false, false
			}
			e, there := stat(pid)
			if there {
				s[pid] = e
			}
			if !there || e.zombie() {
				ended[pid] = true
				continue
			}
			whole = whole && all
			for _, child := range list {
				if _, known := s[child]; !known && !ended[child] {
					todo = append(todo, child)
				}
			}
		}
		if len(ended) == fewer {
			return s, whole, true
		}
	}
	return s, false, true
}

// children are those of all threads of a process; all is false when a list could
// not be read, or was never the same twice. Once is not enough (proc_pid_children(5)
// promises a whole list of stopped children only): while the kernel writes a list, it
// skips a child when the one before it is reaped in that moment, and whoever ends
// hands its children to a thread whose list may have been read already. Both change
// what is read next.
func children(pid int) (list []int, all bool) {
	list, threads, all := childrenOnce(pid)
	for range readings {
		if !all || len(list) == 0 && threads == 1 {
			return list, all
		}
		again, n, whole := childrenOnce(pid)
		if whole && n == threads && slices.Equal(list, again) {
			return list, true
		}
		list, threads, all = again, n, whole
	}
	return list, false
}

// readings bounds how often lists are read while children come and go.
const readings = 64

func childrenOnce(pid int) (list []int, threads int, all bool) {
	dir := "/proc/" + strconv.Itoa(pid) + "/task/"
	tasks, err := os.ReadDir(dir)
	if err != nil {
		return nil, 0, false
	}
	all = true
	for _, t := range tasks {
		text, err := readWhole(dir + t.Name() + "/" + childrenFile)
		if err != nil {
			all = false
			continue
		}
		for _, word := range bytes.Fields(text) {
			if child, err := strconv.Atoi(string(word)); err == nil {
				list = append(list, child)
			}
		}
	}
	return list, len(tasks), all
}

// readWhole is os.ReadFile without its poller and its guess at the size.
func readWhole(path string) ([]byte, error) {
	fd, err := unix.Open(path, unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	defer unix.Close(fd)
	text := make([]byte, 0, 512)
	for {
		if len(text) == cap(text) {
			text = append(text, 0)[:len(text)]
		}
		n, err := unix.Read(fd, text[len(text):cap(text)])
		if err == unix.EINTR {
			continue
		}
		if err != nil || n <= 0 {
			return text, err
		}
		text = text[:len(text)+n]
	}
}
