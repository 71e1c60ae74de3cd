package proctree

import (
	"bytes"
	"os"
	"slices"
	"strconv"

	"golang.org/x/sys/unix"
)

// childrenFile is the name of the list. Tests change it to disable the lists.
var childrenFile = "children"

// passes bounds how often below starts again because processes end meanwhile.
const passes = 8

// below reads a process and its descendants from the kernel's lists of children
// (/proc/PID/task/TID/children). It reads a few processes where scan reads all of the
// machine's. listed is false if the kernel has no such lists.
//
// A process that ends hands its children to the adopter, perhaps after the adopter's list
// was read; the adopter's list is therefore read again until no process ended in between.
// A process is examined after its list was read: if it is alive then, the list was
// complete.
//
// Of the processes that this process started, only leader is included, unless leader is
// the adopter: the others are separate trees, and each thread of this process has its own
// list.
func below(adopter, leader int) (s snapshot, whole, listed bool) {
	s = snapshot{}
	self := os.Getpid()
	ended := map[int]bool{}
	whole = true
	if _, there := stat(leader); !there {
		ended[leader] = true // its children were handed on before any list was read
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

// children returns the children of all threads of a process. all is false if a list could
// not be read or never was the same twice. One reading is not enough (proc_pid_children(5)
// guarantees a complete list for stopped children only): while the kernel writes a list,
// it skips a child if the child before it is reaped at that moment, and a process that
// ends hands its children to a thread whose list may have been read already. Both change
// the next reading.
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

// childrenOf returns the children of a process, even if the kernel has no lists of them.
func childrenOf(pid int) []int {
	list, all := children(pid)
	if all {
		return list
	}
	s, _ := scan()
	for child, e := range s {
		if e.parent == pid {
			list = append(list, child)
		}
	}
	slices.Sort(list) // mostly the order in which they started, as in the lists
	return slices.Compact(list)
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

// readWhole is os.ReadFile without the poller and the size estimate.
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
