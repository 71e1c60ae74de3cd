//go:build !unix

package trust

import "io/fs"

// private reports whether info describes a regular file; who can write to it is not known here.
func private(info fs.FileInfo) bool { return info.Mode().IsRegular() }
