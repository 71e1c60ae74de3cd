package proctree

import (
	"bytes"
	"os"
	"strconv"

	"example.org/ripple/internal/keeper"
)

// Ancestors lists the living processes from which a process descends, nearest first, itself excluded:
// its parents, and the leaders of the sessions of all of them, because a process whose parent has
// ended keeps its session. The keeper of Guard, which adopts the orphans of the process that it guards,
// is followed by that process. A process that has left its session and was adopted by another program,
// as happens without Guard, cannot be traced. Without /proc the list is empty.
func Ancestors(pid int) []Process {
	for range passes {
		if list, whole := walkUp(pid); whole {
			return list
		}
	}
	list, _ := walkUp(pid)
	return list
}

// walkUp is one attempt. whole is false if a parent ended before it was examined: its child has
// another one by now.
func walkUp(pid int) (list []Process, whole bool) {
	whole = true
	known, parents := map[int]bool{pid: true, 0: true}, map[int]bool{}
	for todo := []int{pid}; len(todo) > 0; todo = todo[1:] {
		e, ok := stat(todo[0])
		if !ok {
			whole = whole && !parents[todo[0]]
			continue
		}
		parents[e.parent] = true
		if e.PID != pid && !e.zombie() {
			list = append(list, e.Process)
		}
		next := []int{e.parent, e.sess}
		if e.PID != pid && e.Name == keeper.Name {
			next = append(next, guardedBy(e.PID))
		}
		for _, p := range next {
			if !known[p] {
				known[p] = true
				todo = append(todo, p)
			}
		}
	}
	return list, whole
}

// guardedBy returns the process that a keeper guards, which is its oldest child: the others are
// orphans of that one. If it has ended, the result is the oldest orphan, or 0.
func guardedBy(keeper int) (inner int) {
	var oldest uint64
	for _, child := range childrenOf(keeper) {
		if e, ok := stat(child); ok && (inner == 0 || e.Start < oldest) {
			inner, oldest = child, e.Start
		}
	}
	return inner
}

// Directory returns the working directory of a process; empty if it is unknown or removed.
func (p Process) Directory() string {
	dir, err := os.Readlink(p.file("cwd"))
	if err != nil || !p.lives() {
		return ""
	}
	return dir
}

// InitialEnv returns the value that an environment variable had when the process started its program:
// later changes by the process itself are not seen. ok is false if it was not set, or is unknown.
func (p Process) InitialEnv(name string) (value string, ok bool) {
	text, err := os.ReadFile(p.file("environ"))
	if err != nil || !p.lives() {
		return "", false
	}
	for set := range bytes.SplitSeq(text, []byte{0}) {
		if value, is := bytes.CutPrefix(set, []byte(name+"=")); is {
			return string(value), true
		}
	}
	return "", false
}

func (p Process) file(name string) string { return "/proc/" + strconv.Itoa(p.PID) + "/" + name }

// lives reports whether the process still has its ID, so that what was read before is about it.
func (p Process) lives() bool {
	e, ok := stat(p.PID)
	return ok && e.Start == p.Start
}
