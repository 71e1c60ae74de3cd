package box

import (
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"

	"example.org/ripple/internal/projectfile"
)

// HasRepository reports whether git takes the directory .git of a working tree for a repository, which has HEAD, objects
// and refs. A program in a box can remove these. Git then takes the working tree itself for a repository, if it
// has them, and obeys the settings in its file config.
func HasRepository(tree string) bool {
	dir := filepath.Join(tree, ".git")
	for _, name := range []string{"objects", "refs"} {
		path := filepath.Join(dir, name)
		if info, err := os.Stat(path); err != nil || !info.IsDir() || unix.Access(path, unix.X_OK) != nil {
			return false
		}
	}
	return isHead(filepath.Join(dir, "HEAD"))
}

// isHead reports whether git accepts a file as the HEAD of a repository.
func isHead(path string) bool {
	if to, err := os.Readlink(path); err == nil {
		return strings.HasPrefix(to, "refs/")
	}
	head, err := projectfile.Read(path, 4<<10) // which does not wait for a pipe
	if err != nil {
		return false
	}
	text := string(head[:min(len(head), 255)]) // git reads no more
	if ref, symbolic := strings.CutPrefix(text, "ref:"); symbolic {
		return strings.HasPrefix(strings.TrimLeft(ref, " \t\n\r"), "refs/")
	}
	return len(text) >= 40 && strings.Trim(text[:40], "0123456789abcdefABCDEF") == ""
}
