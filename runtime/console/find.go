package console

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"ripple/runtime/console/place"
)

// ErrNone: no console is running, where the only one was meant.
var ErrNone = fault(FaultUnknown, "no console is running")

// Find is the console of a name or of a prefix that no other one has; without a name,
// the only one.
//
// Errors: *Fault: ErrNone, FaultUnknown with the consoles that there are.
func Find(getenv func(string) string, name string) (*Client, error) {
	names, err := list(getenv)
	if err != nil {
		return nil, err
	}
	var match []string
	for _, n := range names {
		if n == name {
			match = []string{n}
			break
		}
		if strings.HasPrefix(n, name) {
			match = append(match, n)
		}
	}
	switch {
	case len(names) == 0:
		return nil, ErrNone
	case len(match) == 0:
		return nil, fault(FaultUnknown, "no console is called %q; there are %s", name, strings.Join(names, ", "))
	case len(match) > 1 && name == "":
		return nil, fault(FaultUnknown, "which console? There are %s", strings.Join(match, ", "))
	case len(match) > 1:
		return nil, fault(FaultUnknown, "%q may be %s", name, strings.Join(match, " or "))
	}
	return Open(getenv, match[0])
}

// Open is the console of that very name.
//
// Errors: *Fault: FaultUnknown.
func Open(getenv func(string) string, name string) (*Client, error) {
	f, err := places(getenv, name)
	if err != nil {
		return nil, err
	}
	s, err := readStatus(filepath.Join(f.Record, statusName))
	if err != nil {
		return nil, fault(FaultUnknown, "no console is called %q", name)
	}
	s.Name = name
	return newClient(s, filesOf(f, s)), nil
}

// filesOf are the files of a console as its host has them: it may have been started by
// somebody with another XDG_RUNTIME_DIR, or with none, as AI clients start programs.
func filesOf(f place.Files, s Status) place.Files {
	if base, ok := strings.CutSuffix(s.Socket, ".sock"); ok && filepath.IsAbs(base) && place.Private(filepath.Dir(base), "") == nil {
		f.Socket, f.Lock = s.Socket, base+".lock"
	}
	return f
}

// list are the names of the consoles that live, and of those whose results can
// still be read.
func list(getenv func(string) string) ([]string, error) {
	state, err := place.State(getenv)
	if err != nil {
		return nil, err
	}
	found, err := filepath.Glob(filepath.Join(state, "*", statusName))
	if err != nil {
		return nil, err
	}
	var names []string
	for _, path := range found {
		name := filepath.Base(filepath.Dir(path))
		if s, err := readStatus(path); err == nil && s.Name == name && place.CheckName(name) == nil { // otherwise somebody else wrote it
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names, nil
}

func readStatus(path string) (Status, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return Status{}, err
	}
	var s Status
	return s, json.Unmarshal(b, &s)
}

// List is every console of this user, by name. One whose host was killed is Dead.
func List(ctx context.Context, getenv func(string) string) ([]Status, error) {
	names, err := list(getenv)
	if err != nil {
		return nil, err
	}
	found := make([]*Status, len(names))
	var looking sync.WaitGroup
	for i, name := range names {
		c, err := Open(getenv, name)
		if f, ok := errors.AsType[*Fault](err); ok && f.Code == FaultUnknown {
			continue // it ended in this moment
		}
		if err != nil {
			return nil, err
		}
		looking.Go(func() { // at once: one that does not answer takes its time
			if s, ok := look(ctx, c); ok {
				found[i] = &s
			}
		})
	}
	looking.Wait()
	all := make([]Status, 0, len(names))
	for _, s := range found {
		if s != nil {
			all = append(all, *s)
		}
	}
	return all, ctx.Err()
}

const (
	// answerLimit is how long a host is waited for that only tells what it is.
	answerLimit = 2 * time.Second
	// keptDead is how long the results of a console are kept whose host was killed, by a clock
	// that nobody sets.
	keptDead = 24 * time.Hour
	// hostKilled is the end of a console that could not end by itself.
	hostKilled = "its host was killed"
)

// look is what a console says of itself, or what can be said of it without its host.
func look(ctx context.Context, c *Client) (s Status, ok bool) {
	defer c.Close()
	limited, cancel := context.WithTimeout(ctx, answerLimit)
	defer cancel()
	s, err := c.Status(limited)
	if err == nil {
		return s, true
	}
	if s, err = readStatus(filepath.Join(c.files.Record, statusName)); err != nil {
		return s, false // it ended in this moment
	}
	if !c.files.Dead() {
		s.State, s.Notice = Unresponsive, "its host does not answer"
		return s, true
	}
	now := uptime()
	seen := s.State == Dead && s.SeenDead != 0 && s.SeenDead <= now // else nobody has, or the machine was started since
	if seen && now-s.SeenDead > keptDead {
		_ = c.files.Forget() // tried again by the next one who looks
		return s, false
	}
	if !seen {
		s.State, s.Exit, s.SeenDead = Dead, hostKilled, now
		if last, err := lastCommand(c.files.Record, 0); err == nil {
			s.Command = last
		}
		_ = writeStatus(c.files.Record, s) // its day begins; if not now, with the next one who looks
	}
	return s, true
}
