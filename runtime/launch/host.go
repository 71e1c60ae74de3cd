package launch

import (
	"crypto/rand"
	"os"
	"runtime"
)

// Host is what a plan needs to know of the machine; tests bring their own.
type Host struct {
	Getenv       func(string) string
	Environ      func() []string
	Getwd        func() (string, error)
	IsExecutable func(path string) bool // a file that may be executed
	IsDir        func(path string) bool
	GUID         func() string // a new random name: letters and digits
	GOOS         string
	PID          int    // ours, for {pid}
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
		GUID:         rand.Text,
		GOOS:         runtime.GOOS,
		PID:          os.Getpid(),
		TempDir:      os.TempDir(),
	}
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
