package projectfile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// openBelow opens a file below base, whose name contains no link: a link that was made meanwhile is
// errChanged, and a name that is not local is errOutside. Directories on the way need not be
// readable, as for any other program: os.Root would require that.
func openBelow(base, name string, flag int, mode fs.FileMode) (*os.File, error) {
	path := filepath.Join(base, name)
	if !filepath.IsLocal(name) {
		return nil, &fs.PathError{Op: "open", Path: path, Err: errOutside}
	}
	dir, err := openAt(unix.AT_FDCWD, base, unix.O_PATH|unix.O_DIRECTORY, 0)
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: base, Err: err}
	}
	elements := strings.Split(filepath.Clean(name), "/")
	for i, element := range elements {
		last := i == len(elements)-1
		next := -1
		if last {
			next, err = openAt(dir, element, flag|unix.O_NOFOLLOW, uint32(mode.Perm()))
		} else {
			next, err = openAt(dir, element, unix.O_PATH|unix.O_DIRECTORY|unix.O_NOFOLLOW, 0)
		}
		_ = unix.Close(dir) // nothing was written
		if errors.Is(err, unix.ELOOP) || !last && errors.Is(err, unix.ENOTDIR) {
			return nil, errChanged
		}
		if err != nil {
			return nil, &fs.PathError{Op: "open", Path: path, Err: err}
		}
		dir = next
	}
	return os.NewFile(uintptr(dir), path), nil
}

// openAt is openat(2), repeated when a signal interrupts it.
func openAt(dir int, name string, flag int, mode uint32) (fd int, err error) {
	for {
		if fd, err = unix.Openat(dir, name, flag|unix.O_CLOEXEC, mode); !errors.Is(err, unix.EINTR) {
			return fd, err
		}
	}
}
