package projectfile

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// IsGitDir reports whether git takes a directory for that of a repository (is_git_directory in git's setup.c, which reads no settings):
// it has HEAD, and common has objects and refs. common is dir, or the directory that linked working trees share.
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

// GitPath reads the path that one of git's files of one line has after a prefix: .git of a linked working tree, commondir, gitdir, or
// a symbolic HEAD. A relative path begins in base, unless that is empty. The path is not cleaned, because a part may be a link. It
// returns "" if there is no such file, prefix or path. Errors: *RefusedError, also for a text that git and ripple could read differently.
func GitPath(file, prefix, base string) (string, error) {
	text, err := Read(file, 1<<20) // git reads as much
	if refused, ok := errors.AsType[*RefusedError](err); ok {
		return "", refused
	}
	path, is := strings.CutPrefix(strings.TrimRight(string(text), "\r\n"), prefix)
	if err != nil || !is || path == "" {
		return "", nil // git reports it
	}
	if strings.ContainsAny(path, "\x00\n") {
		return "", &RefusedError{Path: file, Why: "has more than one line, or a NUL byte", Do: "remove it, or get the file from another clone"}
	}
	if base != "" && !filepath.IsAbs(path) {
		path = base + string(filepath.Separator) + path
	}
	return path, nil
}
