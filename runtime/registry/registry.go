// Package registry finds adapters by name, alias or path.
//
// [Open] looks at the sources, [Registry.Find] gives one adapter, and
// [Registry.List] all of them. A name is looked for in the project's directory
// first, then in the user's, then among the embedded adapters; within one of
// these a name beats an alias, and the first file in alphabetical order wins. An
// alias leads to the name of its adapter, and that name to whichever adapter
// holds it, so aliases survive when a project brings its own version. What loses
// by these rules is never silent: see [Registry.Notices].
//
// Files are parsed when someone asks for them. Find looks at the header of each
// and parses those that can be meant. Files that do not come with ripple are read where
// the program imports ripple/schema/validate; see there.
package registry

import (
	"cmp"
	"io/fs"
	"math"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"ripple/adapters"
	scripts "ripple/integration-scripts"
	"ripple/schema"
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
	Path        string // embedded: "embedded/<file>", which is no path on disk
	Files       fs.FS  // what stands beside the file, such as transcripts
	Diagnostics []schema.Diagnostic
}

// Sources are the places that adapters come from; empty ones are left out.
type Sources struct {
	Embedded   fs.FS
	UserDir    string
	ProjectDir string
	Scripts    []fs.FS // for init.script_resource, after the adapter's own directories
}

// DefaultSources are what comes with ripple, $XDG_CONFIG_HOME/ripple/adapters
// (else ~/.config/ripple/adapters) and .ripple/adapters in cwd.
func DefaultSources(getenv func(string) string, cwd string) Sources {
	s := Sources{Embedded: adapters.FS, Scripts: []fs.FS{scripts.FS}}
	// A relative XDG_CONFIG_HOME is to be ignored (XDG Base Directory 0.8).
	if config := getenv("XDG_CONFIG_HOME"); filepath.IsAbs(config) {
		s.UserDir = filepath.Join(config, "ripple", "adapters")
	} else if home := getenv("HOME"); filepath.IsAbs(home) {
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

// Open looks into the sources. Directories that do not exist are empty; other
// trouble with them becomes notices. An error means that the embedded files
// cannot be listed.
func Open(s Sources) (*Registry, error) {
	r := &Registry{scripts: s.Scripts}
	options := schema.Options{Scripts: s.Scripts}
	for _, d := range []struct{ origin, dir string }{{OriginProject, s.ProjectDir}, {OriginUser, s.UserDir}} {
		if d.dir != "" {
			r.layers = append(r.layers, openDir(d.origin, d.dir, options))
		}
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

// Find gives the adapter of a name or alias, or of a path, which is an argument
// with a separator or with the suffix .yaml or .yml. Errors: *NameError for what
// cannot be a name, *NotFoundError, *BrokenError when the file that is meant
// does not load.
func (r *Registry) Find(nameOrPath string) (*Entry, error) {
	if isPath(nameOrPath) {
		f := diskFile(OriginFile, nameOrPath, schema.Options{Scripts: r.scripts})
		return f.result()
	}
	if err := checkName(nameOrPath); err != nil {
		return nil, err
	}
	f := r.lookup(nameOrPath, (*file).mayBe)
	if f == nil {
		f = r.lookup(nameOrPath, anyFile) // a header too unusual to be read
	}
	if f == nil {
		return nil, r.notFound(nameOrPath)
	}
	return f.result()
}

// List gives every adapter that its own name leads to, sorted by name. Files that
// do not load are in the notices.
func (r *Registry) List() []*Entry {
	r.parseAll()
	var list []*Entry
	r.each(func(_ *layer, f *file) {
		if e, err := f.result(); err == nil && r.holder(e.Name) == f {
			list = append(list, e)
		}
	})
	slices.SortFunc(list, func(a, b *Entry) int { return cmp.Compare(a.Name, b.Name) })
	return list
}

// Agents are the adapters of coding agents in the order in which one is chosen: by
// agent.auto_detect.priority, and those that are never chosen unasked at the end.
func (r *Registry) Agents() []*Entry {
	list := slices.DeleteFunc(r.List(), func(e *Entry) bool { return e.Adapter.Family != schema.FamilyAgent })
	slices.SortStableFunc(list, func(x, y *Entry) int { return cmp.Compare(place(x), place(y)) })
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
	_ = g.Wait() // files that do not load are told of by Notices
}

func anyFile(*file, string) bool { return true }

// lookup resolves a name or alias among the files that the filter admits.
func (r *Registry) lookup(name string, admit func(*file, string) bool) *file {
	for _, l := range r.layers {
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

// holder is the file that a name stands for, aliases left aside.
func (r *Registry) holder(name string) *file {
	for _, l := range r.layers {
		for _, f := range l.files {
			if f.name() == name {
				return f
			}
		}
	}
	return nil
}

func isPath(s string) bool {
	lower := strings.ToLower(s)
	return strings.ContainsRune(s, '/') || strings.ContainsRune(s, filepath.Separator) ||
		strings.HasSuffix(lower, ".yaml") || strings.HasSuffix(lower, ".yml")
}
