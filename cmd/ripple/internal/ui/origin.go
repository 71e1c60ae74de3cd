package ui

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"

	"example.org/ripple/internal/layout"
	"example.org/ripple/internal/scenario"
	"example.org/ripple/runtime/agent"
	"example.org/ripple/runtime/event"
	"example.org/ripple/runtime/loop/journal"
	"example.org/ripple/runtime/loop/record"
	"example.org/ripple/runtime/proctree"
)

// Origin is the loop or the agent that started this command, directly or not: an agent in its turn, a
// command of --verify or --on-question, a hook of git, or a program that one of them left running, for
// example a console.
type Origin struct {
	Loop   *event.CallingLoop // nil: an agent's turn without a loop, or in an unknown one
	Hidden bool               // the process of Loop cannot be seen from here, so that it may not be the origin

	holder record.Holder      // of the lock of Loop
	here   *Origin            // the loop of this command's project, whether or not it is Loop; nil if none runs
	by     []proctree.Process // all loops above and all processes above that an agent has started; empty: only the environment names one
}

// findOrigin returns the origin of this command; nil if there is none, so that a user started it. The
// kernel's records of processes decide, because a program can remove a variable from its own
// environment. If they do not show an origin, the environment counts.
func findOrigin(getenv func(string) string) *Origin {
	here := runningLoop(layout.Find("."))
	var found *Origin
	for _, p := range proctree.Ancestors(os.Getpid()) {
		l := here
		if l == nil || l.holder.PID != p.PID {
			l = runningLoop(p.Directory())
		}
		isLoop := l != nil && l.holder.PID == p.PID
		if _, in := p.InitialEnv(agent.InAgentVariable); !in && !isLoop {
			continue
		}
		if found == nil {
			found = &Origin{}
		}
		if isLoop && found.Loop == nil {
			found.Loop = l.Loop
		}
		found.by = append(found.by, p)
	}
	switch {
	case found == nil && here != nil && hidden(here.holder.PID):
		found = &Origin{Loop: here.Loop, Hidden: true}
	case found == nil && inAgent(getenv):
		found = &Origin{}
	}
	if found != nil {
		found.here = here
	}
	return found
}

// hidden reports whether a process of this machine that holds a lock cannot be seen from here: this
// command runs in a box, or another container, in which the loop works.
func hidden(pid int) bool {
	p, err := os.FindProcess(pid)
	return err == nil && errors.Is(p.Signal(syscall.Signal(0)), os.ErrProcessDone)
}

// runningLoop returns the loop that runs in a directory of this machine; nil if there is none.
func runningLoop(dir string) *Origin {
	if dir == "" {
		return nil
	}
	project, err := filepath.Abs(dir)
	if err != nil {
		return nil
	}
	holder, runs, err := journal.NewStore(project, nil).Locked()
	host, _ := os.Hostname()
	if err != nil || !runs || holder.Host != host {
		return nil
	}
	return &Origin{Loop: &event.CallingLoop{PID: holder.PID, Project: project}, holder: holder}
}

// inAgent reports whether the environment says that an agent runs this command, in a loop's turn or
// another.
func inAgent(getenv func(string) string) bool {
	return getenv(scenario.TurnVariable) != "" || getenv(agent.InAgentVariable) != ""
}

// MayActForUser reports whether a command with this origin may do what only the user may: the command
// that the user has set for questions, and what that starts, may in the project of its loop.
func (o *Origin) MayActForUser(getenv func(string) string) bool {
	return o == nil || o.here != nil && o.here.holder.Permits(getenv(journal.AnswerVariable))
}

// hadValue reports whether a variable had a value when all loops and agents above started: a user has
// set it then, not an agent.
func (o *Origin) hadValue(name, value string) bool {
	for _, p := range o.by {
		if before, _ := p.InitialEnv(name); before != value {
			return false
		}
	}
	return len(o.by) > 0
}

// String describes the origin for the user.
func (o *Origin) String() string {
	switch {
	case o.Hidden:
		return fmt.Sprintf("a process that cannot see process %d, which runs the loop in %s", o.Loop.PID, Quote(o.Loop.Project))
	case o.Loop != nil:
		return fmt.Sprintf("the loop in %s (process %d)", Quote(o.Loop.Project), o.Loop.PID)
	case len(o.by) > 0:
		farthest := o.by[len(o.by)-1] // the nearest ones may end with this command
		return fmt.Sprintf("an agent's turn (%s is set in process %d)", agent.InAgentVariable, farthest.PID)
	}
	return fmt.Sprintf("an agent's turn (%s or %s is set)", agent.InAgentVariable, scenario.TurnVariable)
}
