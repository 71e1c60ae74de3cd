//go:build !unix

package trust

import "io/fs"

// private reports whether it is a file; who can write it is not known here.
func private(info fs.FileInfo) bool { return info.Mode().IsRegular() }
