// Package proctree finds and ends all processes that a started program left behind, and
// guards a whole binary so that it leaves none.
//
// The main path: SetSubreaper once, then for each program a Tree with its leader, and Tree.End. A main
// function is guarded by os.Exit(proctree.Guard(run)).
//
// Only on Linux the whole tree is known (Complete is true): processes are found as descendants, by
// session, by the terminal they hold open and as adopted orphans. On other Unix systems only the
// leader's process group is reached. Elsewhere every call returns ErrUnsupported.
package proctree

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"syscall"
	"time"
	"unicode"
)

// ErrUnsupported is returned on systems where process trees cannot be ended.
var ErrUnsupported = fmt.Errorf("ending a process tree is not supported on %s: end the processes of the program yourself", runtime.GOOS)

// Process identifies one process; a later process with the same id has another Start.
type Process struct {
	PID   int
	Start uint64 // clock ticks since boot, from /proc/PID/stat; 0: unknown
	Name  string // the kernel's short name, for messages
}

// String returns the ID and the name, without control characters: a program chooses its name.
func (p Process) String() string { return fmt.Sprintf("%d (%s)", p.PID, printable(p.Name)) }

// printable replaces characters that act on a terminal.
func printable(name string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return unicode.ReplacementChar
		}
		return r
	}, name)
}

// Tree is a started program and its descendants. One goroutine at a time may use it.
type Tree struct {
	// OwnsOrphans says that orphans adopted by this process do not include processes of other trees, so
	// that all of them belong to this one. Children in this process's own session (as exec.Cmd
	// starts them) are never treated as orphans.
	OwnsOrphans bool

	root  Process         // the leader as first seen
	tty   string          // "/dev/pts/3": a process of this user that has it open is a member
	known map[int]Process // members ever seen
}

// New returns the tree of a child of this process, which was just started and is reaped by
// the caller. If it leads a session, all processes of the session belong to the tree. So
// do processes that have the terminal tty open; an empty tty means no terminal.
func New(leader int, tty string) *Tree {
	return &Tree{root: firstSeen(leader), tty: tty, known: map[int]Process{}}
}

// RecordMembers records the living members, wherever they move later: call it before the program is
// asked to end. If all orphans belong to this tree anyway it does nothing.
func (t *Tree) RecordMembers() {
	if !t.OwnsOrphans || ReaperPID() == 0 {
		t.Members()
	}
}

// Step is one step of ending a tree.
type Step struct {
	Signal syscall.Signal
	Grace  time.Duration // how long members may take to exit
}

// SurvivorsError lists processes that did not exit.
type SurvivorsError struct {
	Survivors []Process
	Cause     error // why the wait ended
}

func (e *SurvivorsError) Error() string {
	names := make([]string, len(e.Survivors))
	for i, p := range e.Survivors {
		names[i] = p.String()
	}
	count := "1 process"
	if len(e.Survivors) > 1 {
		count = fmt.Sprintf("%d processes", len(e.Survivors))
	}
	return fmt.Sprintf("%s did not end (%v): %s; end them by hand; this may need the rights of another user",
		count, e.Cause, strings.Join(names, ", "))
}

func (e *SurvivorsError) Unwrap() error { return e.Cause }

// End performs the steps in order until no member is left, then kills, repeatedly for
// members that fork meanwhile, until ctx ends. The signal of a step is followed by
// SIGCONT, so that a stopped process can act on it. The error is a *SurvivorsError if members
// are left. Orphans that this process adopted are reaped by their ids; the caller that
// started the leader reaps it.
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
		var resist *SurvivorsError
		if !errors.As(err, &resist) {
			return err
		}
	}
}

// killRound is the time after which killed processes are listed again: one of them may
// have forked just before it died, while another hangs in the kernel.
const killRound = 50 * time.Millisecond
