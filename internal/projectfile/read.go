package projectfile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// Open opens a regular file for reading and follows symbolic links to any place. If a pipe replaces the
// file in the meantime, Open does not wait for it. Errors: *RefusedError, those of the system.
func Open(name string) (*os.File, error) {
	return openRegular(name, os.Stat, func() (*os.File, error) { return os.OpenFile(name, os.O_RDONLY|nonBlock, 0) })
}

// openRegular opens a file that is regular before, because opening a device may have an effect, and
// afterwards, because it may have been replaced.
func openRegular(name string, stat func(string) (fs.FileInfo, error), open func() (*os.File, error)) (*os.File, error) {
	info, err := stat(name)
	if err != nil {
		return nil, err
	}
	if err := regular(name, info); err != nil {
		return nil, err
	}
	f, err := open()
	if err != nil {
		return nil, err
	}
	if info, err = f.Stat(); err == nil {
		err = regular(name, info)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

func regular(name string, info fs.FileInfo) error {
	if info.IsDir() {
		return &RefusedError{name, "is a directory", "name a file", syscall.EISDIR}
	}
	return refuse(name, info)
}

// Read returns the content of a regular file, at most limit bytes. It follows symbolic links to any place.
func Read(name string, limit int64) ([]byte, error) {
	f, err := Open(name)
	if err != nil {
		return nil, err
	}
	return readAll(f, limit)
}

// readAll reads a file and closes it. It reads no more than the size that the file has, and so nothing of one that the kernel makes,
// such as /proc/kmsg, which may wait for its reader or change with it.
func readAll(f *os.File, limit int64) ([]byte, error) {
	defer f.Close() // only read from
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if info.Size() > limit {
		return nil, &RefusedError{f.Name(), "is larger than " + size(limit), "ripple does not read it; shorten it or remove it", nil}
	}
	return io.ReadAll(io.LimitReader(f, info.Size()))
}

func size(bytes int64) string {
	if bytes >= 1<<20 {
		return fmt.Sprintf("%d MB", bytes>>20)
	}
	return fmt.Sprintf("%d bytes", bytes)
}

// Relative returns the name that a path has below a directory, and whether it is there.
func Relative(dir, name string) (string, bool) {
	rel, err := filepath.Rel(dir, name)
	if err != nil || !filepath.IsLocal(rel) {
		return "", false
	}
	return filepath.ToSlash(rel), true
}
