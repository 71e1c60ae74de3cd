package ui

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// worktreeMark ends the directory of `ripple run --worktree` in .ralph.
const worktreeMark = "-worktree/"

// ProjectRoots returns the prefixes that are removed from paths of tools: the working directory by
// the shell's name for it, and by the system's.
func ProjectRoots() []string {
	dir, err := os.Getwd()
	if err != nil {
		return nil
	}
	list := []string{dir}
	if real, err := filepath.EvalSymlinks(dir); err == nil && real != dir {
		list = append(list, real)
	}
	return list
}

// shortPath returns a path relative to the project, or with … for the working tree of a loop in it.
// Backslashes count as slashes, and case is ignored on systems whose file names are
// case-insensitive: Windows and macOS.
func shortPath(path string, roots []string) string {
	slashed := strings.ReplaceAll(path, `\`, "/")
	for _, root := range roots {
		root = strings.TrimSuffix(strings.ReplaceAll(root, `\`, "/"), "/") + "/"
		if len(slashed) <= len(root) || !sameName(slashed[:len(root)], root) {
			continue
		}
		rest := slashed[len(root):]
		if at := strings.Index(rest, worktreeMark); strings.HasPrefix(rest, ".ralph/") && at > 0 {
			return "…/" + rest[at+len(worktreeMark):]
		}
		return rest
	}
	return path
}

func sameName(a, b string) bool {
	if slices.Contains([]string{"windows", "darwin"}, runtime.GOOS) {
		return strings.EqualFold(a, b)
	}
	return a == b
}
