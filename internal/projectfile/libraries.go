package projectfile

import (
	"path/filepath"
	"slices"
	"strings"
)

// libraryVariables are those with lists of libraries that the system's loader loads into each program, or of the directories in which
// it looks for them.
var libraryVariables = []string{
	"LD_LIBRARY_PATH", "LD_PRELOAD", "LD_AUDIT", "DYLD_LIBRARY_PATH", "DYLD_FALLBACK_LIBRARY_PATH", "DYLD_INSERT_LIBRARIES", "DYLD_FRAMEWORK_PATH",
	"DYLD_FALLBACK_FRAMEWORK_PATH",
}

// Libraries returns environ for a program that a project must not replace, such as git: without the libraries, and the directories of
// libraries, that are in a project, and relative ones.
func Libraries(environ []string) []string {
	environ = slices.Clone(environ)
	for i, kv := range environ {
		name, value, _ := strings.Cut(kv, "=")
		if !slices.Contains(libraryVariables, name) {
			continue
		}
		list := strings.FieldsFunc(value, func(c rune) bool { return c == ':' || c == ';' || c == ' ' && name == "LD_PRELOAD" })
		environ[i] = name + "=" + strings.Join(slices.DeleteFunc(list, func(path string) bool {
			if filepath.IsAbs(path) {
				return InProject(path)
			}
			return strings.ContainsRune(path, '/') || strings.HasSuffix(name, "_PATH") // else the loader looks for it in its directories
		}), ":")
	}
	return environ
}

// InProject reports whether an absolute path is in a project that is not the user's home directory, or one of the symbolic links on the
// way is, or whether that cannot be examined.
func InProject(path string) bool {
	real, through, err := follow(path)
	return err != nil || slices.ContainsFunc(append(through, real), func(dir string) bool { return innermostProject(dir) != "" })
}
