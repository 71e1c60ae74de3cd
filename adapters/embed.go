// Package adapters holds the adapter files that come with ripple.
package adapters

import "embed"

// FS has the adapters as *.yaml at its top, and their test data below it.
//
//go:embed *
var FS embed.FS
