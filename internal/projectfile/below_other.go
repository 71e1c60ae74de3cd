//go:build !linux

package projectfile

import (
	"io/fs"
	"os"
)

// openBelow opens a file below base through an os.Root, so that a link that was made meanwhile cannot
// lead outside.
func openBelow(base, name string, flag int, mode fs.FileMode) (*os.File, error) {
	root, err := os.OpenRoot(base)
	if err != nil {
		return nil, err
	}
	defer root.Close() // what was opened by it stays open
	return root.OpenFile(name, flag, mode)
}
