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
	here, err := filepath.Abs(dir)
	if err != nil {
		return dir
	}
	at := here
	mark := string(filepath.Separator) + Dir
	if before, _, inside := strings.Cut(here+string(filepath.Separator), mark+string(filepath.Separator)); inside {
		at = before + string(filepath.Separator)
	}
	for {
		if info, err := os.Stat(filepath.Join(at, Dir)); err == nil && info.IsDir() && (at == here || !planted(at, info)) {
			break
		}
		above := filepath.Dir(at)
		if projectfile.HasGit(at) || above == at {
			return dir
		}
		at = above
	}
	if at == here {
		return dir
	}
	found, err := filepath.Rel(here, at)
	if err != nil {
		return dir
	}
	return filepath.Join(dir, found)
}

func planted(dir string, found fs.FileInfo) bool {
	info, err := os.Stat(dir)
	return err == nil && owner.Planted(info, found)
}
