package ui

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"ripple/runtime/registry"
)

// AdapterSources are where adapters come from for this user in this directory.
func (a *App) AdapterSources() registry.Sources {
	cwd, err := os.Getwd()
	if err != nil {
		cwd = "" // gone: then it has no adapters
	}
	return registry.DefaultSources(a.Getenv, cwd)
}

// Registry has the adapters that there are for this user in this directory.
func (a *App) Registry() (*registry.Registry, error) {
	r, err := registry.Open(a.AdapterSources())
	if err != nil {
		return nil, FailWith(ExitFailed, err, "")
	}
	return r, nil
}

// Adapter finds one adapter by name or path.
func (a *App) Adapter(name string) (*registry.Entry, error) {
	r, err := a.Registry()
	if err != nil {
		return nil, err
	}
	entry, err := r.Find(name)
	if err != nil {
		return nil, AdapterError(err)
	}
	return entry, nil
}

// AdapterError says what is wrong with a name, or everything that is wrong with
// the file.
func AdapterError(err error) error {
	broken, ok := AsBroken(err)
	if !ok {
		return FailWith(ExitUsage, err, "ripple adapter list shows what there is")
	}
	var b strings.Builder
	for _, d := range broken.Diagnostics {
		b.WriteString(d.Format() + "\n")
	}
	return FailWith(ExitUsage, fmt.Errorf("adapter %q does not load", broken.Name), b.String())
}

// AsBroken is an error of an adapter that does not load, and whether it is one.
func AsBroken(err error) (*registry.BrokenError, bool) {
	return errors.AsType[*registry.BrokenError](err)
}
