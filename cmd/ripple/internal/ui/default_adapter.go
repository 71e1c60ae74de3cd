package ui

import (
	_ "embed" // the name is data
	"strings"
)

//go:embed default_adapter.txt
var defaultAdapter string

// DefaultAdapter is the adapter of a console that is started without one.
func DefaultAdapter() string { return strings.TrimSpace(defaultAdapter) }
