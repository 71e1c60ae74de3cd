package box

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
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
// and contains neither home nor another home directory of this user, else the directory itself. foreign is the top of a repository
// around it that belongs to another user, or "". Both paths must be free of symbolic links.
func Tree(cwd, home string) (tree, foreign string) {
	top, ours := projectfile.RepositoryOf(cwd)
	switch {
	case top == "" || top == "/" || strings.HasPrefix(home+"/", top+"/") || projectfile.HoldsHome(top):
	case ours:
		return top, ""
	case top != cwd:
		return cwd, top
	}
	return cwd, ""
}

// Allow adds to a policy: writable and readable paths, which may begin with ~/ and otherwise are
// relative to dir, and hosts in the form of parseHost, or "any". A path may not lead out of p.Dir, or of a project, by a symbolic link there:
// an earlier program in a box may have made it.
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
		_, named := projectfile.Relative(p.Dir, path)
		_, inside := projectfile.Relative(p.Dir, real)
		if p.Dir != "" && named && !inside || projectfile.LeadsOut(path) {
			return nil, fmt.Errorf("%w: %q leads out of the project by a symbolic link; name the place itself, %q", ErrPolicy, path, real)
		}
		if real != filepath.Clean(path) && p.unnamedSecret(path, real) {
			return nil, fmt.Errorf("%w: %q leads by a symbolic link to a place that stays hidden unless it is named; name the place itself, %q", ErrPolicy, path, real)
		}
		list = append(list, real)
	}
	return list, nil
}

// unnamedSecret reports whether a path leads to one that boxes hide, and does not name it: an earlier program in a box may have made the link.
func (p *Policy) unnamedSecret(path, real string) bool {
	return slices.ContainsFunc(secretPaths, func(name string) bool {
		secret := filepath.Join(p.Home, name)
		target, err := filepath.EvalSymlinks(secret)
		return (above(secret, real) || err == nil && above(target, real)) && !strings.Contains(path+"/", "/"+name+"/") && !(err == nil && above(target, path))
	})
}

// above reports whether path is dir or is below it.
func above(dir, path string) bool {
	return dir != "" && (dir == path || strings.HasPrefix(path, strings.TrimSuffix(dir, "/")+"/"))
}

// secretPaths lists paths below the home directory that stay hidden in readable directories,
// unless the policy names them explicitly.
var secretPaths = []string{
	".ssh", ".gnupg", ".aws", ".azure", ".kube", ".docker", ".netrc", ".npmrc", ".pypirc", ".pgpass", ".my.cnf", ".git-credentials",
	".password-store", ".vault-token", ".terraform.d", ".cargo/credentials", ".cargo/credentials.toml", ".m2/settings.xml", ".gem/credentials",
	".config/gh", ".config/glab-cli", ".config/gcloud", ".config/git/credentials", ".config/containers", ".config/rclone", ".config/op",
	".config/google-chrome", ".config/chromium", ".config/BraveSoftware", ".config/microsoft-edge", ".mozilla", ".thunderbird", ".pki",
	".local/share/keyrings", ".config/ripple", ".local/state/ripple", ".local/share/ripple", ".cache/ripple",
	".bash_history", ".zsh_history", ".python_history", ".node_repl_history", ".psql_history",
}

// Secrets returns the paths below the home directory that a box hides even in readable directories, unless its policy names
// them: those that usually contain secrets.
func Secrets() []string { return slices.Clone(secretPaths) }
