package box

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// expected is a mount that the box must have before its program starts. bubblewrap finds sources and mount points by their
// paths, and another process, such as a program in a box of the same working tree, may meanwhile replace a directory of
// these paths by a symbolic link. So Run and Enter record, without following links, which file or directory each source
// is, and Inside compares.
type expected struct {
	From, At []byte // paths, which may not be UTF-8; From is empty for a tmpfs
	ReadOnly bool
	Exact    bool // no part of At may be a symbolic link
	Object   identity
}

// identity identifies a file or directory. It needs no open descriptor: a file that exists
// at the same time has another number, and one that is created later has another time.
type identity struct {
	Device, Inode uint64
	Born          unix.StatxTimestamp // zero if the file system does not record it
}

// expect returns the mounts that another process could redirect: all but those of the system's
// directories, and those that split made.
func (l layout) expect() (list []expected) {
	stable := slices.Concat(system, []string{"/proc", "/dev"})
	for at, m := range l {
		writable := l.around(at).how == "bind"
		switch m.how {
		case "tmpfs":
			if writable {
				list = append(list, expected{At: []byte(at), Exact: true})
			}
		case "bind", "ro-bind":
			if writable || !slices.ContainsFunc(stable, func(dir string) bool { return above(dir, m.from) }) {
				list = append(list, expected{From: []byte(m.from), At: []byte(at), ReadOnly: m.readOnly(), Exact: writable || m.from == at && !l.throughLink(at)})
			}
		}
	}
	return list
}

// around returns the mount in which a mount point is; the zero value is that of the root directory.
func (l layout) around(at string) mount {
	for dir := filepath.Dir(at); dir != "/" && dir != "."; dir = filepath.Dir(dir) {
		if m, mounted := l[dir]; mounted {
			return m
		}
	}
	return mount{}
}

// identify records what the sources are now.
//
// Errors: ErrPolicy for a symbolic link, and for a source that does not exist.
func identify(list []expected) error {
	for i, e := range list {
		if len(e.From) == 0 {
			continue
		}
		err := reach(string(e.From), func(fd int) (err error) {
			list[i].Object, _, err = stat(fd)
			return err
		})
		if err != nil {
			return fmt.Errorf("%w: %w", ErrPolicy, err)
		}
	}
	return nil
}

// verify checks the mounts of the box in which this process runs.
func verify(list []expected) error {
	for _, e := range list {
		if err := e.verify(); err != nil {
			return fmt.Errorf("the mount at %q is not the one that was checked; another process may have replaced it while the box started: %w", e.At, err)
		}
	}
	return nil
}

func (e *expected) verify() error {
	open := reach
	if !e.Exact {
		open = follow
	}
	return open(string(e.At), func(fd int) error {
		object, mounted, err := stat(fd)
		if err != nil {
			return err
		}
		var system unix.Statfs_t
		if err := unix.Fstatfs(fd, &system); err != nil {
			return os.NewSyscallError("statfs", err)
		}
		switch {
		case !mounted:
			return errors.New("it is not a mount point")
		case len(e.From) > 0 && object != e.Object:
			return fmt.Errorf("it is not %q", e.From)
		case e.ReadOnly && system.Flags&unix.ST_RDONLY == 0:
			return errors.New("it is writable")
		}
		return nil
	})
}

// stat returns the identity of an open file, and whether it is the root of a mount.
func stat(fd int) (identity, bool, error) {
	var s unix.Statx_t
	if err := unix.Statx(fd, "", unix.AT_EMPTY_PATH|unix.AT_STATX_SYNC_AS_STAT, unix.STATX_INO|unix.STATX_BTIME, &s); err != nil {
		return identity{}, false, os.NewSyscallError("statx", err)
	}
	id := identity{Device: unix.Mkdev(s.Dev_major, s.Dev_minor), Inode: s.Ino}
	if s.Mask&unix.STATX_BTIME != 0 {
		id.Born = s.Btime
	}
	return id, s.Attributes&unix.STATX_ATTR_MOUNT_ROOT != 0, nil
}

// reach calls use with a descriptor of an absolute path, for use as a reference only. It follows no symbolic link: one in
// the path is an error. A box has no openat2.
func reach(path string, use func(fd int) error) error {
	dir, err := unix.Open("/", unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	for name := range strings.SplitSeq(strings.Trim(path, "/"), "/") {
		if err != nil {
			return &fs.PathError{Op: "open", Path: path, Err: err}
		}
		var next int
		next, err = unix.Openat(dir, name, unix.O_PATH|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
		unix.Close(dir)
		dir = next
	}
	if err != nil {
		return &fs.PathError{Op: "open", Path: path, Err: err}
	}
	defer unix.Close(dir)
	var s unix.Stat_t
	if err := unix.Fstat(dir, &s); err != nil {
		return os.NewSyscallError("stat", err)
	}
	if s.Mode&unix.S_IFMT == unix.S_IFLNK {
		return fmt.Errorf("%q is a symbolic link", path)
	}
	return use(dir)
}

// follow is reach for paths that may contain symbolic links.
func follow(path string, use func(fd int) error) error {
	fd, err := unix.Open(path, unix.O_PATH|unix.O_CLOEXEC, 0)
	if err != nil {
		return &fs.PathError{Op: "open", Path: path, Err: err}
	}
	defer unix.Close(fd)
	return use(fd)
}
