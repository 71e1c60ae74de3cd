package console

import (
	"path/filepath"
	"strings"

	"example.org/ripple/runtime/console/place"
	"example.org/ripple/runtime/registry"
	"example.org/ripple/schema"
)

// adapterOf returns the adapter that the host has to start: the sealed one, or the one with the
// given name. A project's adapter is only accepted sealed: its sealer has checked that a user
// trusts exactly that content.
func adapterOf(order *place.Order, getenv func(string) string) (*schema.Adapter, error) {
	if order.Sealed != nil {
		return schema.Decode(order.Sealed)
	}
	sources := registry.DefaultSources(getenv, order.From)
	sources.ProjectDir = ""
	if order.Origin == registry.OriginEmbedded { // a user's adapter may have got its name since it was chosen
		sources.UserDir = ""
	}
	reg, err := registry.Open(sources)
	if err != nil {
		return nil, err
	}
	entry, err := reg.Find(order.Adapter)
	if err != nil {
		return nil, err
	}
	order.Origin = entry.Source()
	return entry.Adapter, nil
}

// fitsSandbox refuses an adapter that would let a confined program write through this process,
// which is not confined: an adapter that the program can change, and one whose code files are
// written to paths that the program controls.
func fitsSandbox(spec Spec, a *schema.Adapter) error {
	if spec.Sandbox == "" {
		return nil
	}
	if _, path, onDisk := strings.Cut(spec.Origin, " "); onDisk && isBelow(path, spec.Sandbox) {
		return newFault(FaultBadRequest, "the adapter %s is in %s, where the program may write: keep it elsewhere, or start the console without a sandbox", path, spec.Sandbox)
	}
	if t := a.Input.Tempfile; t != nil && t.PathTemplate != "" {
		name, inTemp := strings.CutPrefix(t.PathTemplate, "{temp_dir}/")
		if !inTemp || strings.ContainsAny(name, "/\\") {
			return newFault(FaultBadRequest, "the adapter %s writes code to %s (input.tempfile.path_template); in a sandbox only {temp_dir}/NAME is allowed", a.Name, t.PathTemplate)
		}
	}
	return nil
}

// isBelow reports whether a file is in a directory or its descendants, by name and after resolving
// links.
func isBelow(path, dir string) bool {
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real
	}
	paths := []string{path}
	if real, err := filepath.EvalSymlinks(path); err == nil {
		paths = append(paths, real)
	}
	if real, err := filepath.EvalSymlinks(filepath.Dir(path)); err == nil {
		paths = append(paths, filepath.Join(real, filepath.Base(path)))
	}
	for _, p := range paths {
		if rel, err := filepath.Rel(dir, p); err == nil && filepath.IsLocal(rel) {
			return true
		}
	}
	return false
}
