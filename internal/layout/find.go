package layout

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"example.org/ripple/internal/owner"
	"example.org/ripple/internal/projectfile"
)

// Find returns the directory of the loop that a command run in dir refers to: dir itself or its
// nearest parent that contains Dir, up to the top of the repository. Inside Dir, for example in a
// working tree of the loop, it is the project. If none is found, it is dir. A parent in which everybody
// may create files, such as /tmp, counts only with a Dir of this user. The result is relative to dir.
func Find(dir string) string {
	if found, is := nearest(dir, true); is {
		return found
	}
	return dir
}

// Above returns what Find would if dir had no Dir itself; found is false if there is none.
func Above(dir string) (above string, found bool) { return nearest(dir, false) }

// nearest returns the nearest directory that contains Dir; own includes dir itself.
func nearest(dir string, own bool) (string, bool) {
	here, err := filepath.Abs(dir)
	if err != nil {
		return "", false
	}
	at := here
	mark := string(filepath.Separator) + Dir
	if before, _, inside := strings.Cut(here+string(filepath.Separator), mark+string(filepath.Separator)); inside {
		at = before + string(filepath.Separator)
	}
	for {
		if info, err := os.Stat(filepath.Join(at, Dir)); err == nil && info.IsDir() && (at == here && own || at != here && !planted(at, info)) {
			break
		}
		above := filepath.Dir(at)
		if projectfile.HasGit(at) || above == at {
			return "", false
		}
		at = above
	}
	found, err := filepath.Rel(here, at)
	return filepath.Join(dir, found), err == nil
}

func planted(dir string, found fs.FileInfo) bool {
	info, err := os.Stat(dir)
	return err == nil && owner.Planted(info, found)
}
