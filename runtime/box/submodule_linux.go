package box

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"example.org/ripple/internal/projectfile"
)

// keepPointers makes the files .git of submodules read-only. The repositories of submodules, below modules, name the
// directories of these files. Unlike the index, the program cannot write them.
func (l layout) keepPointers(p *Policy, modules string) {
	_ = filepath.WalkDir(modules, func(path string, d fs.DirEntry, err error) error { // git cannot read what fails
		if err != nil || !d.IsDir() || filepath.Base(path) == "modules" {
			return nil
		}
		text, err := projectfile.Read(filepath.Join(path, "config"), projectfile.MaxText)
		if err != nil { // a part of a submodule's name
			return nil
		}
		tree := workTree(string(text))
		if !filepath.IsAbs(tree) {
			tree = filepath.Join(path, tree)
		}
		pointer := filepath.Join(tree, ".git")
		if info, err := os.Lstat(pointer); err == nil && info.Mode().IsRegular() {
			l.keep([]string{pointer}, p)
		}
		l.keepPointers(p, filepath.Join(path, "modules"))
		return fs.SkipDir
	})
}

// workTree returns the value of core.worktree as git writes it: with a quoting that other programs rarely use.
func workTree(settings string) string {
	for line := range strings.Lines(settings) {
		if key, value, _ := strings.Cut(line, "="); strings.TrimSpace(key) == "worktree" {
			value = strings.TrimSpace(value)
			if len(value) > 1 && value[0] == '"' && value[len(value)-1] == '"' {
				value = value[1 : len(value)-1]
			}
			return strings.NewReplacer(`\"`, `"`, `\\`, `\`).Replace(value)
		}
	}
	return ""
}
