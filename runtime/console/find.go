package console

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
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
	if _, err := os.Lstat(filepath.Join(f.record, statusName)); err != nil {
		return nil, fault(FaultUnknown, "no console is called %q", name)
	}
	return newClient(name, f), nil
}

// list are the names of the consoles that live, and of those whose results can
// still be read.
func list(getenv func(string) string) ([]string, error) {
	state, err := stateDir(getenv)
	if err != nil {
		return nil, err
	}
	found, err := filepath.Glob(filepath.Join(state, "*", statusName))
	if err != nil {
		return nil, err
	}
	var names []string
	for _, path := range found {
		if s, err := readStatus(path); err == nil {
			names = append(names, s.Name)
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
	all := make([]Status, 0, len(names))
	for _, name := range names {
		f, err := places(getenv, name)
		if err != nil {
			return nil, err
		}
		if s, ok := look(ctx, newClient(name, f)); ok {
			all = append(all, s)
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
	}
	return all, nil
}

const (
	// answerLimit is how long a host is waited for that only tells what it is.
	answerLimit = 2 * time.Second
	// keptDead is how long the results of a console are kept whose host was killed.
	keptDead = 24 * time.Hour
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
	path := filepath.Join(c.files.record, statusName)
	info, err := os.Stat(path)
	if err != nil {
		return s, false // it ended in this moment
	}
	if s, err = readStatus(path); err != nil {
		return s, false
	}
	if !dead(c.files) {
		s.State, s.Notice = Unresponsive, "its host does not answer"
		return s, true
	}
	if time.Since(info.ModTime()) > keptDead {
		_ = os.RemoveAll(c.files.record) // tried again by the next one who looks
		return s, false
	}
	s.State, s.Exit = Dead, "its host was killed"
	return s, true
}
