// Package proctree finds and ends every process that a started program left
// behind, and guards a whole binary against leaving anything.
//
// The main path: Subreaper once, then for each program a Tree with its leader,
// and Tree.End. A main function is guarded by os.Exit(proctree.Guard(run)).
//
// Only Linux knows all of a tree (Complete is true): processes are found as
// descendants, by session, by the terminal they hold open and as adopted
// orphans. Other Unix systems reach the leader's process group alone. Elsewhere
// nothing is reached and every call says so with ErrUnsupported.
package proctree

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"syscall"
	"time"
)

// ErrUnsupported says that this system gives no hold on another's processes.
var ErrUnsupported = fmt.Errorf("ending a process tree is not supported on %s: end what the program started by hand", runtime.GOOS)

// Process is one process, told apart from a later one with the same id.
type Process struct {
	PID   int
	Start uint64 // clock ticks since boot, from /proc/PID/stat; 0: not known
	Name  string // the kernel's short name, for messages
}

func (p Process) String() string { return fmt.Sprintf("%d (%s)", p.PID, p.Name) }

// Tree is a started program and whatever came of it. One goroutine at a time
// may use it.
type Tree struct {
	// Sole says that no other tree's processes are among the orphans that this
	// process adopted, so that all of them belong to this one. Children in our
	// own session (as exec.Cmd starts them) are never taken for orphans.
	Sole bool

	root  Process         // the leader as first seen
	tty   string          // "/dev/pts/3": who of ours has it open is a member
	known map[int]Process // members ever seen
}

// New returns the tree of a child of this process, just started and reaped by
// whoever started it. If it leads a session, the session belongs to the tree.
// So do processes that have the terminal open; an empty tty means none.
func New(leader int, tty string) *Tree {
	return &Tree{root: firstSeen(leader), tty: tty, known: map[int]Process{}}
}

// Remember makes the living members known, wherever they move later: it is worth a
// call before the program is asked to end. Where all orphans are this tree's anyway
// it does nothing.
func (t *Tree) Remember() {
	if !t.Sole || Adopter() == 0 {
		t.Members()
	}
}

// Step is one round of an ending.
type Step struct {
	Signal syscall.Signal
	Grace  time.Duration // how long members may take to end
}

// ResistError lists processes that did not end.
type ResistError struct {
	Left  []Process
	Cause error // what ended the waiting
}

func (e *ResistError) Error() string {
	names := make([]string, len(e.Left))
	for i, p := range e.Left {
		names[i] = p.String()
	}
	return fmt.Sprintf("%d processes did not end (%v): %s; end them by hand, with other rights if need be",
		len(e.Left), e.Cause, strings.Join(names, ", "))
}

func (e *ResistError) Unwrap() error { return e.Cause }

// End takes the steps in turn until no member is left, then kills, again and
// again for those that fork meanwhile, until ctx ends. A step's signal is
// followed by SIGCONT, so that a stopped process can act on it. The error is a
// *ResistError when members are left. Orphans that this process adopted are
// reaped by their ids; the leader is left to whoever started it.
func (t *Tree) End(ctx context.Context, steps ...Step) error {
	for _, s := range steps {
		if err := t.Signal(s.Signal); err != nil {
			return err
		}
		if err := t.waitFor(ctx, s.Grace); err == nil {
			return nil
		}
	}
	return t.Kill(ctx)
}

func (t *Tree) waitFor(ctx context.Context, grace time.Duration) error {
	ctx, cancel := context.WithTimeout(ctx, grace)
	defer cancel()
	return t.Wait(ctx)
}

// Kill kills until no member is left or ctx ends.
func (t *Tree) Kill(ctx context.Context) error {
	for {
		if err := t.Signal(syscall.SIGKILL); err != nil {
			return err
		}
		err := t.waitFor(ctx, killRound)
		if err == nil || ctx.Err() != nil {
			return err
		}
		var resist *ResistError
		if !errors.As(err, &resist) {
			return err
		}
	}
}

// killRound is after how long killed processes are counted anew: one of them
// may have forked just before it died, while another hangs in the kernel.
const killRound = 50 * time.Millisecond
