package launch

import (
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
)

// Host is what a plan needs to know of the machine; tests bring their own.
type Host struct {
	Getenv       func(string) string
	Environ      func() []string
	Getwd        func() (string, error)
	IsExecutable func(path string) bool // a file that may be executed
	IsDir        func(path string) bool
	Enters       func(dir string) bool // this user may make it the working directory; nil: he may
	GUID         func() string         // a new random name: letters and digits
	GOOS         string
	PID          int    // ours, for {pid}
	Self         string // our own binary, for {self}
	TempDir      string // where private directories are made
}

// OSHost is the machine we run on.
func OSHost() Host {
	return Host{
		Getenv:       os.Getenv,
		Environ:      os.Environ,
		Getwd:        os.Getwd,
		IsExecutable: isExecutable,
		IsDir:        isDir,
		Enters:       enters,
		GUID:         rand.Text,
		GOOS:         runtime.GOOS,
		PID:          os.Getpid(),
		Self:         self(),
		TempDir:      tempDir(),
	}
}

// self is empty when this binary is no more where it was.
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

// enters looks for the directory itself from within, for which it has to be entered.
func enters(dir string) bool {
	_, err := os.Stat(dir + string(filepath.Separator) + ".")
	return !errors.Is(err, fs.ErrPermission)
}
