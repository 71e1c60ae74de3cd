//go:build !(linux || darwin)

package scratch

import (
	"errors"
	"io/fs"
	"os"
)

const (
	wait = iota
	try
)

func lock(*os.File, int) error { return errors.ErrUnsupported }

func private(fs.FileInfo) bool { return false }

func foreign(fs.FileInfo) bool { return false } // unknown

func openOwnerFile(path string) (*os.File, error) { return os.Open(path) }
