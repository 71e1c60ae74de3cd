//go:build !linux

package projectfile

import (
	"io/fs"
	"os"
	"path/filepath"
)

// openBelow opens a file below base through an os.Root, so that a link that was made meanwhile cannot
// lead outside. A name that is not local is errOutside.
func openBelow(base, name string, flag int, mode fs.FileMode) (*os.File, error) {
	if !filepath.IsLocal(name) {
		return nil, &fs.PathError{Op: "open", Path: filepath.Join(base, name), Err: errOutside}
	}
	root, err := os.OpenRoot(base)
	if err != nil {
		return nil, err
	}
	defer root.Close() // what was opened by it stays open
	return root.OpenFile(name, flag, mode)
}
