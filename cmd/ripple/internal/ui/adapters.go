package ui

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"example.org/ripple/cmd/ripple/internal/trust"
	"example.org/ripple/runtime/registry"
)

// AdapterSources returns the sources of adapters for this user in the current directory.
func (a *App) AdapterSources() registry.Sources { return a.Trust.sources() }

func (t *Trust) sources() registry.Sources {
	cwd, err := os.Getwd()
	if err != nil {
		cwd = "" // the directory is gone, so it has no adapters
	}
	sources := registry.DefaultSources(t.getenv, cwd)
	sources.IsTrusted = t.Trusts
	return sources
}

// Registry returns the registry of adapters for this user in the current directory.
func (a *App) Registry() (*registry.Registry, error) { return open(a.AdapterSources()) }

func open(from registry.Sources) (*registry.Registry, error) {
	r, err := registry.Open(from)
	if err != nil {
		return nil, FailWith(ExitFailed, err, "")
	}
	return r, nil
}

// Adapter finds an adapter by name or path, in order to use it. If only the project has that name,
// a user on a terminal is asked first whether the project is trusted.
func (a *App) Adapter(name string) (*registry.Entry, error) {
	r, err := a.Registry()
	if err != nil {
		return nil, err
	}
	a.reportUnused(r, name)
	entry, err := r.Find(name)
	if untrusted, is := errors.AsType[*registry.UntrustedError](err); is {
		entry = untrusted.Entry // the contents that were read and have been approved now
		if err := a.Trust.AgreeToAdapter(entry); err != nil {
			return nil, err
		}
	} else if err != nil {
		return nil, AdapterError(err)
	}
	a.Trust.reportProject(entry)
	return entry, nil
}

// Reloader returns a function that reads the file of an adapter again, in order to use it; name is
// what the user typed for it. A file that the user named by its path, and a user's own, needs no
// approval. Whether it is a project's is decided now: the directory may be replaced later. Errors of
// the function: *registry.UntrustedError for contents of a project's file that have not been approved,
// for which AgreeToAdapter asks; those of Adapter.
func (a *App) Reloader(name, path string) func() (*registry.Entry, error) {
	sources, dir := a.AdapterSources(), filepath.Dir(path)
	if !registry.IsPath(name) && dir == sources.ProjectDir {
		return func() (*registry.Entry, error) { return a.reloadProject(name, path) }
	}
	return func() (*registry.Entry, error) { return a.Adapter(name) }
}

// ProjectAdapter finds the adapter of the project in a file that ripple derived from a name, in order to
// use it: unlike a path that the user typed, it needs approval, for which a user on a terminal is asked.
func (a *App) ProjectAdapter(name, path string) (*registry.Entry, error) {
	entry, err := a.reloadProject(name, filepath.Join(a.AdapterSources().ProjectDir, filepath.Base(path)))
	if untrusted, is := errors.AsType[*registry.UntrustedError](err); is {
		entry, err = untrusted.Entry, a.Trust.AgreeToAdapter(untrusted.Entry)
	}
	if err != nil {
		return nil, err
	}
	a.Trust.reportProject(entry)
	return entry, nil
}

func (a *App) reloadProject(name, path string) (*registry.Entry, error) {
	r, err := a.Registry()
	if err != nil {
		return nil, err
	}
	for _, e := range r.Project() {
		switch {
		case e.Path != path:
			continue
		case e.Adapter == nil:
			return nil, AdapterError(&registry.BrokenError{Name: e.Name, Path: e.Path, Diagnostics: e.Diagnostics})
		case !a.Trust.Trusts(e):
			return nil, &registry.UntrustedError{Name: e.Name, Entry: e}
		}
		return e, nil
	}
	return nil, FailWith(ExitUsage, fmt.Errorf("the file of the adapter %q, %s, is no longer one of this project's adapters", name, path), "to list the adapters: ripple adapter list")
}

// AgreeToAdapter ensures that the user has approved an adapter of the project; see Agree.
func (t *Trust) AgreeToAdapter(e *registry.Entry) error {
	project, err := Project()
	if err != nil {
		return FailWith(ExitFailed, err, "")
	}
	item := adapterItem(project, e)
	if ours, err := t.withoutProject(); err == nil {
		item.Runs = adapterRuns(e, ours)
	}
	return t.Agree([]trust.Item{item})
}

// Look finds an adapter by name or path, without the intent to start it.
func (a *App) Look(name string) (*registry.Entry, error) {
	r, err := a.Registry()
	if err != nil {
		return nil, err
	}
	a.reportUnused(r, name)
	entry, err := r.Inspect(name)
	if err != nil {
		return nil, AdapterError(err)
	}
	return entry, nil
}

// reportUnused reports if a name refers to another adapter than the project's.
func (a *App) reportUnused(r *registry.Registry, name string) {
	if unused := r.Unused(name); unused != nil {
		a.Trust.reportUnused(name, unused)
	}
}

// AdapterError converts an error of a lookup, including all diagnostics of the file.
func AdapterError(err error) error {
	broken, ok := AsBroken(err)
	if !ok {
		hint := "to list the adapters: ripple adapter list"
		if unknown, is := errors.AsType[*registry.NotFoundError](err); is {
			for _, file := range []string{unknown.Name, unknown.Name + ".yaml", unknown.Name + ".yml"} {
				if info, err := os.Stat(file); err == nil && info.Mode().IsRegular() {
					hint = "to use the file, give its path: " + Quote("./"+file) + "; " + hint
					break
				}
			}
		}
		return FailWith(ExitUsage, err, hint)
	}
	return FailWith(ExitUsage, &doesNotLoad{broken}, formatDiagnostics(broken))
}

// BrokenAdapters returns the error for adapters that do not load, with the paths of their files; nil if there are none.
func BrokenAdapters(broken []*registry.BrokenError) error {
	switch len(broken) {
	case 0:
		return nil
	case 1:
		return AdapterError(broken[0])
	}
	var names []string
	for _, e := range broken {
		names = append(names, strconv.Quote(e.Path))
	}
	return FailWith(ExitUsage, fmt.Errorf("%d adapters do not load: %s", len(broken), strings.Join(names, ", ")), formatDiagnostics(broken...))
}

func formatDiagnostics(broken ...*registry.BrokenError) string {
	var b strings.Builder
	for _, e := range broken {
		for _, d := range e.Diagnostics {
			b.WriteString(d.Format() + "\n")
		}
	}
	return b.String()
}

// doesNotLoad is a BrokenError in one line; its diagnostics are printed separately.
type doesNotLoad struct{ *registry.BrokenError }

func (e *doesNotLoad) Error() string { return fmt.Sprintf("adapter %q does not load", e.Name) }
func (e *doesNotLoad) Unwrap() error { return e.BrokenError }

// AsBroken returns the error of an adapter that does not load, and whether err is one.
func AsBroken(err error) (*registry.BrokenError, bool) {
	return errors.AsType[*registry.BrokenError](err)
}
