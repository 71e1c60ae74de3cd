// Package adapters holds the adapter files that come with ripple.
package adapters

import (
	"embed"
	"io/fs"
	"strings"
)

// FS has the adapters as *.yaml at its top, and below testdata what their tests read. Tests
// validate them: see package registry.
var FS fs.FS = files{}

//go:embed *.yaml
var yamls embed.FS

type files struct{}

func (files) Open(name string) (fs.File, error) {
	if name != "testdata" && !strings.HasPrefix(name, "testdata/") {
		return yamls.Open(name)
	}
	below, err := testdata()
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: name, Err: err}
	}
	return below.Open(name)
}
