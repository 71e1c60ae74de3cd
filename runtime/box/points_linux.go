package box

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// point is a mount point in a directory that programs in boxes can write, such as the private home directory. bubblewrap
// follows symbolic links on the way to a mount point, creates what is missing, and sees all files of the host meanwhile. So
// before each start every part of the path is examined outside of the box. Paths may not be UTF-8.
type point struct {
	Dir, Name []byte // the directory, and the rest of the path
	From      []byte // the source of the mount; empty: the mount is a directory
	Create    bool   // missing parts are created: the directory is a private one
}

// pin makes the directories between a private directory of the box, which is in dir, and the mount points in it mounts:
// a program in the box cannot rename a mount while another box starts.
func (l layout) pin(dir string) {
	for _, at := range slices.Sorted(maps.Keys(l)) {
		around := l.around(at)
		if !private(dir, around) {
			continue
		}
		for rel := filepath.Dir(relative(around.at, at)); rel != "."; rel = filepath.Dir(rel) {
			l.add("bind", filepath.Join(around.from, rel), filepath.Join(around.at, rel))
		}
	}
}

// private reports whether a mount shows a writable part of the box's private directories, which are in dir.
func private(dir string, m mount) bool { return m.how == "bind" && m.from != dir && above(dir, m.from) }

// relative returns the rest of a path that is below dir.
func relative(dir, path string) string {
	return strings.TrimPrefix(path, strings.TrimSuffix(dir, "/")+"/")
}

// points returns the mount points in writable directories, parent directories first. The box's private directories are in dir.
func (l layout) points(dir string) (list []point) {
	for _, at := range slices.Sorted(maps.Keys(l)) {
		around, from := l.around(at), l[at].from
		if around.how != "bind" || l[at].how == "symlink" {
			continue
		}
		if private(dir, l[at]) { // a directory, which is created if it is missing
			from = ""
		}
		list = append(list, point{[]byte(around.from), []byte(relative(around.at, at)), []byte(from), private(dir, around)})
	}
	return list
}

// prepare examines mount points and creates those in the private directories that are missing.
//
// Errors: ErrPolicy if a program has put something else in place of one.
func prepare(points []point) error {
	for _, p := range points {
		if err := p.prepare(); err != nil {
			return fmt.Errorf("%w: the place of a mount, %q in %q: %w", ErrPolicy, p.Name, p.Dir, err)
		}
	}
	return nil
}

func (p *point) prepare() error {
	dir := true
	if len(p.From) > 0 {
		info, err := os.Stat(string(p.From))
		if err != nil {
			return err
		}
		dir = info.IsDir()
	}
	root, err := openDir(string(p.Dir))
	if err != nil {
		return err
	}
	defer root.Close()
	path, names := "", strings.Split(string(p.Name), "/")
	for i, name := range names {
		path = filepath.Join(path, name)
		if err := p.part(root, path, dir || i < len(names)-1); err != nil {
			return err
		}
	}
	return nil
}

// part examines one part of the path, and creates it if it is missing.
func (p *point) part(root *os.Root, path string, dir bool) error {
	info, err := root.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		switch {
		case !p.Create:
			return nil
		case dir:
			err = root.Mkdir(path, 0o755)
		default:
			err = create(root, path, "")
		}
		if err != nil && !errors.Is(err, fs.ErrExist) {
			return err
		}
		info, err = root.Lstat(path)
	}
	switch {
	case err != nil:
		return err
	case info.Mode()&fs.ModeSymlink != 0:
		return fmt.Errorf("a program in a box has put a symbolic link there, %q", path)
	case info.IsDir() != dir:
		return fmt.Errorf("a program in a box has replaced %q: it is not of the type that the mount needs (file or directory)", path)
	}
	return nil
}
