// Package scripts holds the integration scripts of the adapters that come with
// ripple, under the names that init.script_resource uses.
package scripts

import "embed"

// FS has the scripts at its top.
//
//go:embed *
var FS embed.FS
