package box

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"example.org/ripple/internal/projectfile"
)

// keepPointers makes the files .git of submodules read-only. The repositories of submodules, below modules, name the
// directories of these files. It reads the names from there, which the program cannot write; it can write the index.
//
// Errors: ErrPolicy if the program could replace such a file, or the settings of a submodule cannot be read.
func (l layout) keepPointers(p *Policy, modules string) error {
	return filepath.WalkDir(modules, func(path string, d fs.DirEntry, err error) error {
		if err != nil || path == modules || !d.IsDir() || !projectfile.IsGitHead(filepath.Join(path, "HEAD")) { // a part of a submodule's name
			return nil // git cannot read what fails
		}
		if err := checkRepository(path); err != nil {
			return err
		}
		for _, name := range []string{"config", "config.worktree"} {
			file := filepath.Join(path, name)
			trees, err := p.settings(file, "worktree", "--get-regexp", `^core\.worktree$`)
			if err != nil {
				return fmt.Errorf("%w: reading git's settings in %q: %w", ErrPolicy, file, err)
			}
			for _, tree := range trees {
				if !filepath.IsAbs(tree) {
					tree = path + "/" + tree
				}
				pointer := tree + "/.git"
				if info, err := os.Lstat(pointer); err != nil || !info.Mode().IsRegular() {
					continue
				}
				if err := l.keepFile(p, pointer); err != nil {
					return fmt.Errorf("the submodule in %q: %w", path, err)
				}
			}
		}
		if err := l.keepPointers(p, filepath.Join(path, "modules")); err != nil {
			return err
		}
		return fs.SkipDir
	})
}
