// Package adapters holds the adapter files that come with ripple.
package adapters

import "embed"

// FS has the adapters as *.yaml at its top, and below testdata what their tests read. Tests
// validate them: see package registry.
//
//go:embed *.yaml testdata
var FS embed.FS
