package box

import (
	"path/filepath"

	"example.org/ripple/internal/projectfile"
)

// HasRepository reports whether git takes the directory .git of a working tree for a repository, which has HEAD, objects
// and refs. A program in a box can remove these. Git then takes the working tree itself for a repository, if it
// has them, and obeys the settings in its file config.
func HasRepository(tree string) bool {
	dir := filepath.Join(tree, ".git")
	return projectfile.IsGitDir(dir, dir)
}
