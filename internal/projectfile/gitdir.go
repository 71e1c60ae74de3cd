package projectfile

import (
	"io"
	"os"
	"path/filepath"
	"strings"
)

// IsGitDir reports whether git takes a directory for the one of a repository, as it does before it reads the settings there: it has
// HEAD, and the directory that it shares with others, common, which is mostly the same, has objects and refs (is_git_directory in
// git's setup.c).
func IsGitDir(dir, common string) bool {
	for _, name := range []string{"objects", "refs"} { // git does not look whether these are directories
		if !mayEnter(filepath.Join(common, name)) {
			return false
		}
	}
	return IsGitHead(filepath.Join(dir, "HEAD"))
}

// IsGitHead reports whether git accepts a file as the HEAD of a repository (validate_headref in git's path.c).
func IsGitHead(path string) bool {
	if to, err := os.Readlink(path); err == nil {
		return strings.HasPrefix(to, "refs/")
	}
	f, err := Open(path) // which does not wait for a pipe
	if err != nil {
		return false
	}
	defer f.Close()           // only read from
	head := make([]byte, 255) // git reads no more
	n, err := io.ReadFull(f, head)
	if err != nil && n == 0 {
		return false
	}
	text := string(head[:n])
	if ref, symbolic := strings.CutPrefix(text, "ref:"); symbolic {
		return strings.HasPrefix(strings.TrimLeft(ref, " \t\n\r"), "refs/")
	}
	return len(text) >= 40 && strings.Trim(text[:40], "0123456789abcdefABCDEF") == ""
}
