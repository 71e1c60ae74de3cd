package console

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"example.org/ripple/runtime/console/place"
)

// ErrNoConsole reports that no console is running when the caller asked for the only one.
var ErrNoConsole = newFault(FaultUnknown, "no console is running")

// Find returns the client of the console with the given name or unique prefix; with an empty name,
// of the only console.
//
// Errors: *Fault: ErrNoConsole, FaultUnknown with the list of consoles.
func Find(getenv func(string) string, name string) (*Client, error) {
	names, err := listNames(getenv)
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
		return nil, ErrNoConsole
	case len(match) == 0:
		return nil, newFault(FaultUnknown, "no console is named %q; running: %s", name, strings.Join(names, ", "))
	case len(match) > 1 && name == "":
		return nil, newFault(FaultUnknown, "several consoles are running; name one of %s", strings.Join(match, ", "))
	case len(match) > 1:
		return nil, newFault(FaultUnknown, "%q is ambiguous: it may be %s", name, strings.Join(match, " or "))
	}
	return Open(getenv, match[0])
}

// Open returns the client of the console with exactly that name.
//
// Errors: *Fault: FaultUnknown.
func Open(getenv func(string) string, name string) (*Client, error) {
	c, _, err := recordedClient(getenv, name)
	return c, err
}

// recordedClient is like Open, and also returns the file information of the console's status.
func recordedClient(getenv func(string) string, name string) (*Client, fs.FileInfo, error) {
	f, err := places(getenv, name)
	if err != nil {
		return nil, nil, err
	}
	s, info, err := statusIn(filepath.Join(f.Record, statusName))
	if err != nil {
		return nil, nil, newFault(FaultUnknown, "no console is named %q", name)
	}
	s.Name = name
	return newClient(s, filesOf(f, s)), info, nil
}

// filesOf returns the files of a console as its host sees them: the host may have been started with
// another XDG_RUNTIME_DIR, or without one, as AI clients start programs. If that directory is gone or
// not private, the files are those that no other console can have.
func filesOf(f place.Files, s Status) place.Files {
	if !f.AcceptsSocket(s.Socket) {
		return f // its host did not record it
	}
	if place.Private(filepath.Dir(s.Socket), "") != nil {
		return f.OwnSocket()
	}
	f.Socket, f.Lock = s.Socket, strings.TrimSuffix(s.Socket, ".sock")+".lock"
	return f
}

// listNames returns the names of running consoles and of those whose results can still be read.
func listNames(getenv func(string) string) ([]string, error) {
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
		if s, err := readStatus(path); err == nil && s.Name == name && place.CheckName(name) == nil { // otherwise the file does not belong to this console
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names, nil
}

func readStatus(path string) (Status, error) {
	s, _, err := statusIn(path)
	return s, err
}

// statusIn reads a status file; info describes the file that was actually read.
func statusIn(path string) (s Status, info fs.FileInfo, err error) {
	f, err := openRecorded(path)
	if err != nil {
		return s, nil, err
	}
	defer func() { _ = f.Close() }() // opened for reading only
	if info, err = f.Stat(); err != nil {
		return s, nil, err
	}
	b, err := io.ReadAll(io.LimitReader(f, maxRecorded))
	if err != nil {
		return s, nil, err
	}
	return s, info, json.Unmarshal(b, &s)
}

// List returns the status of every console of this user, sorted by name. A console whose host was
// killed is Dead.
func List(ctx context.Context, getenv func(string) string) ([]Status, error) {
	names, err := listNames(getenv)
	if err != nil {
		return nil, err
	}
	found := make([]*Status, len(names))
	var looking sync.WaitGroup
	for i, name := range names {
		c, err := Open(getenv, name)
		if f, ok := errors.AsType[*Fault](err); ok && f.Code == FaultUnknown {
			continue // the console ended in the meantime
		}
		if err != nil {
			return nil, err
		}
		looking.Go(func() { // concurrently: an unresponsive host takes a while
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

// Recorded returns the recorded status of every console of this user whose host has not been killed, sorted by name. It asks no
// host: State is not the current one.
func Recorded(getenv func(string) string) ([]Status, error) {
	names, err := listNames(getenv)
	var all []Status
	for _, name := range names {
		c, err := Open(getenv, name)
		if err != nil || c.files.Dead() {
			continue // the console ended in the meantime, or its host was killed
		}
		all = append(all, c.RecordedStatus)
	}
	return all, err
}

const (
	// deadRetention is how long the results of a killed host are kept, measured on a clock that cannot
	// be set.
	deadRetention = 24 * time.Hour
	// hostKilled is the Exit text of a console whose host was killed.
	hostKilled = "its host was killed"
)

// look returns the status of a console from its host or, if that does not respond, from disk, and
// closes its client. ok is false if the console has ended.
func look(ctx context.Context, c *Client) (s Status, ok bool) {
	defer c.Close()
	s, err := c.statusWithin(ctx, c.answerLimit())
	if err == nil {
		return s, true
	}
	silent, _ := errors.AsType[*Fault](err)
	if s, err = readStatus(filepath.Join(c.files.Record, statusName)); err != nil {
		return s, false // the console ended in the meantime
	}
	if silent != nil && silent.Code == FaultUnresponsive && c.socketGone() {
		s.State, s.Notice = Unresponsive, silent.Message
		return s, true
	}
	if !c.files.Dead() {
		s.State, s.Notice = Unresponsive, "its host does not answer"
		return s, true
	}
	now := uptime()
	seen := s.State == Dead && s.DeadSince > 0 && s.DeadSince <= now // otherwise not seen yet, or the machine was restarted since
	if seen && now-s.DeadSince > deadRetention {
		_ = c.files.Forget() // the next caller retries
		return s, false
	}
	if !seen {
		s.State, s.Exit, s.DeadSince = Dead, hostKilled, now
		if last, err := lastCommand(c.files.Record, 0); err == nil {
			s.Command = last
		}
		_ = writeStatus(c.files.Record, s) // retention starts now; if the write fails, with the next caller
	}
	return s, true
}
