package box

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"example.org/ripple/internal/owner"
	"example.org/ripple/internal/projectfile"
)

// Home returns the user's home directory without symbolic links. It need not exist.
func Home() (string, error) {
	dir, err := owner.Home(os.Getenv)
	if err != nil {
		return "", err
	}
	real, err := filepath.EvalSymlinks(dir)
	if errors.Is(err, os.ErrNotExist) { // the box creates it
		return filepath.Clean(dir), nil
	}
	return real, err
}

// Tree returns the working tree of a directory: that of the repository that contains it, if the repository belongs to this user
// and does not contain the home directory, else the directory itself. Both paths must be free of symbolic links.
func Tree(cwd, home string) string {
	top, ours := projectfile.RepositoryOf(cwd)
	if !ours || top == "/" || strings.HasPrefix(home+"/", top+"/") {
		return cwd
	}
	return top
}

// HasRepository reports whether git takes the directory .git of a working tree for a repository, which has HEAD, objects
// and refs. A program in a box can remove these. Git then takes the working tree itself for a repository, if it
// has them, and obeys the settings in its file config.
func HasRepository(tree string) bool {
	dir := filepath.Join(tree, ".git")
	head, err := projectfile.Read(filepath.Join(dir, "HEAD"), 4<<10) // which does not wait for a pipe
	if err != nil {
		return false
	}
	ref, symbolic := strings.CutPrefix(string(head), "ref:")
	text := strings.TrimSpace(ref)
	for _, name := range []string{"objects", "refs"} {
		if info, err := os.Stat(filepath.Join(dir, name)); err != nil || !info.IsDir() {
			return false
		}
	}
	if symbolic {
		return strings.HasPrefix(text, "refs/")
	}
	return len(text) >= 40 && strings.Trim(text, "0123456789abcdefABCDEF") == ""
}

// Allow adds to a policy: writable and readable paths, which may begin with ~/ and otherwise are
// relative to dir, and hosts in the form of parseHost, or "any".
//
// Errors: ErrPolicy.
func (p *Policy) Allow(dir string, write, read, hosts []string) (err error) {
	if p.Write, err = p.resolve(p.Write, dir, write); err != nil {
		return err
	}
	if p.Read, err = p.resolve(p.Read, dir, read); err != nil {
		return err
	}
	for _, text := range hosts {
		if text == "any" {
			p.AnyHost = true
			continue
		}
		host, err := parseHost(text)
		if err != nil {
			return err
		}
		p.Hosts = append(p.Hosts, host)
	}
	return nil
}

// resolve appends absolute paths without symbolic links to list.
func (p *Policy) resolve(list []string, dir string, paths []string) ([]string, error) {
	for _, path := range paths {
		if rest, ok := strings.CutPrefix(path, "~/"); ok {
			path = filepath.Join(p.Home, rest)
		} else if !filepath.IsAbs(path) {
			path = filepath.Join(dir, path)
		}
		real, err := filepath.EvalSymlinks(path)
		if err != nil {
			return nil, fmt.Errorf("%w: %w", ErrPolicy, err)
		}
		list = append(list, real)
	}
	return list, nil
}
