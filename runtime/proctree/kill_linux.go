package proctree

import (
	"context"
	"errors"
	"os"
	"slices"

	"golang.org/x/sys/unix"
)

// killDescendants ends everything below this process. It stops all processes before it kills the
// first one, so that none forks meanwhile and this process's own code, which may exit when a child
// of it ends, learns of the first death only when all are stopped.
func killDescendants() error {
	ctx, cancel := context.WithTimeout(context.Background(), reapLimit)
	defer cancel()
	for {
		left := freeze(ctx, os.Getpid())
		if len(left) == 0 {
			return nil
		}
		for _, p := range left {
			_ = signalOnly(p, unix.SIGKILL) // the next round reports it
		}
		for _, p := range left {
			if err := ended(ctx, p); errors.Is(err, context.DeadlineExceeded) {
				return &SurvivorsError{Survivors: Descendants(os.Getpid()), Cause: err}
			}
		}
	}
}

// freeze stops all living descendants until a scan finds no new one, dead or alive, and lists them,
// children last.
func freeze(ctx context.Context, pid int) []Process {
	var children, others []Process
	seen := map[Process]bool{}
	for fresh := true; fresh && ctx.Err() == nil; {
		s, whole := scan()
		fresh = !whole
		for member := range s.descend(map[int]bool{pid: true}) {
			e, ok := s[member]
			if !ok || member == pid || seen[e.Process] {
				continue
			}
			fresh, seen[e.Process] = true, true
			if e.zombie() {
				continue
			}
			_ = signalOnly(e.Process, unix.SIGSTOP) // a process that cannot be stopped will be killed
			if e.parent == pid {
				children = append(children, e.Process)
			} else {
				others = append(others, e.Process)
			}
		}
	}
	return slices.Concat(others, children)
}
