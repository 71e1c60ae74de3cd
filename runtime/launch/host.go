package launch

import (
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"

	"example.org/ripple/internal/projectfile"
)

// Host provides the facts about the machine that a plan depends on. Tests use their own.
type Host struct {
	Getenv       func(string) string
	Environ      func() []string
	Getwd        func() (string, error)
	IsExecutable func(path string) bool // a file that may be executed
	IsDir        func(path string) bool
	Brought      func(dir, path string) bool // reports whether the project around dir has the file; nil: never
	Dirs         []string                    // directories whose projects Brought is asked for, beside that of Getwd
	Enters       func(dir string) bool       // reports whether dir may be the working directory; nil: any may
	GUID         func() string               // a new random name: letters and digits
	GOOS         string
	PID          int    // of this process, for {pid}
	Self         string // the path of this program, for {self}
	TempDir      string // the parent of private directories
}

// OSHost returns the facts about this machine.
func OSHost() Host {
	return Host{
		Getenv:       os.Getenv,
		Environ:      os.Environ,
		Getwd:        os.Getwd,
		IsExecutable: isExecutable,
		IsDir:        isDir,
		Brought:      brought,
		Enters:       enters,
		GUID:         rand.Text,
		GOOS:         runtime.GOOS,
		PID:          os.Getpid(),
		Self:         self(),
		TempDir:      tempDir(),
	}
}

// self returns the path of this program, or "" if its file was moved or removed.
func self() string {
	path, err := os.Executable()
	if err != nil {
		return ""
	}
	return path
}

// tempDir is absolute even when TMPDIR is not.
func tempDir() string {
	dir, err := filepath.Abs(os.TempDir())
	if err != nil {
		return os.TempDir() // the current directory is gone; making a directory says so
	}
	return dir
}

func isExecutable(path string) bool {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		return false
	}
	return runtime.GOOS == "windows" || info.Mode()&0o111 != 0
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

func brought(dir, path string) bool { return projectfile.Brings(projectfile.Around(dir), path) }

// brings reports whether a project of the host's directories has the file.
func (h Host) brings(path string) bool {
	if h.Brought == nil {
		return false
	}
	dirs := h.Dirs
	if cwd, err := h.Getwd(); err == nil {
		dirs = append([]string{cwd}, dirs...)
	}
	return slices.ContainsFunc(dirs, func(dir string) bool { return h.Brought(dir, path) })
}

// enters looks for the directory itself from within, for which it has to be entered.
func enters(dir string) bool {
	_, err := os.Stat(dir + string(filepath.Separator) + ".")
	return !errors.Is(err, fs.ErrPermission)
}
