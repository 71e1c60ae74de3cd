package workplace

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
)

func (p *Place) dirOf(dir string) (string, error) {
	if dir == "" {
		return p.o.Dir, nil
	}
	root, rel, err := p.find(dir)
	if err != nil {
		return "", err
	}
	info, err := root.Stat(rel)
	if err == nil && !info.IsDir() {
		err = fmt.Errorf("%s is not a directory", dir)
	}
	return filepath.Join(root.Name(), rel), err
}

// wordsOf is what is executed. Some agents give a line for a shell and no arguments.
func wordsOf(c Command, dir string, env []string) []string {
	path := look(c.Name, dir, env)
	if len(c.Args) == 0 && path == "" {
		return append(shell, c.Name)
	}
	if path == "" {
		path = c.Name // the system says what is wrong
	}
	return append([]string{path}, c.Args...)
}

// look finds a program as the command's own system would: from its directory, and by its
// PATH.
func look(name, from string, env []string) string {
	if filepath.Base(name) != name {
		if !filepath.IsAbs(name) {
			name = filepath.Join(from, name)
		}
		path, err := exec.LookPath(name)
		if err != nil {
			return ""
		}
		return path
	}
	dirs := ""
	for _, kv := range env {
		if value, is := strings.CutPrefix(kv, "PATH="); is {
			dirs = value
		}
	}
	for _, dir := range filepath.SplitList(dirs) {
		if !filepath.IsAbs(dir) {
			continue
		}
		if path, err := exec.LookPath(filepath.Join(dir, name)); err == nil {
			return path
		}
	}
	return ""
}
