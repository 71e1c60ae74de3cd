package loop

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"

	"example.org/ripple/internal/lazyregexp"
	"example.org/ripple/runtime/loop/record"
)

// bigFile is the size, in bytes, from which a file is reported before it is committed: hosts
// reject a branch with a file of 100 MB, and later commits do not remove it.
const bigFile = 10 << 20

var (
	// secretName matches the names of files that contain keys and passwords.
	secretName = lazyregexp.New(`(?i)^(\.env(\..+)?|\.netrc|\.npmrc|\.pypirc|\.htpasswd|id_(rsa|dsa|ecdsa|ed25519)|credentials(\.json)?|.+\.(pem|key|p12|pfx|jks|keystore))$`)

	// sampleName matches the names of their examples.
	sampleName = lazyregexp.New(`(?i)(example|sample|template|dist|defaults?|test)$`)

	// foreign matches directories of third-party files and of build output.
	foreign = lazyregexp.New(`^(?:.*/)?(node_modules|bower_components|vendor|\.venv|venv|__pycache__|\.tox|\.gradle|target/(?:debug|release))/`)
)

// doubtful describes the files of a commit that are rarely meant for a repository; "" if there
// are none.
func doubtful(names []string, size func(name string) int64) string {
	var list, dirs []string
	in := map[string]int{}
	for _, name := range names {
		base := path.Base(name)
		switch at := foreign().FindString(name); {
		case at != "":
			if in[at]++; in[at] == 1 {
				dirs = append(dirs, at)
			}
		case secretName().MatchString(base) && !sampleName().MatchString(base):
			list = append(list, name+" (a secret by its name)")
		case size(name) >= bigFile:
			list = append(list, fmt.Sprintf("%s (%d MB)", name, size(name)>>20))
		}
	}
	for _, dir := range dirs {
		list = append(list, fmt.Sprintf("%s (%s by others)", dir, plural(in[dir], "file")))
	}
	if len(list) == 0 {
		return ""
	}
	return record.FirstNames(list)
}

// sizeOf returns the size of a file of the tree; 0 if unknown.
func (w *workspace) sizeOf(name string) int64 {
	info, err := os.Lstat(filepath.Join(w.tree.Dir, filepath.FromSlash(w.tree.FromProject(name))))
	if err != nil || !info.Mode().IsRegular() {
		return 0
	}
	return info.Size()
}

// warn reports doubtful files before a commit. They are committed all the same: leaving files out
// could produce a branch that does not build.
func (c *committer) warn(names []string) string {
	text := doubtful(names, c.work.sizeOf)
	if text == "" {
		return ""
	}
	c.note(fmt.Sprintf("turn %d: the commit contains files that seldom belong in one: %s; to leave them out of the next, add them to .gitignore", c.state.Turn, strings.TrimSuffix(text, ".")))
	return text
}
