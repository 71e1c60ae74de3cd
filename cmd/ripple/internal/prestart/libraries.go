package prestart

import (
	"os"
	"path/filepath"
	"strings"
)

// libraryVariables list directories in which the system's loader looks for the libraries of each program. It takes an empty entry
// for the current directory.
var libraryVariables = []string{"LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "DYLD_FALLBACK_LIBRARY_PATH"}

// dropRelativeLibraries removes the relative entries of libraryVariables from the environment of this process, and so of all that it
// starts: git and other programs of the user would load libraries of the project in the current directory.
func dropRelativeLibraries() {
	for _, name := range libraryVariables {
		value := os.Getenv(name)
		var dirs []string
		for _, dir := range strings.FieldsFunc(value, func(r rune) bool { return r == ':' || r == ';' }) {
			if filepath.IsAbs(dir) {
				dirs = append(dirs, dir)
			}
		}
		if kept := strings.Join(dirs, ":"); kept != value {
			_ = os.Setenv(name, kept) // its parts are those of a variable; empty, it names no directory
		}
	}
}
