package box

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"example.org/ripple/internal/projectfile"
)

// userSettings returns the paths of git's system and user settings.
func (p *Policy) userSettings() []string {
	files := []string{"/etc/gitconfig", filepath.Join(p.Home, ".gitconfig"), filepath.Join(p.Home, ".config/git/config")}
	for name, below := range map[string]string{"XDG_CONFIG_HOME": "git/config", "GIT_CONFIG_SYSTEM": "", "GIT_CONFIG_GLOBAL": ""} {
		if path := os.Getenv(name); filepath.IsAbs(path) {
			files = append(files, filepath.Join(path, below))
		}
	}
	return files
}

// Limits of git's settings.
const (
	maxSettings     = 100 // files that others include
	settingsTimeout = 10 * time.Second
)

// keepSettings makes files with settings of git read-only, and those that they include, if they are in the working tree.
// Conditions of includes count as met.
//
// Errors: ErrPolicy if such a file is missing, or the working tree has a symbolic link on the way to it: the program could
// replace it; also if the settings cannot be read.
func (l layout) keepSettings(p *Policy, files ...string) error {
	said := map[string]string{} // how git finds a file
	for _, file := range files {
		said[file] = fmt.Sprintf("git reads settings from %q", file)
	}
	seen := map[string]bool{}
	for starts := len(files); len(files) > 0; files = files[1:] {
		file := files[0]
		if seen[file] {
			continue
		}
		if seen[file] = true; len(seen) > starts+maxSettings {
			return fmt.Errorf("%w: git's settings include more than %d files", ErrPolicy, maxSettings)
		}
		if err := l.keepFile(p, file); err != nil {
			return fmt.Errorf("%s, in the writable working tree: it must be a file that exists, with no symbolic link in its path: %w", said[file], err)
		}
		paths, err := p.included(file)
		if err != nil {
			return fmt.Errorf("%w: reading git's settings in %q: %w", ErrPolicy, file, err)
		}
		for _, path := range paths {
			if said[path] == "" {
				said[path] = fmt.Sprintf("git's settings in %q include %q", file, path)
			}
		}
		files = append(files, paths...)
	}
	return nil
}

// keepFile makes a file read-only if the working tree has it.
//
// Errors: ErrPolicy if the program could create or replace it.
func (l layout) keepFile(p *Policy, path string) error {
	real, links := place(path)
	for _, link := range links {
		if above(p.Dir, link) {
			return fmt.Errorf("%w: %q is a symbolic link", ErrPolicy, link)
		}
	}
	if !above(p.Dir, real) {
		return nil
	}
	if err := exists(real); err != nil {
		return err
	}
	if err := checkNames(real); err != nil {
		return err
	}
	l.keep([]string{real}, p)
	return nil
}

// included returns the paths that a file with settings of git includes.
func (p *Policy) included(file string) ([]string, error) {
	paths, err := p.settings(file, "include", "--type=path", "--get-regexp", `^include(if\..*)?\.path$`)
	for i, path := range paths {
		if !filepath.IsAbs(path) {
			paths[i] = filepath.Dir(file) + "/" + path // which may lead through symbolic links and back
		}
	}
	return paths, err
}

// settings returns the values that git config reports for a file, if the file contains a word. A missing
// file has no values.
func (p *Policy) settings(file, word string, options ...string) (values []string, err error) {
	if file == os.DevNull {
		return nil, nil
	}
	text, err := projectfile.Read(file, projectfile.MaxText)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, unix.ENOTDIR) {
		return nil, nil
	}
	if err != nil || !bytes.Contains(bytes.ToLower(text), []byte(word)) {
		return nil, err
	}
	git := p.find("git", append(slices.Clone(programs), filepath.SplitList(os.Getenv("PATH"))...))
	if git == "" {
		return nil, errors.New("git is not installed, or only where the program could replace it")
	}
	ctx, cancel := context.WithTimeout(context.Background(), settingsTimeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, git, append([]string{"config", "--file", "-", "--no-includes", "--null"}, options...)...)
	// git reads its user's settings for itself, too, and these may name a pipe.
	cmd.Env = append(projectfile.Libraries(os.Environ()), "GIT_DIR="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL="+os.DevNull, "HOME="+p.Home)
	cmd.Stdin, cmd.WaitDelay = bytes.NewReader(text), time.Second
	out, err := cmd.Output()
	if ended, is := errors.AsType[*exec.ExitError](err); is && ended.ExitCode() == 1 {
		return nil, nil
	} else if is {
		return nil, fmt.Errorf("git config: %w: %s", err, bytes.TrimSpace(ended.Stderr))
	}
	if err != nil {
		return nil, err
	}
	for entry := range strings.SplitSeq(strings.TrimSuffix(string(out), "\x00"), "\x00") {
		_, value, _ := strings.Cut(entry, "\n")
		values = append(values, value)
	}
	return values, nil
}
