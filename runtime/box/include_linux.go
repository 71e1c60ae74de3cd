package box

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"example.org/ripple/internal/projectfile"
)

// userSettings returns the files in which git finds settings for all repositories.
func (p *Policy) userSettings() []string {
	files := []string{"/etc/gitconfig", filepath.Join(p.Home, ".gitconfig"), filepath.Join(p.Home, ".config/git/config")}
	if dir := os.Getenv("XDG_CONFIG_HOME"); dir != "" {
		files = append(files, filepath.Join(dir, "git/config"))
	}
	return files
}

// keepIncluded makes the files of the working tree read-only that some files with settings of git include, or the files
// that these include. Conditions of includes count as met.
//
// Errors: ErrPolicy if such a file is missing, or its path has a symbolic link: the program could replace it.
func (l layout) keepIncluded(p *Policy, files ...string) error {
	seen := map[string]bool{}
	for len(files) > 0 {
		file := files[0]
		files = files[1:]
		if seen[file] {
			continue
		}
		seen[file] = true
		paths, err := p.included(file)
		if err != nil {
			return fmt.Errorf("%w: %w", ErrPolicy, err)
		}
		for _, path := range paths {
			if real, _ := place(path); above(p.Dir, path) || above(p.Dir, real) {
				if err := exists(path); err != nil {
					return fmt.Errorf("git's settings in %q include %q, which the program could replace; make it a file, without symbolic links in its path, or remove the setting: %w", file, path, err)
				}
				l.keep([]string{path}, p)
			}
			files = append(files, path)
		}
	}
	return nil
}

// included returns the paths that a file with settings of git includes. A file that cannot be read includes none.
func (p *Policy) included(file string) (paths []string, err error) {
	text, err := projectfile.Read(file, projectfile.MaxText)
	if err != nil || !bytes.Contains(bytes.ToLower(text), []byte("include")) {
		return nil, nil
	}
	git := p.find("git", append(slices.Clone(programs), filepath.SplitList(os.Getenv("PATH"))...))
	if git == "" {
		return nil, fmt.Errorf("git's settings in %q include files, and there is no git, outside of directories that the program can write, to read them", file)
	}
	cmd := exec.Command(git, "config", "--file", "-", "--no-includes", "--null", "--get-regexp", `^include(if\..*)?\.path$`)
	cmd.Env, cmd.Stdin = append(os.Environ(), "GIT_DIR="+os.DevNull), bytes.NewReader(text)
	out, err := cmd.Output()
	if ended, is := errors.AsType[*exec.ExitError](err); is && ended.ExitCode() == 1 {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("git cannot read its settings in %q: %w", file, err)
	}
	for entry := range strings.SplitSeq(strings.TrimSuffix(string(out), "\x00"), "\x00") {
		_, path, _ := strings.Cut(entry, "\n")
		if rest, ok := strings.CutPrefix(path, "~/"); ok {
			path = filepath.Join(p.Home, rest)
		} else if !filepath.IsAbs(path) {
			path = filepath.Join(filepath.Dir(file), path)
		}
		paths = append(paths, filepath.Clean(path))
	}
	return paths, nil
}
