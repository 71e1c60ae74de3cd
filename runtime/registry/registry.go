// Package registry finds adapters by name, alias or path.
//
// [Open] takes the sources, [Registry.Find] returns one adapter, and [Registry.List] all
// of them. A name is searched for in the project's directory first, then in the user's,
// then among the embedded adapters; within each of these a name takes precedence over an
// alias, and the first file in alphabetical order wins. An alias leads to the name of its
// adapter, and that name to the adapter that holds it, so aliases continue to work when a
// project brings its own version. [Registry.Notices] reports what is hidden by these
// rules. An adapter of a project hides nothing if [Sources].IsTrusted does not trust it or if
// it does not load.
//
// Files are parsed when they are needed: Find reads the header of each file and parses
// those that may match. Embedded files are not validated: a test of the program must do that
// with schema.Parse. To read other files, a program must import
// example.org/ripple/schema/validate; see there.
package registry

import (
	"errors"
	"io/fs"
	"math"
	"path/filepath"
	"runtime"
	"slices"
	"sort"
	"strings"

	"golang.org/x/sync/errgroup"

	"example.org/ripple/adapters"
	scripts "example.org/ripple/integration-scripts"
	"example.org/ripple/internal/owner"
	"example.org/ripple/schema"
)

// Origins of an adapter, from the lowest precedence to the highest.
const (
	OriginEmbedded = "embedded"
	OriginUser     = "user"
	OriginProject  = "project"
	OriginFile     = "file" // named by its path
)

// Entry is an adapter and where it came from.
type Entry struct {
	Adapter     *schema.Adapter
	Name        string
	Aliases     []string
	Origin      string
	Path        string  // "embedded/<file>", which is not a path on disk, for an embedded adapter
	Files       fs.FS   // the files beside the adapter's, such as transcripts
	Scripts     []fs.FS // where its integration script is looked for: schema.Options
	Diagnostics []schema.Diagnostic
	Text        []byte // the file as it was read
}

// Source describes where the adapter is from: "embedded", or its origin and its file.
func (e *Entry) Source() string {
	if e.Origin == OriginEmbedded {
		return e.Origin
	}
	path := e.Path
	if abs, err := filepath.Abs(path); err == nil {
		path = abs
	}
	return e.Origin + " " + path
}

// Encode encodes an adapter of a file for another process, which must not read the file again
// because it may have changed. Embedded adapters are found there by name; for them Encode returns nil.
func (e *Entry) Encode() ([]byte, error) {
	if e.Origin == OriginEmbedded {
		return nil, nil
	}
	return e.Adapter.Encode(e.Text)
}

// Sources are the places where adapters are looked for; empty ones are left out.
type Sources struct {
	Embedded   fs.FS // adapters that the program's own tests have validated: see schema.ParseValid
	UserDir    string
	ProjectDir string
	Scripts    []fs.FS // for init.script_resource, after the adapter's own directories

	// IsTrusted reports whether an adapter of the project may be used; nil allows all. The
	// entry it receives is the one that is used: the files are not read again.
	IsTrusted func(*Entry) bool
}

// DefaultSources returns the adapters that come with ripple, the user's in
// $XDG_CONFIG_HOME/ripple/adapters (by default ~/.config/ripple/adapters, also if HOME is not set), and the project's in
// .ripple/adapters of cwd.
func DefaultSources(getenv func(string) string, cwd string) Sources {
	s := Sources{Embedded: adapters.FS, Scripts: []fs.FS{scripts.FS}}
	// A relative XDG_CONFIG_HOME is to be ignored (XDG Base Directory 0.8).
	if config := getenv("XDG_CONFIG_HOME"); filepath.IsAbs(config) {
		s.UserDir = filepath.Join(config, "ripple", "adapters")
	} else if home, err := owner.Home(getenv); err == nil {
		s.UserDir = filepath.Join(home, ".config", "ripple", "adapters")
	}
	if cwd != "" {
		s.ProjectDir = filepath.Join(cwd, ".ripple", "adapters")
	}
	return s
}

// Registry is a set of adapters. It is safe for concurrent use.
type Registry struct {
	scripts []fs.FS
	layers  []*layer // from the highest precedence to the lowest
}

// Open lists the files of the sources. Missing directories count as empty; other problems with
// directories become notices. An error means that the embedded files cannot be listed.
func Open(s Sources) (*Registry, error) {
	r := &Registry{scripts: s.Scripts}
	options := schema.Options{Scripts: s.Scripts}
	if s.ProjectDir != "" {
		r.layers = append(r.layers, openProject(s.ProjectDir, options, s.IsTrusted))
	}
	if s.UserDir != "" {
		r.layers = append(r.layers, openUser(s.UserDir, options))
	}
	if s.Embedded != nil {
		l, err := openEmbedded(s.Embedded, options)
		if err != nil {
			return nil, err
		}
		r.layers = append(r.layers, l)
	}
	return r, nil
}

// Find returns the adapter with a name, an alias or a path. An argument with a path separator,
// or with the suffix .yaml or .yml, is a path; if it is in a repository or below the working
// directory, links of it, its script or its transcripts are not followed out of there. Errors: *NameError for an invalid name,
// *NotFoundError, *UntrustedError, *BrokenError if the adapter's file does not load.
func (r *Registry) Find(nameOrPath string) (*Entry, error) {
	if IsPath(nameOrPath) {
		return namedFile(nameOrPath, schema.Options{Scripts: r.scripts}).result()
	}
	if err := checkName(nameOrPath); err != nil {
		return nil, err
	}
	f := r.lookup(nameOrPath, usableAndMayBe)
	if f == nil {
		f = r.lookup(nameOrPath, usableAndMayBeOdd)
	}
	if f == nil {
		return nil, r.without(nameOrPath)
	}
	return f.result()
}

// without returns the reason that no adapter can be used under a name: the user has not approved
// the one that has it, it does not load, or it does not exist.
func (r *Registry) without(name string) error {
	f := r.lookup(name, (*file).mayBeOdd)
	if f == nil {
		return r.notFound(name)
	}
	e, err := f.result()
	if err != nil {
		return err
	}
	return &UntrustedError{Name: name, Entry: e}
}

// Unused returns the adapter of the project that has a name and is not used for it, because
// the user has not approved it or it does not load; nil if there is none.
func (r *Registry) Unused(name string) *Entry {
	if f := r.lookup(name, (*file).mayBe); f != nil && !f.usable() && r.lookup(name, usableAndMayBe) != nil {
		return &f.entry
	}
	return nil
}

// Project returns all adapters of the project, approved or not. Those that do not load have only
// a name, a path and diagnostics.
func (r *Registry) Project() []*Entry {
	var list []*Entry
	r.each(func(_ *layer, f *file) {
		if f.origin == OriginProject {
			f.once.Do(f.parse)
			list = append(list, &f.entry)
		}
	})
	return list
}

// Inspect is like Find, for callers that only inspect an adapter: one of the project need not be
// approved.
func (r *Registry) Inspect(nameOrPath string) (*Entry, error) {
	e, err := r.Find(nameOrPath)
	if untrusted, is := errors.AsType[*UntrustedError](err); is {
		return untrusted.Entry, nil
	}
	return e, err
}

// List returns every adapter that Find returns for the adapter's own name, sorted by name. Files
// that do not load are in the notices.
func (r *Registry) List() []*Entry {
	r.parseAll()
	var list []*Entry
	r.each(func(_ *layer, f *file) {
		if e, err := f.result(); err == nil && r.holder(e.Name) == f {
			list = append(list, e)
		}
	})
	sort.Slice(list, func(i, j int) bool { return list[i].Name < list[j].Name })
	return list
}

// Agents returns the adapters of coding agents in the order in which one is chosen
// automatically: by agent.auto_detect.priority. Those that are never chosen automatically are at
// the end.
func (r *Registry) Agents() []*Entry {
	list := slices.DeleteFunc(r.List(), func(e *Entry) bool { return e.Adapter.Family != schema.FamilyAgent })
	sort.SliceStable(list, func(i, j int) bool { return place(list[i]) < place(list[j]) })
	return list
}

func place(e *Entry) int {
	if p := e.Adapter.Agent.AutoDetect.Priority; p > 0 {
		return p
	}
	return math.MaxInt
}

// each visits all files, highest precedence first.
func (r *Registry) each(visit func(*layer, *file)) {
	for _, l := range r.layers {
		for _, f := range l.files {
			visit(l, f)
		}
	}
}

// parseAll parses what is not parsed yet, on all processors.
func (r *Registry) parseAll() {
	var g errgroup.Group
	g.SetLimit(runtime.GOMAXPROCS(0))
	r.each(func(_ *layer, f *file) {
		g.Go(func() error {
			_, err := f.result()
			return err
		})
	})
	_ = g.Wait() // Notices reports files that do not load
}

func usable(f *file, _ string) bool               { return f.usable() }
func usableAndMayBe(f *file, name string) bool    { return f.mayBe(name) && f.usable() }
func usableAndMayBeOdd(f *file, name string) bool { return f.mayBeOdd(name) && f.usable() }

// lookup resolves a name or alias among the files that the filter admits.
func (r *Registry) lookup(name string, admit func(*file, string) bool) *file {
	for _, l := range r.layers {
		if f := l.builtIn(name); f != nil && admit(f, name) {
			return f
		}
		var aliased *file
		for _, f := range l.files {
			if !admit(f, name) {
				continue
			}
			if f.name() == name {
				return f
			}
			if aliased == nil && slices.Contains(f.aliases(), name) {
				aliased = f
			}
		}
		if aliased != nil {
			// Ends: within a layer a name beats an alias, so each step leads to a
			// higher layer or to the file itself.
			return r.lookup(aliased.name(), admit)
		}
	}
	return nil
}

// builtIn returns the embedded file with a name. These files have their adapters' names, so that no other file is read.
func (l *layer) builtIn(name string) *file {
	if l.origin != OriginEmbedded {
		return nil
	}
	if i := slices.IndexFunc(l.files, func(f *file) bool { return f.base() == name }); i >= 0 && l.files[i].name() == name {
		return l.files[i]
	}
	return nil
}

// holder returns the file that is used for a name; aliases are not considered.
func (r *Registry) holder(name string) *file {
	for _, l := range r.layers {
		for _, f := range l.files {
			if f.name() == name && f.usable() {
				return f
			}
		}
	}
	return nil
}

// IsPath reports whether Find treats an argument as a path.
func IsPath(s string) bool {
	lower := strings.ToLower(s)
	return strings.ContainsRune(s, '/') || strings.ContainsRune(s, filepath.Separator) ||
		strings.HasSuffix(lower, ".yaml") || strings.HasSuffix(lower, ".yml")
}
