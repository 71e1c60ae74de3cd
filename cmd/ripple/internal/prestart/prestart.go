// Package prestart starts the program of a plain `ripple exec`, or of a console, while the
// rest of this process is still being initialized: both take some milliseconds.
//
// Packages are initialized in the order of their import paths as soon as all that they
// import is; see internal/keeper. What waits for package net comes late, so nothing that
// is imported here does; conformance holds that.
package prestart

import (
	"errors"
	"io/fs"
	"os"
	"runtime/debug"

	"example.org/ripple/cmd/ripple/internal/prefork"
	"example.org/ripple/internal/projectfile"
	"example.org/ripple/runtime/proctree"
	"example.org/ripple/runtime/registry"
	"example.org/ripple/runtime/session"
)

// Program is an adapter's program that was started before the command needed it.
type Program struct {
	Entry *registry.Entry
	Begun *session.Pending
}

var (
	adapter string
	started chan *Program // gets one value, nil if it could not be started; nil: nothing is
)

func init() {
	dropRelativeLibraries()
	if h := prefork.Hosted(); h != nil {
		delayGC()
		tell(h, os.Args[1:])
		return
	}
	if !proctree.IsInner() {
		return
	}
	if args := os.Args[1:]; len(args) == 2 && args[0] == "console" && args[1] == "host" {
		ordered = make(chan hostStart, 1)
		go func() { ordered <- host() }()
	} else if name, plain := prefork.Plain(args); plain {
		delayGC()
		adapter, started = name, make(chan *Program, 1)
		go func() { started <- start(name) }()
	}
}

// delayGC delays the first garbage collection beyond the start of the command. By default it
// is at 3 MB, as much as the command allocates until then, and takes 2 ms of processor time.
func delayGC() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(150)
	}
}

// start starts the program of an adapter that comes with ripple, where nobody has
// adapters of their own. The command repeats what fails here, and
// reports the error.
func start(name string) *Program {
	cwd, err := os.Getwd()
	if err != nil {
		return nil
	}
	entry := find(name, cwd)
	if entry == nil {
		return nil
	}
	begun, err := session.Prestart(entry.Adapter, session.Options{})
	if err != nil {
		return nil
	}
	return &Program{Entry: entry, Begun: begun}
}

// find is the adapter that comes with ripple under this name, where nobody has any of
// their own, who works in cwd. It is nil if the user's files are in a project: the command decides whether they may be used.
func find(name, cwd string) *registry.Entry {
	if len(projectfile.Homes(os.Getenv, cwd)) > 0 {
		return nil
	}
	sources := registry.DefaultSources(os.Getenv, cwd)
	if !absent(sources.UserDir) || !absent(sources.ProjectDir) {
		return nil
	}
	sources.UserDir, sources.ProjectDir = "", ""
	r, err := registry.Open(sources)
	if err != nil {
		return nil
	}
	entry, err := r.Find(name)
	if err != nil {
		return nil
	}
	return entry
}

func absent(dir string) bool {
	_, err := os.Stat(dir)
	return dir == "" || errors.Is(err, fs.ErrNotExist)
}

// Take gives the program that was started for an adapter of this name, once; nil when
// none was.
func Take(name string) *Program {
	if started == nil || name != adapter {
		return nil
	}
	p := <-started
	started = nil
	return p
}
